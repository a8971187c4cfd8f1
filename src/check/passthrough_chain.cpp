// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/passthrough_chain.hpp>

#include <arenite/check/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/size.hpp>
#include <arenite/core/system_resource.hpp>

#include <algorithm>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {

// Stands directly before the memory it describes.
struct passthrough_chain::link {
    link* older;
    link* newer;
    void* memory; // as malloc gave it
    std::size_t memory_bytes;
    std::size_t memory_alignment;
    std::size_t bytes;
    std::size_t number; // rises from old to new

    [[nodiscard]] static link* of(const void* p) noexcept {
        return const_cast<link*>(static_cast<const link*>(p)) - 1;
    }
    [[nodiscard]] const std::byte* object() const noexcept {
        return reinterpret_cast<const std::byte*>(this + 1);
    }
};

namespace {

/// A link may be touched only while one of these lives.
template <class Link>
class opened {
public:
    explicit opened(Link* link) noexcept : link_{link} {
        if (link_ != nullptr)
            poison::defined(link_, sizeof(Link));
    }
    ~opened() {
        if (link_ != nullptr)
            poison::no_access(link_, sizeof(Link));
    }
    opened(const opened&) = delete;
    opened& operator=(const opened&) = delete;
    Link* operator->() const noexcept { return link_; }

private:
    Link* link_;
};

} // namespace

void* passthrough_chain::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t memory_alignment = std::max(alignment, alignof(link));
    const auto before = checked_align_up(sizeof(link), memory_alignment);
    const auto total = before ? checked_add(*before, bytes) : std::nullopt;
    if (!total)
        return nullptr;
    void* const memory = system_resource().try_allocate(*total, memory_alignment);
    if (memory == nullptr)
        return nullptr;
    std::byte* const object = static_cast<std::byte*>(memory) + *before;
    link* const made =
        ::new (static_cast<void*>(object - sizeof(link))) link{.older = latest_,
                                                               .newer = nullptr,
                                                               .memory = memory,
                                                               .memory_bytes = *total,
                                                               .memory_alignment = memory_alignment,
                                                               .bytes = bytes,
                                                               .number = latest() + 1};
    if (latest_ != nullptr)
        opened { latest_ } -> newer = made;
    latest_ = made;
    poison::no_access(made, sizeof(link));
    bytes_ += bytes;
    ++count_;
    return object;
}

void passthrough_chain::deallocate(void* p) noexcept {
    link* const gone = std::launder(link::of(p));
    poison::defined(gone, sizeof(link));
    if (gone->newer != nullptr)
        opened { gone->newer } -> older = gone->older;
    else
        latest_ = gone->older;
    if (gone->older != nullptr)
        opened { gone->older } -> newer = gone->newer;
    bytes_ -= gone->bytes;
    --count_;
    system_resource().deallocate(gone->memory, gone->memory_bytes, gone->memory_alignment);
}

void passthrough_chain::rewind(std::size_t number) noexcept {
    while (latest() > number)
        deallocate(const_cast<std::byte*>(latest_->object()));
}

bool passthrough_chain::owns(const void* p) const noexcept {
    for (link* l = latest_; l != nullptr;) {
        const opened at{l};
        if (address_of(p) - address_of(l->object()) < l->bytes)
            return true;
        l = l->older;
    }
    return false;
}

void* passthrough_chain::newest() const noexcept {
    return latest_ == nullptr ? nullptr : const_cast<std::byte*>(latest_->object());
}

void* passthrough_chain::older_than(const void* p) noexcept {
    link* const older = opened { link::of(p) } -> older;
    return older == nullptr ? nullptr : const_cast<std::byte*>(older->object());
}

void passthrough_chain::list_regions(region_sink& sink) const {
    for (link* l = latest_; l != nullptr;) {
        const opened at{l};
        sink.add({l->object(), l->bytes, region_state::used, true});
        l = l->older;
    }
}

void passthrough_chain::add_to(leak_collector& leaks) const noexcept {
    for (void* p = newest(); p != nullptr; p = older_than(p))
        leaks.add(p, size_of(p));
}

std::size_t passthrough_chain::size_of(const void* p) noexcept {
    return opened { link::of(p) } -> bytes;
}

std::size_t passthrough_chain::latest() const noexcept {
    return latest_ == nullptr ? 0 : opened { latest_ } -> number;
}

} // namespace ARENITE_ABI
} // namespace arenite
