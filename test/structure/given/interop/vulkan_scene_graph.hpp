// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// What vsg/core/Allocator.h declares.
namespace vsg {
enum AllocatorAffinity : unsigned {};
struct Allocator {
    Allocator(std::unique_ptr<Allocator> nested, std::size_t alignment);
    virtual ~Allocator();
    static std::unique_ptr<Allocator>& instance();
    virtual void* allocate(std::size_t, AllocatorAffinity) = 0;
    virtual bool deallocate(void*, std::size_t) = 0;
    virtual std::size_t deleteEmptyMemoryBlocks() = 0;
    virtual std::size_t totalAvailableSize() const = 0;
    virtual std::size_t totalReservedSize() const = 0;
    virtual std::size_t totalMemorySize() const = 0;
    virtual void setBlockSize(AllocatorAffinity, std::size_t) = 0;
    virtual void report(std::ostream&) const = 0;
    std::size_t defaultAlignment;
    std::unique_ptr<Allocator> nestedAllocator;
};
} // namespace vsg
