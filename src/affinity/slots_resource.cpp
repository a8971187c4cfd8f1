// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/slots_resource.hpp>

#include <arenite/block/colouring.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/check/poison.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/size.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/os/platform.hpp>

#include "region_joiner.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

namespace arenite::inline ARENITE_ABI {

namespace {

constexpr std::size_t least_alignment = 4;
constexpr std::size_t large_divisor = 8; // no new block for a request of more than this share
constexpr std::size_t align_divisor = 4; // nor one for an alignment of more than this
constexpr std::size_t coloured = 64_KiB; // blocks of fewer bytes have no colours
constexpr int looks = 8;                 // at slots that an alignment may make too short

} // namespace

// ---- the maps -----------------------------------------------------------------------------------

/// A slot, used or free. Slots tile their block.
struct slots_resource::node {
    node* left; ///< in the map it is in
    node* right;
    node* below; ///< neighbours in the block
    node* above;
    std::byte* begin;
    std::uint32_t bytes;
    bool used;

    [[nodiscard]] std::byte* end() const noexcept { return begin + bytes; }

    /// What balances the trees: as good as random, and needs no memory.
    [[nodiscard]] std::uint32_t rank() const noexcept {
        return static_cast<std::uint32_t>(address_of(this) * 0x9e37'79b9'7f4a'7c15u >> 32);
    }
};

struct slots_resource::by_address {
    static bool before(const node& a, const node& b) noexcept { return a.begin < b.begin; }
};

struct slots_resource::by_length {
    static bool before(const node& a, const node& b) noexcept {
        return a.bytes != b.bytes ? a.bytes < b.bytes : a.begin < b.begin;
    }
};

/// A search tree of nodes in the order of `Less` that is also a heap by their ranks.
template <class Less>
struct slots_resource::map {
    static void insert(node*& root, node& entry) noexcept {
        node** link = &root;
        for (const std::uint32_t rank = entry.rank(); *link != nullptr && (*link)->rank() >= rank;)
            link = Less::before(entry, **link) ? &(*link)->left : &(*link)->right;
        node* rest = *link;
        *link = &entry;
        node** low = &entry.left;
        node** high = &entry.right;
        while (rest != nullptr) {
            if (Less::before(*rest, entry)) {
                *low = rest;
                low = &rest->right;
                rest = rest->right;
            } else {
                *high = rest;
                high = &rest->left;
                rest = rest->left;
            }
        }
        *low = *high = nullptr;
    }

    static void erase(node*& root, node& entry) noexcept {
        node** link = &root;
        while (*link != &entry)
            link = Less::before(entry, **link) ? &(*link)->left : &(*link)->right;
        erase_at(link);
    }

    static void erase_at(node** link) noexcept {
        node* low = (*link)->left;
        node* high = (*link)->right;
        while (low != nullptr && high != nullptr) {
            if (low->rank() >= high->rank()) {
                *link = low;
                link = &low->right;
                low = low->right;
            } else {
                *link = high;
                link = &high->left;
                high = high->left;
            }
        }
        *link = low != nullptr ? low : high;
    }

    /// The first of which not_before(node) is true, or nullptr.
    template <class F>
    static node* lower_bound(node* root, F not_before) noexcept {
        node* found = nullptr;
        while (root != nullptr) {
            if (not_before(*root)) {
                found = root;
                root = root->left;
            } else {
                root = root->right;
            }
        }
        return found;
    }
};

/// Stands behind the head of a block.
struct slots_resource::slots {
    node* used;  ///< root of the map
    node* first; ///< the lowest slot

    static slots& of(block& b) noexcept { return *reinterpret_cast<slots*>(&b + 1); }
    static const slots& of(const block& b) noexcept {
        return *reinterpret_cast<const slots*>(&b + 1);
    }

    /// The link to the used slot that begins at p, or nullptr.
    static node** find(block& b, const void* p) noexcept {
        node** link = &of(b).used;
        while (*link != nullptr && (*link)->begin != p)
            link = p < (*link)->begin ? &(*link)->left : &(*link)->right;
        return *link != nullptr ? link : nullptr;
    }
};

slots_resource::node* slots_resource::make_node() noexcept {
    if (nodes_ == nullptr) {
        void* const place = upstream_.try_allocate(sizeof(pool_resource), alignof(pool_resource));
        if (place == nullptr)
            return nullptr;
        nodes_ = ::new (place)
            pool_resource{slot::of<node>(), pool_options{.policy = policy_}, upstream_};
    }
    void* const p = nodes_->try_allocate();
    if (p == nullptr)
        return nullptr;
    ++node_count_;
    return ::new (p) node{};
}

void slots_resource::drop_node(node* gone) noexcept {
    --node_count_;
    nodes_->deallocate(gone);
}

void slots_resource::drop_pool() noexcept {
    if (nodes_ == nullptr)
        return;
    nodes_->~pool_resource();
    upstream_.deallocate(std::exchange(nodes_, nullptr), sizeof(pool_resource),
                         alignof(pool_resource));
}

// ---- making -------------------------------------------------------------------------------------

slots_resource::slots_resource(const slots_options& options) noexcept
    : slots_resource{options, upstream{&page_source()}} {}

slots_resource::slots_resource(const slots_options& options, upstream up) noexcept
    : floor_{is_alignment(options.alignment) ? std::max(options.alignment, least_alignment)
                                             : least_alignment},
      policy_{options.policy}, passes_through_{passthrough()}, upstream_{up},
      source_{
          {.block_bytes = options.block_bytes, .policy = options.policy, .bits = false}, up, this} {
    ARENITE_ASSERT(is_alignment(options.alignment), "an alignment must be a power of two");
}

slots_resource::~slots_resource() {
    if constexpr (checks_enabled) {
        report_leaks();
        for (block* b = source_.blocks().first(); b != nullptr; b = source_.blocks().above(*b)) {
            if ((b->state & block_state::open) == 0)
                continue;
            for (node* n = slots::of(*b).first; n != nullptr;)
                drop_node(std::exchange(n, n->above));
        }
    }
    drop_pool();
}

/// What an allocation takes. 0 for a size of 0 and for one that does not fit a size.
constexpr std::size_t slots_resource::rounded(std::size_t bytes, std::size_t alignment) noexcept {
    return align_up(bytes + (bytes == 0), std::min<std::size_t>(alignment, 16));
}

/// The memory of a block.
std::byte* slots_resource::first_of(const block& b) const noexcept {
    const std::size_t colour =
        source_.mask_bytes() >= coloured ? colour_offset(address_of(&b), source_.mask_bytes()) : 0;
    const auto* const begin = reinterpret_cast<const std::byte*>(&b);
    return const_cast<std::byte*>(begin) + align_up(sizeof(block) + sizeof(slots), 64) + colour;
}

std::byte* slots_resource::end_of(const block& b) noexcept {
    const auto* const begin = reinterpret_cast<const std::byte*>(&b);
    return const_cast<std::byte*>(begin) + b.bytes();
}

// ---- allocate -----------------------------------------------------------------------------------

void* slots_resource::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    ARENITE_ASSERT(is_alignment(alignment), "an alignment must be a power of two");
    if (!is_alignment(alignment) || bytes > max_object_bytes)
        return nullptr;
    alignment = std::max(alignment, floor_);
    if (passes_through_) {
        void* const p = singles_.try_allocate(bytes + (bytes == 0), alignment);
        high_water_ = std::max(high_water_, singles_.bytes());
        return p;
    }
    const std::size_t length = rounded(bytes, alignment);
    const std::size_t most = source_.mask_bytes() / large_divisor;
    std::byte* p = nullptr;
    if (length < source_.mask_bytes() && alignment <= source_.mask_bytes() / align_divisor) {
        node* from = best_fit(length, alignment);
        if (from == nullptr && length <= most) {
            node* const opened = open_block();
            if (opened == nullptr)
                return nullptr;
            from = best_fit(length, alignment);
            if (from == nullptr) // a first block may be short
                close_block(*opened);
        }
        if (from != nullptr) {
            p = take(*from, length, alignment);
            if (p == nullptr) {
                if (from->below == nullptr && from->above == nullptr)
                    close_block(*from);
                return nullptr;
            }
        }
    }
    if (p == nullptr)
        return allocate_large(bytes, align_up(length, granule_bytes), alignment);
    bytes_in_use_ += length;
    high_water_ = std::max(high_water_, bytes_in_use_);
    ++live_;
    poison::undefined(p, bytes);
    return p;
}

/// A block for one object alone.
void* slots_resource::allocate_large(std::size_t bytes, std::size_t size,
                                     std::size_t alignment) noexcept {
    block* const large = source_.try_allocate_large(size, alignment);
    if (large == nullptr)
        return nullptr;
    void* const p = block_source::large_object(*large);
    bytes_in_use_ += size;
    high_water_ = std::max(high_water_, bytes_in_use_);
    ++live_;
    poison::no_access(p, size);
    poison::undefined(p, bytes);
    return p;
}

/// The shortest free slot with room for `length` bytes at an aligned place, the lowest of them;
/// where an alignment makes several too short, one that has room wherever it begins.
slots_resource::node* slots_resource::best_fit(std::size_t length,
                                               std::size_t alignment) const noexcept {
    node* found =
        map<by_length>::lower_bound(free_, [&](const node& n) { return n.bytes >= length; });
    for (int look = 0; look < looks && found != nullptr; ++look) {
        if (found->bytes - length >= padding_for(found->begin, alignment))
            return found;
        found = map<by_length>::lower_bound(
            free_, [&](const node& n) { return by_length::before(*found, n); });
    }
    const std::size_t enough = length + alignment - least_alignment;
    return map<by_length>::lower_bound(free_, [&](const node& n) { return n.bytes >= enough; });
}

/// One free slot more: a whole block.
slots_resource::node* slots_resource::open_block() noexcept {
    node* const whole = make_node();
    if (whole == nullptr)
        return nullptr;
    block* const b = source_.clean();
    if (b == nullptr) {
        drop_node(whole);
        return nullptr;
    }
    source_.open(*b);
    b->live = 0;
    std::byte* const begin = first_of(*b);
    *whole = {.left = nullptr,
              .right = nullptr,
              .below = nullptr,
              .above = nullptr,
              .begin = begin,
              .bytes = static_cast<std::uint32_t>(end_of(*b) - begin),
              .used = false};
    ::new (static_cast<void*>(&slots::of(*b))) slots{.used = nullptr, .first = whole};
    poison::no_access(begin, whole->bytes);
    map<by_length>::insert(free_, *whole);
    return whole;
}

/// Gives up a block that is one free slot.
void slots_resource::close_block(node& whole) noexcept {
    block& b = source_.head_of(whole.begin);
    map<by_length>::erase(free_, whole);
    drop_node(&whole);
    source_.close_empty(b, bytes_in_use_);
}

/// The first aligned `length` bytes of a free slot, in one of their own; what lies before and
/// behind them stays free. nullptr where there is no memory for their nodes; nothing has changed.
std::byte* slots_resource::take(node& from, std::size_t length, std::size_t alignment) noexcept {
    const auto bytes = static_cast<std::uint32_t>(length);
    const auto gap = static_cast<std::uint32_t>(padding_for(from.begin, alignment));
    const std::uint32_t rest = from.bytes - gap - bytes;
    node* before = nullptr;
    node* behind = nullptr;
    if (gap != 0 && (before = make_node()) == nullptr)
        return nullptr;
    if (rest != 0 && (behind = make_node()) == nullptr) {
        if (before != nullptr)
            drop_node(before);
        return nullptr;
    }
    std::byte* const p = from.begin + gap;
    block& b = source_.head_of(p);
    slots& s = slots::of(b);
    map<by_length>::erase(free_, from);
    if (before != nullptr) {
        *before = {nullptr, nullptr, from.below, &from, from.begin, gap, false};
        (from.below != nullptr ? from.below->above : s.first) = before;
        from.below = before;
        map<by_length>::insert(free_, *before);
    }
    if (behind != nullptr) {
        *behind = {nullptr, nullptr, &from, from.above, p + length, rest, false};
        if (from.above != nullptr)
            from.above->below = behind;
        from.above = behind;
        map<by_length>::insert(free_, *behind);
    }
    from.begin = p;
    from.bytes = bytes;
    from.used = true;
    map<by_address>::insert(s.used, from);
    b.live += static_cast<std::int32_t>(length);
    return p;
}

// ---- deallocate ---------------------------------------------------------------------------------

void slots_resource::give_back(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    if (passes_through_)
        return singles_.deallocate(p);
    if constexpr (checks_enabled)
        check_free(p, bytes, alignment);
    block& b = source_.head_of(p);
    if (b.owner != this)
        return refuse_free(p, "it is not of this resource, or is free already");
    if ((b.state & block_state::large) != 0) {
        if (block_source::large_object(b) != p)
            return refuse_free(p, "it points into a large allocation, not to its begin");
        bytes_in_use_ -= block_source::large_bytes(b);
        --live_;
        return source_.deallocate_large(b, bytes_in_use_);
    }
    node** const link = (b.state & block_state::open) != 0 ? slots::find(b, p) : nullptr;
    if (link == nullptr)
        return refuse_free(p, "it is free already, or no allocation begins there");
    node* freed = *link;
    map<by_address>::erase_at(link);
    poison::no_access(p, freed->bytes);
    bytes_in_use_ -= freed->bytes;
    --live_;
    b.live -= static_cast<std::int32_t>(freed->bytes);
    if (node* const below = freed->below; below != nullptr && !below->used) {
        map<by_length>::erase(free_, *below);
        below->bytes += freed->bytes;
        below->above = freed->above;
        if (freed->above != nullptr)
            freed->above->below = below;
        drop_node(std::exchange(freed, below));
    }
    if (node* const above = freed->above; above != nullptr && !above->used) {
        map<by_length>::erase(free_, *above);
        freed->bytes += above->bytes;
        freed->above = above->above;
        if (above->above != nullptr)
            above->above->below = freed;
        drop_node(above);
    }
    if (b.live == 0) {
        drop_node(freed);
        return source_.close_empty(b, bytes_in_use_);
    }
    freed->used = false;
    map<by_length>::insert(free_, *freed);
}

/// In a checked build what is freed is known to be of this resource, and its size to be right.
void slots_resource::check_free(const void* p, std::size_t bytes,
                                std::size_t alignment) const noexcept {
    block* const b = source_.find(p);
    if (b == nullptr)
        return refuse_free(p, "it does not point into memory of this resource");
    std::size_t kept = 0;
    std::size_t wanted = rounded(bytes, std::max(alignment, floor_));
    if ((b->state & block_state::large) != 0) {
        kept = block_source::large_bytes(*b);
        wanted = align_up(wanted, granule_bytes);
    } else {
        node** const link = (b->state & block_state::open) != 0 ? slots::find(*b, p) : nullptr;
        if (link == nullptr)
            return; // told in every build
        kept = (*link)->bytes;
    }
    if (bytes != any_size && wanted != kept)
        contract_violation_f(std::source_location::current(),
                             "%p was freed into slots_resource %p as %zu bytes but allocated as "
                             "%zu",
                             p, static_cast<const void*>(this), wanted, kept);
}

void slots_resource::refuse_free(const void* p, const char* why) const noexcept {
    contract_violation_f(std::source_location::current(), "%p was freed into slots_resource %p: %s",
                         p, static_cast<const void*>(this), why);
}

// ---- what is where ------------------------------------------------------------------------------

std::size_t slots_resource::size_of(const void* p) const noexcept {
    if (passes_through_)
        return passthrough_chain::size_of(p);
    block& b = source_.head_of(p);
    if ((b.state & block_state::large) != 0)
        return block_source::large_bytes(b);
    node** const link = slots::find(b, p);
    if (link == nullptr)
        contract_violation("size_of(p) needs the begin of an allocation");
    return (*link)->bytes;
}

bool slots_resource::owns(const void* p) const noexcept {
    return passes_through_ ? singles_.owns(p) : source_.find(p) != nullptr;
}

arenite::usage slots_resource::usage() const noexcept {
    std::size_t hole = 0;
    for (const node* n = free_; n != nullptr; n = n->right)
        hole = n->bytes;
    hole = hole > default_alignment ? hole - default_alignment : 0;
    const std::size_t clean = source_.mask_bytes() / large_divisor;
    const std::size_t maps =
        nodes_ != nullptr ? nodes_->usage().bytes_reserved + sizeof(pool_resource) : 0;
    return {.bytes_in_use = bytes_in_use_ + singles_.bytes(),
            .bytes_reserved = source_.bytes_reserved() + maps + singles_.bytes(),
            .high_water_bytes = high_water_,
            .live_allocations = live_ + singles_.count(),
            .largest_hole_bytes = std::max(hole, source_.has_clean() ? clean : 0)};
}

void slots_resource::list_regions(region_sink& sink) const {
    singles_.list_regions(sink);
    source_.for_each_kept([&](const std::byte* p, std::size_t bytes) {
        sink.add({p, bytes, region_state::free});
    });
    region_joiner to{sink};
    const std::span<const std::byte> fresh = source_.fresh();
    for (block* b = source_.blocks().first(); b != nullptr; b = source_.blocks().above(*b)) {
        if ((b->state & block_state::large) != 0) {
            to.add_large(*b);
            continue;
        }
        const std::byte* const end = end_of(*b);
        to.add(reinterpret_cast<const std::byte*>(b), first_of(*b), region_state::overhead);
        if ((b->state & block_state::open) == 0)
            to.add(first_of(*b), end, region_state::free);
        else
            for (const node* n = slots::of(*b).first; n != nullptr; n = n->above) {
                if (n->used)
                    to.add_object(n->begin, n->end());
                else
                    to.add(n->begin, n->end(), region_state::free);
            }
        if (!fresh.empty() && end == fresh.data())
            to.add(end, end + fresh.size(), region_state::untouched);
        to.flush();
    }
}

// ---- giving back, end ---------------------------------------------------------------------------

void slots_resource::trim() noexcept {
    source_.trim();
    if (node_count_ == 0)
        drop_pool();
    else
        nodes_->trim();
    if (!source_.purges())
        return;
    for (block* b = source_.blocks().first(); b != nullptr; b = source_.blocks().above(*b)) {
        if ((b->state & block_state::large) != 0)
            continue;
        if ((b->state & block_state::open) == 0) {
            source_.purge(first_of(*b), static_cast<std::size_t>(end_of(*b) - first_of(*b)));
            continue;
        }
        for (const node* n = slots::of(*b).first; n != nullptr; n = n->above)
            if (!n->used && n->bytes >= os::platform::page_bytes())
                source_.purge(n->begin, n->bytes);
    }
}

void slots_resource::report_leaks() noexcept {
    leak_collector leaks{this};
    for (block* b = source_.blocks().first(); b != nullptr; b = source_.blocks().above(*b)) {
        if ((b->state & block_state::large) != 0)
            leaks.add(block_source::large_object(*b), block_source::large_bytes(*b));
        else if ((b->state & block_state::open) != 0)
            for (const node* n = slots::of(*b).first; n != nullptr; n = n->above)
                if (n->used)
                    leaks.add(n->begin, n->bytes);
    }
    leaks.report();
}

} // namespace arenite::inline ARENITE_ABI
