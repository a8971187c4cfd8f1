// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/slots_resource.hpp>

#include <arenite/block/colouring.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/check/poison.hpp>
#include <arenite/core/bits.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/size.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/os/platform.hpp>
#include <arenite/pool/pool_resource.hpp>

#include <arenite/block/region_joiner.hpp>

#include <algorithm>
#include <new>
#include <span>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

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
    node* left; ///< of a free one: in its tree, or the one before it in its list
    node* right;
    node* below; ///< neighbours in the block
    node* above;
    std::byte* begin;
    std::uint32_t bytes;
    bool used;

    [[nodiscard]] std::byte* end() const noexcept { return begin + bytes; }

    /// What balances the tree: as good as random, and needs no memory.
    [[nodiscard]] std::uint32_t rank() const noexcept {
        return static_cast<std::uint32_t>(address_of(this) * 0x9e37'79b9'7f4a'7c15u >> 32);
    }

    /// The order of free slots.
    [[nodiscard]] bool shorter_than(const node& other) const noexcept {
        return bytes != other.bytes ? bytes < other.bytes : begin < other.begin;
    }
};

/// The map of all free slots by length: a list for each short one, with a bit that says whether it
/// holds any, and a tree for longer ones. The tree is in the order of lengths and then addresses,
/// and also a heap by the nodes' ranks.
struct slots_resource::free_slots {
    static constexpr std::size_t unit = least_alignment;
    static constexpr std::size_t short_bytes = 1024;
    static constexpr std::size_t list_count = short_bytes / unit;

    bits::word filled[list_count / bits::word_bits] = {};
    node* lists[list_count] = {};
    node* root = nullptr;

    [[nodiscard]] static bool is_short(std::size_t bytes) noexcept { return bytes <= short_bytes; }
    [[nodiscard]] static std::size_t list_for(std::size_t bytes) noexcept {
        return (bytes - 1) / unit;
    }

    void insert(node& entry) noexcept {
        entry.used = false;
        if (!is_short(entry.bytes))
            return insert_long(entry);
        const std::size_t i = list_for(entry.bytes);
        entry.left = nullptr;
        entry.right = lists[i];
        if (lists[i] != nullptr)
            lists[i]->left = &entry;
        lists[i] = &entry;
        bits::set_run(filled, i, 1);
    }

    void erase(node& entry) noexcept {
        if (!is_short(entry.bytes))
            return erase_long(entry);
        if (entry.right != nullptr)
            entry.right->left = entry.left;
        if (entry.left != nullptr) {
            entry.left->right = entry.right;
            return;
        }
        const std::size_t i = list_for(entry.bytes);
        lists[i] = entry.right;
        if (entry.right == nullptr)
            bits::clear_run(filled, i, 1);
    }

    void insert_long(node& entry) noexcept {
        node** link = &root;
        for (const std::uint32_t rank = entry.rank(); *link != nullptr && (*link)->rank() >= rank;)
            link = entry.shorter_than(**link) ? &(*link)->left : &(*link)->right;
        node* rest = *link;
        *link = &entry;
        node** low = &entry.left;
        node** high = &entry.right;
        while (rest != nullptr) {
            if (rest->shorter_than(entry)) {
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

    void erase_long(node& entry) noexcept {
        node** link = &root;
        while (*link != &entry)
            link = entry.shorter_than(**link) ? &(*link)->left : &(*link)->right;
        node* low = entry.left;
        node* high = entry.right;
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

    /// The first in the tree of which not_before(node) is true, or nullptr.
    template <class F>
    [[nodiscard]] node* first_long(F not_before) const noexcept {
        node* found = nullptr;
        for (node* n = root; n != nullptr;) {
            if (not_before(*n)) {
                found = n;
                n = n->left;
            } else {
                n = n->right;
            }
        }
        return found;
    }

    /// One of the shortest with at least so many bytes, or nullptr.
    [[nodiscard]] node* first(std::size_t bytes) const noexcept {
        if (is_short(bytes)) {
            const std::size_t i = bits::next_set(filled, list_for(bytes), list_count);
            if (i != list_count)
                return lists[i];
        }
        return first_long([=](const node& n) { return n.bytes >= bytes; });
    }

    /// The one after it, or nullptr.
    [[nodiscard]] node* after(const node& n) const noexcept {
        if (!is_short(n.bytes))
            return first_long([&](const node& other) { return n.shorter_than(other); });
        return n.right != nullptr ? n.right : first(n.bytes + unit);
    }

    /// The longest there is.
    [[nodiscard]] std::size_t longest() const noexcept {
        std::size_t bytes = 0;
        for (const node* n = root; n != nullptr; n = n->right)
            bytes = n->bytes;
        for (std::size_t i = list_count; bytes == 0 && i-- != 0;)
            bytes = lists[i] != nullptr ? (i + 1) * unit : 0;
        return bytes;
    }
};

/// What is made with the first node, in memory of the upstream.
struct slots_resource::maps {
    pool_resource nodes;
    std::size_t node_count = 0;
    free_slots free;

    maps(return_policy policy, upstream up) noexcept
        : nodes{slot::of<node>(), pool_options{.policy = policy}, up} {}
};

/// Stands behind the head of a block: its slots in the order of addresses, linked to each other,
/// and for each stretch of some bytes the first that begins in it.
struct slots_resource::slots {
    static constexpr std::size_t stretch_bytes = 256;

    node* first; ///< the lowest slot

    static slots& of(block& b) noexcept { return *reinterpret_cast<slots*>(&b + 1); }
    static const slots& of(const block& b) noexcept {
        return *reinterpret_cast<const slots*>(&b + 1);
    }

    [[nodiscard]] static std::size_t stretches(const block& b) noexcept {
        return b.bytes() / stretch_bytes;
    }
    [[nodiscard]] node*& entry(const block& b, const void* p) noexcept {
        return reinterpret_cast<node**>(this + 1)[(address_of(p) - address_of(&b)) / stretch_bytes];
    }

    /// The used slot that begins at p, or nullptr.
    [[nodiscard]] static node* find(block& b, const void* p) noexcept {
        node* n = of(b).entry(b, p);
        while (n != nullptr && n->begin < p)
            n = n->above;
        return n != nullptr && n->begin == p && n->used ? n : nullptr;
    }

    void enter(const block& b, node& n) noexcept {
        node*& there = entry(b, n.begin);
        if (there == nullptr || there->begin > n.begin)
            there = &n;
    }

    /// Before its links are changed.
    void remove(const block& b, node& n) noexcept {
        node*& there = entry(b, n.begin);
        if (there != &n)
            return;
        there = n.above != nullptr && &entry(b, n.above->begin) == &there ? n.above : nullptr;
    }
};

slots_resource::node* slots_resource::make_node() noexcept {
    if (maps_ == nullptr) {
        void* const place = upstream_.try_allocate(sizeof(maps), alignof(maps));
        if (place == nullptr)
            return nullptr;
        maps_ = ::new (place) maps{policy_, upstream_};
    }
    void* const p = maps_->nodes.try_allocate();
    if (p == nullptr)
        return nullptr;
    ++maps_->node_count;
    return static_cast<node*>(p);
}

void slots_resource::drop_node(node* gone) noexcept {
    --maps_->node_count;
    maps_->nodes.deallocate(gone);
}

void slots_resource::drop_maps() noexcept {
    if (maps_ == nullptr)
        return;
    maps_->~maps();
    upstream_.deallocate(std::exchange(maps_, nullptr), sizeof(maps), alignof(maps));
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
    drop_maps();
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
    const std::size_t head = sizeof(block) + sizeof(slots) + slots::stretches(b) * sizeof(node*);
    return const_cast<std::byte*>(begin) + align_up(head, 64) + colour;
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
        fit found = best_fit(length, alignment);
        if (found.slot == nullptr && length <= most) {
            node* const opened = open_block();
            if (opened == nullptr)
                return nullptr;
            found = best_fit(length, alignment);
            if (found.slot == nullptr) // a first block may be short
                close_block(*opened);
        }
        if (found.slot != nullptr) {
            p = take(found, length, alignment);
            if (p == nullptr) {
                if (found.slot->below == nullptr && found.slot->above == nullptr)
                    close_block(*found.slot);
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

/// The shortest free slot with room for `length` bytes at an aligned place; where an alignment
/// makes several too short, one that has room wherever it begins.
slots_resource::fit slots_resource::best_fit(std::size_t length,
                                             std::size_t alignment) const noexcept {
    if (maps_ == nullptr)
        return {};
    const free_slots& free = maps_->free;
    node* found = free.first(length);
    for (int look = 0; look < looks && found != nullptr; ++look) {
        if (found->bytes - length >= padding_for(found->begin, alignment))
            return {found, look == 0};
        found = free.after(*found);
    }
    return {free.first(length + alignment - least_alignment), false};
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
    whole->below = whole->above = nullptr;
    whole->begin = begin;
    whole->bytes = static_cast<std::uint32_t>(end_of(*b) - begin);
    slots& s = *::new (static_cast<void*>(&slots::of(*b))) slots{.first = whole};
    ::new (static_cast<void*>(&s + 1)) node* [slots::stretches(*b)] {};
    s.enter(*b, *whole);
    poison::no_access(begin, whole->bytes);
    maps_->free.insert(*whole);
    return whole;
}

/// Gives up a block that is one free slot.
void slots_resource::close_block(node& whole) noexcept {
    block& b = source_.head_of(whole.begin);
    maps_->free.erase(whole);
    drop_node(&whole);
    source_.close_empty(b, bytes_in_use_);
}

/// The first aligned `length` bytes of a free slot, in one of their own; what lies before and
/// behind them stays free. nullptr where there is no memory for their nodes; nothing has changed.
std::byte* slots_resource::take(fit found, std::size_t length, std::size_t alignment) noexcept {
    node& from = *found.slot;
    const auto bytes = static_cast<std::uint32_t>(length);
    const auto gap = static_cast<std::uint32_t>(padding_for(from.begin, alignment));
    const std::uint32_t rest = from.bytes - gap - bytes;
    node* taken = &from;
    node* behind = nullptr;
    if ((gap != 0 || rest != 0) && (taken = make_node()) == nullptr)
        return nullptr;
    if (gap != 0 && rest != 0 && (behind = make_node()) == nullptr) {
        drop_node(taken);
        return nullptr;
    }
    free_slots& free = maps_->free;
    std::byte* const p = from.begin + gap;
    block& b = source_.head_of(p);
    slots& s = slots::of(b);
    if (gap == 0 && rest == 0) {
        free.erase(from);
    } else if (gap == 0) { // the rest keeps its node, and mostly its place in the map
        const bool stays = found.is_first && rest >= length && !free_slots::is_short(rest);
        if (!stays)
            free.erase(from);
        taken->begin = p;
        taken->below = from.below;
        taken->above = &from;
        (from.below != nullptr ? from.below->above : s.first) = taken;
        from.below = taken;
        if (node*& there = s.entry(b, p); there == &from)
            there = taken;
        from.begin = p + length;
        from.bytes = rest;
        s.enter(b, from);
        if (!stays)
            free.insert(from);
    } else {
        free.erase(from);
        from.bytes = gap;
        taken->begin = p;
        taken->below = &from;
        taken->above = from.above;
        from.above = taken;
        if (rest != 0) {
            behind->begin = p + length;
            behind->bytes = rest;
            behind->below = taken;
            behind->above = taken->above;
            taken->above = behind;
        }
        node* const last = rest != 0 ? behind : taken;
        if (last->above != nullptr)
            last->above->below = last;
        s.enter(b, *taken);
        if (rest != 0) {
            s.enter(b, *behind);
            free.insert(*behind);
        }
        free.insert(from);
    }
    taken->bytes = bytes;
    taken->used = true;
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
    node* freed = (b.state & block_state::open) != 0 ? slots::find(b, p) : nullptr;
    if (freed == nullptr)
        return refuse_free(p, "it is free already, or no allocation begins there");
    poison::no_access(p, freed->bytes);
    bytes_in_use_ -= freed->bytes;
    --live_;
    b.live -= static_cast<std::int32_t>(freed->bytes);
    slots& s = slots::of(b);
    free_slots& free = maps_->free;
    if (node* const above = freed->above; above != nullptr && !above->used) {
        s.remove(b, *above);
        free.erase(*above);
        freed->bytes += above->bytes;
        freed->above = above->above;
        if (above->above != nullptr)
            above->above->below = freed;
        drop_node(above);
    }
    if (node* const below = freed->below; below != nullptr && !below->used) {
        s.remove(b, *freed);
        free.erase(*below);
        below->bytes += freed->bytes;
        below->above = freed->above;
        if (freed->above != nullptr)
            freed->above->below = below;
        drop_node(std::exchange(freed, below));
    }
    if (b.live == 0) {
        drop_node(freed);
        return source_.close_empty(b, bytes_in_use_);
    }
    free.insert(*freed);
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
        const node* const n = (b->state & block_state::open) != 0 ? slots::find(*b, p) : nullptr;
        if (n == nullptr)
            return; // told in every build
        kept = n->bytes;
    }
    if (bytes != any_size && wanted != kept)
        contract_violation_f(std::source_location::current(),
                             "%p was freed into slots_resource %p as %zu bytes but allocated as "
                             "%zu",
                             p, static_cast<const void*>(this), wanted, kept);
}

void slots_resource::refuse_free(const void* p, const char* why) const noexcept {
    // The object that begins at p or before it in its block helps to find out whose pointer it was.
    const block* const b = source_.find(p);
    const node* object = nullptr;
    if (b != nullptr && (b->state & block_state::open) != 0)
        for (const node* n = slots::of(*b).first; n != nullptr && n->begin <= p; n = n->above)
            object = n->used ? n : object;
    if (object != nullptr)
        contract_violation_f(std::source_location::current(),
                             "%p was freed into slots_resource %p: %s; the nearest object below "
                             "begins at %p and has %zu bytes",
                             p, static_cast<const void*>(this), why,
                             static_cast<const void*>(object->begin), std::size_t{object->bytes});
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
    const node* const n = slots::find(b, p);
    if (n == nullptr)
        contract_violation("size_of(p) needs the begin of an allocation");
    return n->bytes;
}

bool slots_resource::owns(const void* p) const noexcept {
    return passes_through_ ? singles_.owns(p) : source_.find(p) != nullptr;
}

arenite::usage slots_resource::usage() const noexcept {
    std::size_t hole = maps_ != nullptr ? maps_->free.longest() : 0;
    hole = hole > default_alignment ? hole - default_alignment : 0;
    const std::size_t clean = source_.mask_bytes() / large_divisor;
    const std::size_t kept =
        maps_ != nullptr ? maps_->nodes.usage().bytes_reserved + sizeof(maps) : 0;
    return {.bytes_in_use = bytes_in_use_ + singles_.bytes(),
            .bytes_reserved = source_.bytes_reserved() + kept + singles_.bytes(),
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
    if (maps_ != nullptr && maps_->node_count == 0)
        drop_maps();
    else if (maps_ != nullptr)
        maps_->nodes.trim();
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

} // namespace ARENITE_ABI
} // namespace arenite
