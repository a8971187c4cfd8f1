// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// ARENITE_PASSTHROUGH: every allocation is one of malloc, with a link before it, so that the
// resource still knows all of them in order. First the links, whose table finds an address; then
// allocating, freeing and rewinding; then the reports. The point of this mode is that a memory
// checker sees each object as an allocation of its own; so links are made inaccessible, and opened
// only for the moment of a read (opened). The table answers whether an address is one of the chain
// before anything before it is read.
#include <arenite/check/detail/passthrough_chain.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/system_resource.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <source_location>
#include <utility>

// AddressSanitizer may be in the process though this library is built without it.
#if defined(__ELF__) && !ARENITE_HAS_ASAN
extern "C" [[gnu::weak]] void __asan_describe_address(void* p);
#endif

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

// Stands directly before the memory it describes.
struct passthrough_chain::link {
    link* older;
    link* newer;
    void* memory; // as malloc gave it
    std::size_t memory_bytes;
    std::size_t memory_alignment;
    std::size_t bytes;
    std::size_t number; // rises from old to new

    // By numbers, since p may be anything.
    [[nodiscard]] static link* of(const void* p) noexcept {
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        return reinterpret_cast<link*>(address_of(p) - sizeof(link));
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
    explicit opened(Link* link) noexcept : access_{link, sizeof(Link)}, link_{link} {}
    Link* operator->() const noexcept { return link_; }

private:
    poison::access access_;
    Link* link_;
};

} // namespace

/// The links that are alive, by address. At most half of it is taken, so that a search ends soon.
class passthrough_chain::table {
public:
    static constexpr std::size_t fewest = 32;

    /// Empty; nullptr where there is no memory. `slots` is a power of two.
    [[nodiscard]] static table* make(std::size_t slots) noexcept {
        void* const memory = system_resource().try_allocate(bytes_for(slots), alignof(table));
        return memory == nullptr ? nullptr : ::new (memory) table{slots};
    }
    static void end(table* t) noexcept {
        if (t != nullptr)
            system_resource().deallocate(t, bytes_for(t->slots_), alignof(table));
    }

    [[nodiscard]] std::size_t room() const noexcept { return slots_ / 2; }
    [[nodiscard]] bool has(const link* l) const noexcept {
        return l != nullptr && at(find(l)) == l;
    }
    void insert(link* l) noexcept { at(find(l)) = l; }

    // Entries behind it move up, so that no search ends before one.
    void erase(const link* l) noexcept {
        std::size_t hole = find(l);
        for (std::size_t i = next(hole); at(i) != nullptr; i = next(i)) {
            if (((i - home(at(i))) & (slots_ - 1)) < ((i - hole) & (slots_ - 1)))
                continue; // it lies where a search for it comes by
            at(hole) = at(i);
            hole = i;
        }
        at(hole) = nullptr;
    }

private:
    explicit table(std::size_t slots) noexcept : slots_{slots} {
        std::uninitialized_value_construct_n(links(), slots);
    }
    [[nodiscard]] static std::size_t bytes_for(std::size_t slots) noexcept {
        return sizeof(table) + slots * sizeof(link*);
    }
    [[nodiscard]] link** links() const noexcept {
        return reinterpret_cast<link**>(const_cast<table*>(this) + 1);
    }
    [[nodiscard]] link*& at(std::size_t i) const noexcept { return links()[i]; }
    [[nodiscard]] std::size_t next(std::size_t i) const noexcept { return (i + 1) & (slots_ - 1); }
    [[nodiscard]] std::size_t home(const link* l) const noexcept {
        const std::uint64_t mixed = (address_of(l) / alignof(link)) * 0x9e3779b97f4a7c15u;
        return static_cast<std::size_t>(mixed >> 32) & (slots_ - 1);
    }
    /// Where it is, or would be.
    [[nodiscard]] std::size_t find(const link* l) const noexcept {
        std::size_t i = home(l);
        while (at(i) != nullptr && at(i) != l)
            i = next(i);
        return i;
    }

    std::size_t slots_;
};

passthrough_chain::~passthrough_chain() {
    rewind(0);
    table::end(alive_);
}

// For one more.
bool passthrough_chain::make_room() noexcept {
    if (alive_ != nullptr && count_ < alive_->room())
        return true;
    // Twice the places: room() is half of them.
    table* const larger = table::make(alive_ == nullptr ? table::fewest : 4 * alive_->room());
    if (larger == nullptr)
        return false;
    for (link* l = latest_; l != nullptr;) {
        larger->insert(l);
        l = opened { l } -> older;
    }
    table::end(std::exchange(alive_, larger));
    return true;
}

passthrough_chain::link* passthrough_chain::link_of(const void* p,
                                                    const char* what) const noexcept {
    link* const found = link::of(p);
    if (alive_ == nullptr || !alive_->has(found)) [[unlikely]]
        refuse(p, what);
    return std::launder(found);
}

/// Slow, but only on the way to a message: the checker's own description of the address is worth
/// more than anything here could say.
void passthrough_chain::refuse(const void* p, const char* what) const {
    for (link* l = latest_; l != nullptr;) {
        const opened at{l};
        const std::size_t offset = address_of(p) - address_of(l->object());
        if (offset < at->bytes)
            contract_violation_f(
                std::source_location::current(),
                "%s(%p): this points %zu bytes into the allocation of %zu bytes at %p", what, p,
                offset, at->bytes, static_cast<const void*>(l->object()));
        l = at->older;
    }
#if ARENITE_HAS_ASAN
    __asan_describe_address(const_cast<void*>(p));
#elif defined(__ELF__)
    if (&__asan_describe_address != nullptr)
        __asan_describe_address(const_cast<void*>(p));
#endif
    contract_violation_f(std::source_location::current(),
                         "%s(%p): this was freed already, or was never allocated here "
                         "(ARENITE_PASSTHROUGH: each allocation is one of malloc's)",
                         what, p);
}

void* passthrough_chain::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t memory_alignment = std::max(alignment, alignof(link));
    const auto before = checked_align_up(sizeof(link), memory_alignment);
    const auto total = before ? checked_add(*before, bytes) : std::nullopt;
    if (!total || !make_room())
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
    alive_->insert(made);
    poison::no_access(made, sizeof(link));
    bytes_ += bytes;
    ++count_;
    return object;
}

void passthrough_chain::deallocate(void* p) noexcept {
    link* const gone = link_of(p, "deallocate");
    alive_->erase(gone);
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

/// Numbers rise from old to new, so a position of a linear resource is the number of the latest
/// allocation below it.
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

std::size_t passthrough_chain::size_of(const void* p) const noexcept {
    return opened { link_of(p, "size_of") } -> bytes;
}

std::size_t passthrough_chain::latest() const noexcept {
    return latest_ == nullptr ? 0 : opened { latest_ } -> number;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
