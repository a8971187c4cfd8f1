// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/ordered_heap.hpp>

#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/check/poison.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/glance.hpp>
#include <arenite/core/size.hpp>
#include <arenite/os/page_resource.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <new>
#include <span>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

// The share of a block that must be freed before it is swept again, and that a request may take of
// one.
constexpr std::size_t sweep_divisor = 8;
constexpr std::size_t large_divisor = 8;

// Beside the sweep, memory is looked for in this many blocks that wait to be swept, before a new
// one: a hole of this share of a block (2 KiB of 256) at least.
constexpr int looks_beside = 4;
constexpr std::size_t long_hole_divisor = 128;

/// Checked builds and memory checkers make every heap keep its sizes, for its own use.
constexpr bool always_careful = checks_enabled || poison::active;

// A sweep that finds no hole for a request goes on for smaller ones if this share of the block is
// left.
constexpr std::size_t rich_divisor = 16;

} // namespace

ordered_heap::ordered_heap(const ordered_options& options) noexcept
    : ordered_heap{options, upstream{&page_source()}} {}

ordered_heap::ordered_heap(const ordered_options& options, upstream up) noexcept
    : source_{{.block_bytes = options.block_bytes,
               .policy = options.policy,
               .prefault = options.prefault,
               .ends = options.sizes == sizes::kept || always_careful},
              up,
              this},
      kept_{options.sizes == sizes::kept}, careful_{kept_ || always_careful},
      passes_through_{passthrough()},
      wants_magazine_{options.magazine && !careful_ && !passes_through_} {
    open_ = careful_ || wants_magazine_ ? &hidden_ : &inline_;
    mask_ = ~(source_.mask_bytes() - 1);
    noted_limit_ = open_ == &hidden_ || passes_through_ ? 0 : source_.mask_bytes() / large_divisor;
    if (!passes_through_ && (options.eager || options.prefault)) {
        if (block* const first = source_.clean(); first != nullptr)
            enter(*first);
    }
}

ordered_heap::~ordered_heap() {
    if constexpr (checks_enabled) {
        if (leaks_)
            report_leaks();
    }
}

// ---- allocate -----------------------------------------------------------------------------------

/// What the inlined part can't serve. Mostly the open hole is used up and the next one is near.
void* ordered_heap::allocate_slow(std::size_t bytes, std::size_t alignment) noexcept {
    const detail::amid_change mark{busy_};
    if (below_.limit != nullptr) {
        if (void* const p = step_forward(rounded(bytes, alignment), alignment))
            return p;
    }
    if (bytes - 1 < bits::word_bits * granule_bytes && alignment <= granule_bytes &&
        is_alignment(alignment) && swept_ != nullptr && !careful_) [[likely]] {
        const std::size_t granules = granules_for(bytes);
        if (magazine_ != nullptr && magazine::holds(granules)) {
            if (void* const p = magazine_->take(granules)) {
                in_magazine_ -= granules * granule_bytes;
                return p;
            }
        }
        if (open_->bytes() >= bytes || (granules < no_fit_ && next_hole(granules))) {
            void* const p = open_->cursor;
            open_->cursor += granules * granule_bytes;
            return p;
        }
    }
    return allocate_rare(bytes, alignment);
}

/// Opens the next hole of at least `granules` (64 at most) in the block being swept, if it begins
/// within a few words from here; leaves the open one for it.
bool ordered_heap::next_hole(std::size_t granules) noexcept {
    constexpr std::size_t near = 16;
    block& b = *swept_;
    bits::word* const words = b.occupancy();
    const std::size_t last = std::min(position_ / bits::word_bits + near, b.words());
    std::size_t i = position_ / bits::word_bits;
    std::size_t skip = position_ % bits::word_bits;
    bits::word passed = 0; // bits of holes that are too small
    for (; i < last; ++i, skip = 0) {
        const bits::word clear = ~words[i] & (~bits::word{0} << skip);
        std::size_t begin = 0;
        if (const bits::word starts = bits::run_starts(clear, granules); starts != 0)
            begin = static_cast<std::size_t>(std::countr_zero(starts));
        else if (const int top = std::countl_one(clear); top != 0)
            begin = bits::word_bits - static_cast<std::size_t>(top);
        else {
            passed |= clear;
            continue;
        }
        const auto here = static_cast<std::size_t>(std::countr_one(clear >> begin));
        std::size_t run = here;
        if (begin + here == bits::word_bits && i + 1 < b.words()) {
            const auto more = static_cast<std::size_t>(std::countr_zero(words[i + 1]));
            if (more == bits::word_bits) // long: found by the usual way
                return false;
            run += more;
            if (run >= granules)
                words[i + 1] |= bits::low_mask(more);
        }
        if (run < granules) {
            passed |= clear;
            continue;
        }
        passed |= clear & bits::low_mask(begin);
        words[i] |= bits::low_mask(here) << begin;
        if (open_->bytes() != 0) {
            passed = 1;
            close(b, *open_);
        }
        if (passed != 0)
            passed_ = std::max(passed_, granules);
        b.live += static_cast<std::int32_t>(run);
        taken_ += static_cast<std::int64_t>(run);
        unclaimed_ -= static_cast<std::int64_t>(run);
        smallest_ = std::min(smallest_, granules);
        deflected_ = 0;
        position_ = i * bits::word_bits + begin + run;
        open_->cursor = b.at(i * bits::word_bits + begin);
        open_->limit = open_->cursor + run * granule_bytes;
        return true;
    }
    return false;
}

void* ordered_heap::allocate_rare(std::size_t bytes, std::size_t alignment) noexcept {
    ARENITE_ASSERT(is_alignment(alignment), "an alignment must be a power of two");
    if (!is_alignment(alignment) || bytes > max_object_bytes)
        return nullptr;
    if (bytes == 0)
        bytes = 1;
    clear_noted();
    note_high_water();
    if (passes_through_)
        return singles_.try_allocate(bytes, alignment);
    const std::size_t size = rounded(bytes, alignment);
    void* p = from_window(*open_, size, alignment);
    const std::size_t largest = source_.mask_bytes() / large_divisor;
    const bool large = size > largest || alignment > largest / 2;
    if (p == nullptr && large && size <= 4 * largest && alignment <= largest &&
        source_.blocks().has(block_state::unseen | block_state::empty))
        p = from_clean(size, alignment,
                       false); // before a block for it alone, what is there already
    if (p == nullptr && large)
        return allocate_large(bytes, size, alignment);
    if (p == nullptr)
        p = search(size, alignment);
    if (p != nullptr && careful_) {
        block& b = *block_of(p);
        bits::set_run(b.ends(), b.index_of(p) + size / granule_bytes - 1, 1);
        ++live_;
        poison::undefined(p, bytes);
    }
    return p;
}

/// A block for one object alone.
void* ordered_heap::allocate_large(std::size_t bytes, std::size_t size,
                                   std::size_t alignment) noexcept {
    block* const large = source_.try_allocate_large(size, alignment);
    if (large == nullptr)
        return nullptr;
    void* const p = block_source::large_object(*large);
    large_bytes_ += size;
    ++live_;
    poison::no_access(p, size);
    poison::undefined(p, bytes);
    return p;
}

/// The next `size` bytes of a window at a multiple of the alignment. What is skipped for it is free
/// again.
void* ordered_heap::from_window(window& from, std::size_t size, std::size_t alignment) noexcept {
    const std::size_t gap = padding_for(from.cursor, alignment);
    if (from.bytes() < size || from.bytes() - size < gap)
        return nullptr;
    std::byte* const p = from.cursor + gap;
    if (gap != 0) {
        block& b = *block_of(from.cursor);
        release(b, b.index_of(from.cursor), gap / granule_bytes);
    }
    from.cursor = p + size;
    return p;
}

/// A hole for a request that the open one has no room for.
void* ordered_heap::search(std::size_t size, std::size_t alignment) noexcept {
    const std::size_t granules = size / granule_bytes;
    if (swept_ != nullptr) {
        smallest_ = std::min(smallest_, granules);
        if (void* p = advance(size, alignment))
            return p;
        // The last of what is asked fits nowhere any more: the sweep has reached the end.
        const bool go_on = granules > smallest_ && deflected_ < swept_->bytes() && fits_ahead();
        if (go_on) {
            if (void* p = from_clean(size, alignment, true)) {
                deflected_ += size;
                return p;
            }
            return from_anywhere(size, alignment);
        }
        passed_ = std::max(passed_, granules); // over all that is left
        leave(true);
    }
    if (block* b = source_.blocks().lowest(static_cast<std::uint16_t>(
            block_state::sweepable | block_state::empty | block_state::holes_for(granules)))) {
        enter(*b);
        smallest_ = std::min(smallest_, granules);
        if (void* p = advance(size, alignment))
            return p;
        // One look at one block: from a clean one then, and this one stays for smaller requests.
        if (void* p = from_clean(size, alignment, true)) {
            deflected_ += size;
            return p;
        }
        return from_anywhere(size, alignment);
    }
    // Nothing to sweep: go on in the clean block, or in a new one.
    if (clean_block_ == nullptr) {
        clean_block_ = source_.clean();
        if (clean_block_ == nullptr)
            return from_anywhere(size, alignment);
        claim_all(*clean_block_, clean_);
    }
    swept_ = clean_block_;
    *open_ = clean_;
    position_ = swept_->index_of(clean_.limit);
    no_fit_ = std::numeric_limits<std::size_t>::max();
    smallest_ = granules;
    passed_ = 0;
    deflected_ = 0;
    unclaimed_ = 0;
    count_again_ = 0;
    clean_block_ = nullptr;
    clean_ = {};
    if (void* p = from_window(*open_, size, alignment))
        return p;
    // Only what the clean block had been used for before can be in the way.
    leave(false);
    block* const b = source_.clean();
    if (b == nullptr)
        return from_anywhere(size, alignment);
    enter(*b);
    return from_window(*open_, size, alignment);
}

/// The next hole up in the block being swept that has room; leaves the open one.
void* ordered_heap::advance(std::size_t size, std::size_t alignment) noexcept {
    if (void* p = from_window(*open_, size, alignment)) // an empty block is open as a whole
        return p;
    std::size_t needed = size / granule_bytes;
    if (alignment > 16) // room wherever the hole begins, so that one look at each word is enough
        needed += alignment / granule_bytes - 1;
    if (needed >= no_fit_)
        return nullptr;
    const hole found = swept_->find_hole(position_, needed, std::min<std::size_t>(alignment, 16));
    if (found.empty()) {
        no_fit_ = needed;
        return nullptr;
    }
    if (open_->bytes() != 0 ||
        bits::next_clear(swept_->occupancy(), position_, found.first) != found.first)
        passed_ = std::max(passed_, size / granule_bytes);
    close(*swept_, *open_);
    claim(*swept_, found, *open_);
    position_ = found.last;
    deflected_ = 0;
    return from_window(*open_, size, alignment);
}

/// True if the sweep still has enough before it to serve smaller requests. Counted anew as it goes
/// on.
bool ordered_heap::fits_ahead() noexcept {
    if (position_ < count_again_)
        return true;
    count_again_ = position_ + swept_->granules / rich_divisor;
    const std::size_t ahead = swept_->granules - position_;
    const std::size_t taken = bits::count_set(swept_->occupancy(), position_, ahead);
    return (ahead - taken) * granule_bytes + open_->bytes() >= swept_->bytes() / rich_divisor;
}

/// Memory beside the sweep: a long hole of a block that waits to be swept, or a block that is
/// empty; with `grow` a new one too.
void* ordered_heap::from_clean(std::size_t size, std::size_t alignment, bool grow) noexcept {
    if (clean_block_ != nullptr) {
        if (void* p = from_window(clean_, size, alignment))
            return p;
        // First, since what becomes empty by it may go back to the upstream.
        close(*clean_block_, clean_);
        retire(*std::exchange(clean_block_, nullptr), 0, 0);
    }
    // Each look is at all of a block, and pays for itself by a hole of this length.
    const std::size_t gap = alignment > granule_bytes ? alignment - granule_bytes : 0;
    const std::size_t room = std::max(source_.mask_bytes() / long_hole_divisor, size + gap);
    block_list& blocks = source_.blocks();
    block* next = nullptr;
    hole found;
    for (int look = 0; look < looks_beside && found.empty(); ++look) {
        next = blocks.lowest(block_state::unseen, look_from_);
        if (next == nullptr)
            next = blocks.lowest(block_state::unseen);
        if (next == nullptr)
            break;
        look_from_ = next;
        found = next->find_hole(0, room / granule_bytes);
        if (found.empty()) {
            look_from_ = next->at(1);
            if (room <= source_.mask_bytes() / long_hole_divisor)
                blocks.set_state(*next, block_state::sweepable);
        }
    }
    if (found.empty())
        next = grow ? source_.clean() : blocks.lowest(block_state::empty);
    if (next == nullptr)
        return nullptr;
    clean_block_ = next;
    if (found.empty()) {
        claim_all(*next, clean_);
    } else {
        source_.open(*next);
        claim(*next, found, clean_);
    }
    return from_window(clean_, size, alignment);
}

/// The last resort where the upstream gives nothing: any hole of any block, lowest first.
void* ordered_heap::from_anywhere(std::size_t size, std::size_t alignment) noexcept {
    if (!source_.may_grow())
        return nullptr; // the upstream was not asked
    unload_magazine();
    close_all();
    for (block* b = source_.blocks().first(); b != nullptr; b = source_.blocks().above(*b)) {
        if ((b->state & block_state::large) != 0)
            continue;
        const hole found = b->find_hole(0, size / granule_bytes, alignment);
        if (found.empty())
            continue;
        enter(*b);
        if (open_->bytes() == 0) {
            claim(*b, found, *open_);
            position_ = found.last;
        }
        return from_window(*open_, size, alignment);
    }
    return nullptr;
}

// ---- blocks in use ------------------------------------------------------------------------------

/// Makes a block the one being swept.
void ordered_heap::enter(block& entered) noexcept {
    swept_ = &entered;
    no_fit_ = std::numeric_limits<std::size_t>::max();
    smallest_ = std::numeric_limits<std::size_t>::max();
    passed_ = 0;
    deflected_ = 0;
    unclaimed_ =
        static_cast<std::int64_t>(entered.granules - source_.head_granules(entered)) - entered.live;
    count_again_ = 0;
    if ((entered.state & block_state::empty) != 0) {
        claim_all(entered, *open_);
        position_ = entered.granules;
    } else {
        source_.open(entered);
        position_ = source_.head_granules(entered);
        *open_ = {};
    }
}

/// Gives up the block being swept. `at_end`: what it has free was looked at and found wanting.
void ordered_heap::leave(bool at_end) noexcept {
    if (below_.limit != nullptr)
        static_cast<void>(step_forward(0, 1));
    block& left = *swept_;
    close(left, *open_);
    swept_ = nullptr;
    retire(left, at_end ? std::max<std::int64_t>(unclaimed_, 0) : 0, passed_);
}

/// Sets a hole aside that was freed just now, a little below the cursor: temporaries leave such
/// ones behind them, and the next ones shall not each leave another. False where that helped nobody
/// lately.
bool ordered_heap::step_back(window hole) noexcept {
    constexpr int patience = 64;              // holes left alone before one more is tried
    constexpr std::size_t most_joined = 4096; // bytes
    if (swept_ == nullptr || block_of(hole.cursor) != swept_)
        return false;
    if (trust_ == 0) {
        if (++refused_ < patience)
            return false;
        refused_ = 0;
        trust_ = 1;
    }
    const detail::amid_change mark{busy_};
    note_high_water();
    // What the one before it did not use of the same hole.
    block& b = *swept_;
    const std::size_t last = b.index_of(hole.limit);
    const std::size_t end =
        bits::next_set(b.occupancy(), last,
                       std::min(last + most_joined / granule_bytes, b.index_of(inline_.cursor)));
    if (end != last) {
        bits::set_run(b.occupancy(), last, end - last);
        b.live += static_cast<std::int32_t>(end - last);
        taken_ += static_cast<std::int64_t>(end - last);
        hole.limit = b.at(end);
    }
    below_ = hole;
    ahead_ = std::exchange(inline_, {});
    return true;
}

/// The request after a step back: from the hole set aside, if it fits. The rest of that is free,
/// and the window that was open before it is open again.
void* ordered_heap::step_forward(std::size_t size, std::size_t alignment) noexcept {
    constexpr int most_trust = 8;
    window hole = std::exchange(below_, {});
    inline_ = std::exchange(ahead_, {});
    if (freed_.limit == inline_.cursor && freed_.limit != nullptr) // meanwhile the latest was freed
        inline_.cursor = std::exchange(freed_, {}).cursor;
    void* p = nullptr;
    if (size - 1 < hole.bytes() && is_alignment(alignment) && is_aligned(hole.cursor, alignment)) {
        p = hole.cursor;
        hole.cursor += size;
    }
    trust_ = p == nullptr ? trust_ - 1 : std::min(trust_ + 1, most_trust);
    if (const std::size_t granules = hole.bytes() / granule_bytes; granules != 0)
        release(*swept_, swept_->index_of(hole.cursor), granules);
    return p;
}

/// Gives the unused tail of an open hole back to its block.
void ordered_heap::close(block& in, window& tail) noexcept {
    if (const std::size_t granules = tail.bytes() / granule_bytes; granules != 0) {
        release(in, in.index_of(tail.cursor), granules);
        if (&in == swept_)
            unclaimed_ += static_cast<std::int64_t>(granules);
    }
    tail = {};
}

/// Leaves no hole open.
void ordered_heap::close_all() noexcept {
    if (swept_ != nullptr)
        leave(false);
    if (clean_block_ != nullptr) {
        close(*clean_block_, clean_);
        retire(*std::exchange(clean_block_, nullptr), 0, 0);
    }
}

/// Takes a hole whole.
void ordered_heap::claim(block& in, hole found, window& into) noexcept {
    bits::set_run(in.occupancy(), found.first, found.granules());
    in.live += static_cast<std::int32_t>(found.granules());
    taken_ += static_cast<std::int64_t>(found.granules());
    if (&in == swept_)
        unclaimed_ -= static_cast<std::int64_t>(found.granules());
    into = {in.at(found.first), in.at(found.last)};
}

/// Takes all of an empty block, in state empty.
void ordered_heap::claim_all(block& in, window& into) noexcept {
    source_.open(in);
    claim(in, {source_.head_granules(in), in.granules}, into);
}

/// Frees granules of a block that is open.
void ordered_heap::release(block& in, std::size_t first, std::size_t granules) noexcept {
    bits::clear_run(in.occupancy(), first, granules);
    in.live -= static_cast<std::int32_t>(granules);
    taken_ -= static_cast<std::int64_t>(granules);
}

/// Puts a block that was open into the state it has earned. `skipped`: free granules that a sweep
/// of it passed over for requests of up to `passed`; for those they alone are no reason to sweep it
/// again.
void ordered_heap::retire(block& retired, std::int64_t skipped, std::size_t passed) noexcept {
    if (retired.live == 0)
        return source_.close_empty(retired, bytes_in_use());
    const auto share = static_cast<std::int64_t>(retired.granules / sweep_divisor);
    const auto most = static_cast<std::int64_t>(retired.granules - source_.head_granules(retired));
    const std::int64_t found = most - retired.live - skipped;
    std::uint16_t state = 0;
    retired.alarm = 0;
    if (found >= share) {
        state = block_state::sweepable | block_state::unseen;
    } else {
        if (found + skipped >= share)
            state = block_state::smaller_holes(passed);
        retired.alarm =
            static_cast<std::int32_t>(std::max<std::int64_t>(0, retired.live - (share - found)));
    }
    source_.blocks().set_state(retired, state);
}

// ---- deallocate ---------------------------------------------------------------------------------

/// What the inlined part does not note.
void ordered_heap::deallocate_slow(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    const detail::amid_change mark{busy_};
    if (wants_magazine_ && alignment <= source_.mask_bytes() / large_divisor / 2) [[likely]] {
        const std::size_t granules = rounded(bytes + (bytes == 0), alignment) / granule_bytes;
        if (magazine::holds(granules) && (magazine_ != nullptr || load_magazine())) {
            if (magazine_->latest(granules) == p) [[unlikely]]
                return refuse_free(
                    {static_cast<std::byte*>(p), static_cast<std::byte*>(p) + bytes});
            in_magazine_ += granules * granule_bytes;
            if (magazine_->put(p, granules))
                return;
            magazine_->take_oldest(granules, magazine::depth(granules) / 2, [&](void* old) {
                auto* const at = static_cast<std::byte*>(old);
                in_magazine_ -= granules * granule_bytes;
                if (!clear_within_word({at, at + granules * granule_bytes}, granules))
                    clear({at, at + granules * granule_bytes});
            });
            static_cast<void>(magazine_->put(p, granules));
            return;
        }
    }
    deallocate_rare(p, bytes, alignment);
}

/// The magazine lies in the heap's own memory, among its objects.
bool ordered_heap::load_magazine() noexcept {
    constexpr std::size_t size = align_up(sizeof(magazine), granule_bytes);
    if (size > source_.mask_bytes() / large_divisor)
        return false;
    void* p = from_window(*open_, size, alignof(magazine));
    if (p == nullptr)
        p = search(size, alignof(magazine));
    if (p == nullptr)
        return false;
    magazine_ = ::new (p) magazine;
    in_magazine_ = size;
    return true;
}

/// Gives back what is in the magazine, and itself.
void ordered_heap::unload_magazine() noexcept {
    if (magazine_ == nullptr)
        return;
    const detail::amid_change mark{busy_};
    in_magazine_ = 0;
    for (std::size_t granules = 1; granules <= magazine::largest; ++granules)
        magazine_->take_oldest(granules, magazine::depth(granules), [&](void* old) {
            auto* const at = static_cast<std::byte*>(old);
            clear({at, at + granules * granule_bytes});
        });
    auto* const at = reinterpret_cast<std::byte*>(std::exchange(magazine_, nullptr));
    clear({at, at + align_up(sizeof(magazine), granule_bytes)});
}

void ordered_heap::deallocate_rare(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    if (passes_through_) {
        note_high_water();
        return singles_.deallocate(p);
    }
    clear_noted();
    note_high_water();
    block& b = head_of(p);
    std::size_t size = rounded(bytes + (bytes == 0), alignment);
    if constexpr (checks_enabled)
        check_free(b, p, size);
    auto* const at = static_cast<std::byte*>(p);
    if (b.owner != this) {
        if (elsewhere_ != nullptr)
            return elsewhere_(*this, p, size);
        return refuse_free({at, at + size});
    }
    if ((b.state & block_state::large) != 0) {
        if (at != block_source::large_object(b))
            return refuse_free({at, at + size});
        large_bytes_ -= block_source::large_bytes(b);
        --live_;
        return source_.deallocate_large(b, bytes_in_use());
    }
    if (careful_) {
        size = kept_size(b, p);
        const std::size_t first = b.index_of(p);
        if (in_open_hole(p) || !bits::all_set(b.occupancy(), first, size / granule_bytes))
            return refuse_free({at, at + size});
        bits::clear_run(b.ends(), first + size / granule_bytes - 1, 1);
        poison::no_access(p, size);
        --live_;
    }
    clear({at, at + size});
}

/// True for memory that is taken but handed out to nobody.
bool ordered_heap::in_open_hole(const void* p) const noexcept {
    const auto* const at = static_cast<const std::byte*>(p);
    const auto in = [&](const window& w) { return at >= w.cursor && at < w.limit; };
    return in(*open_) || in(clean_) || in(ahead_) || in(below_);
}

/// Joins a run of frees with the one noted before it, as the parts of a tree that is taken down do;
/// where they are no neighbours, clears that one.
void ordered_heap::clear_or_join(window run) noexcept {
    const detail::amid_change mark{busy_};
    if (run.cursor == freed_before_.limit) {
        freed_before_.limit = run.limit;
    } else if (run.limit == freed_before_.cursor) {
        freed_before_.cursor = run.cursor;
    } else if (run.bytes() - 1 < smallest_joined) { // in no order, of several sizes
        if (!clear_within_word(run, run.bytes() / granule_bytes))
            clear(run);
    } else {
        begin_run(run);
    }
}

void ordered_heap::begin_run(window run) noexcept {
    if (run.bytes() == 0) // the first free since a slow call: the most was in use just before it
        high_water_ = std::max(high_water_, bytes_in_use() + freed_.bytes());
    clear(std::exchange(freed_before_, run));
}

/// Clears the bits of what was freed, one object or several neighbours.
void ordered_heap::clear(window run) noexcept {
    if (run.cursor == run.limit)
        return;
    block& b = *block_of(run.cursor);
    if (b.owner != this) [[unlikely]] {
        if (elsewhere_ != nullptr)
            return elsewhere_(*this, run.cursor, run.bytes());
        return refuse_free(run);
    }
    const std::size_t granules = run.bytes() / granule_bytes;
    bits::word missing = 0;
    bits::for_each_part(b.occupancy(), b.index_of(run.cursor), granules,
                        [&](bits::word& word, bits::word mask) {
                            missing |= ~word & mask;
                            word &= ~mask;
                        });
    b.live -= static_cast<std::int32_t>(granules);
    taken_ -= static_cast<std::int64_t>(granules);
    if (missing != 0) [[unlikely]]
        return refuse_free(run);
    note_high_water();
    if (b.live > b.alarm)
        return;
    if ((b.state & block_state::open) == 0)
        freed(b);
    else if (in_open_hole(run.cursor)) [[unlikely]]
        refuse_free(run);
}

/// Sees to what deallocate has only noted.
void ordered_heap::clear_noted() noexcept {
    clear(std::exchange(freed_, {}));
    clear(std::exchange(freed_before_, {}));
}

void ordered_heap::refuse_free(window run) const noexcept {
    if (affinity_ != nullptr)
        contract_violation_f(std::source_location::current(),
                             "%p was freed, %zu bytes, in block %p of affinity %s: freed twice, or "
                             "never handed out",
                             static_cast<void*>(run.cursor), run.bytes(),
                             static_cast<void*>(block_of(run.cursor)), affinity_);
    contract_violation_f(
        std::source_location::current(),
        "%p was freed, %zu bytes, into ordered_heap %p: freed twice, or not of this heap",
        static_cast<void*>(run.cursor), run.bytes(), static_cast<const void*>(this));
}

void ordered_heap::deallocate(void* p) noexcept {
    if (!kept_)
        contract_violation("deallocate(p) needs the size on a heap of sizes::known");
    deallocate_slow(p, passes_through_ ? 0 : size_of(p), granule_bytes);
}

/// Enough was freed in a block that nobody allocates from.
void ordered_heap::freed(block& b) noexcept {
    if (b.live == 0)
        return source_.close_empty(b, bytes_in_use());
    source_.blocks().set_state(b, block_state::sweepable | block_state::unseen);
    b.alarm = 0;
}

// ---- what is where ------------------------------------------------------------------------------

/// The head that stands for an allocation; in checked builds only if it is one of ours.
block& ordered_heap::head_of(const void* p) const noexcept {
    block& b = source_.head_of(p);
    if constexpr (checks_enabled) {
        if (source_.find(p) != &b)
            contract_violation_f(std::source_location::current(),
                                 "%p does not point into memory of ordered_heap %p", p,
                                 static_cast<const void*>(this));
    }
    return b;
}

/// Size of the allocation at p, of a careful heap.
std::size_t ordered_heap::kept_size(const block& b, const void* p) const noexcept {
    if ((b.state & block_state::large) != 0)
        return block_source::large_bytes(b);
    const std::size_t first = b.index_of(p);
    return (bits::next_set(b.ends(), first, b.granules) + 1 - first) * granule_bytes;
}

void ordered_heap::check_free(block& b, const void* p, std::size_t size) const noexcept {
    const auto refuse = [&](const char* why) {
        contract_violation_f(std::source_location::current(),
                             "%p was freed, %zu bytes, into ordered_heap %p: %s", p, size,
                             static_cast<const void*>(this), why);
    };
    if ((b.state & block_state::large) != 0) {
        if (p != block_source::large_object(b))
            refuse("it points into a large allocation, not to its begin");
    } else {
        const std::size_t first = b.index_of(p);
        const auto* at = static_cast<const std::byte*>(p);
        const auto unused = [&](const window& w) { return at >= w.cursor && at < w.limit; };
        if (!is_aligned(p, granule_bytes) || first < source_.head_granules(b))
            refuse("no allocation begins there");
        if (!bits::all_set(b.occupancy(), first, 1) || unused(*open_) || unused(clean_))
            refuse("it is free already, or was never handed out");
        const bool begins =
            first == source_.head_granules(b) || bits::none_set(b.occupancy(), first - 1, 1) ||
            bits::all_set(b.ends(), first - 1, 1) || at == open_->limit || at == clean_.limit;
        if (!begins)
            refuse("it points into an allocation, not to its begin");
    }
    if (const std::size_t kept = kept_size(b, p); kept != size)
        contract_violation_f(std::source_location::current(),
                             "%p was freed into ordered_heap %p as %zu bytes but allocated as %zu",
                             p, static_cast<const void*>(this), size, kept);
}

std::size_t ordered_heap::size_of(const void* p) const noexcept {
    if (!kept_)
        contract_violation("size_of(p) needs a heap of sizes::kept");
    if (passes_through_)
        return passthrough_chain::size_of(p);
    return kept_size(head_of(p), p);
}

bool ordered_heap::owns(const void* p) const noexcept {
    return passes_through_ ? singles_.owns(p) : source_.find(p) != nullptr;
}

/// Less than nothing where more of other heaps' is noted than what lives here.
std::int64_t ordered_heap::balance() const noexcept {
    const std::size_t magazine =
        magazine_ == nullptr
            ? 0
            : magazine_->granules() * granule_bytes + align_up(sizeof *magazine_, granule_bytes);
    return static_cast<std::int64_t>(static_cast<std::size_t>(taken_) * granule_bytes -
                                     open_->bytes() - clean_.bytes() - ahead_.bytes() -
                                     below_.bytes() - freed_.bytes() - freed_before_.bytes() -
                                     magazine + large_bytes_ + singles_.bytes());
}

std::size_t ordered_heap::bytes_in_use() const noexcept {
    return static_cast<std::size_t>(std::max<std::int64_t>(balance(), 0));
}

void ordered_heap::note_high_water() const noexcept {
    high_water_ = std::max(high_water_, bytes_in_use());
}

arenite::usage ordered_heap::usage() const noexcept {
    note_high_water();
    const std::size_t in_use = bytes_in_use();
    const std::size_t most = source_.mask_bytes() / large_divisor;
    const window& open = ahead_.limit != nullptr ? ahead_ : *open_;
    const std::size_t gap = padding_for(open.cursor, default_alignment);
    const std::size_t hole = open.bytes() > gap ? open.bytes() - gap : 0;
    return {.bytes_in_use = in_use,
            .bytes_reserved = source_.bytes_reserved() + singles_.bytes(),
            .high_water_bytes = high_water_,
            .live_allocations = kept_ || checks_enabled ? live_ + singles_.count() : 0,
            .largest_hole_bytes = std::max(hole, source_.has_clean() ? most : 0)};
}

// ---- for an affinity ----------------------------------------------------------------------------

/// As try_allocate, without asking the upstream.
void* ordered_heap::try_allocate_within(std::size_t bytes, std::size_t alignment) noexcept {
    source_.may_grow(false);
    void* const p = try_allocate(bytes, alignment);
    source_.may_grow(true);
    return p;
}

/// A hole that is not far from an object of this heap; nullptr where there is none.
void* ordered_heap::try_allocate_near(const void* neighbour, std::size_t bytes,
                                      std::size_t alignment) noexcept {
    constexpr std::size_t far = 32 * 1024 / granule_bytes;
    const std::size_t size = rounded(bytes + (bytes == 0), alignment);
    if (size == 0 || size > far * granule_bytes / 2 || alignment > size * 8 || passes_through_)
        return nullptr;
    const detail::amid_change mark{busy_};
    clear_noted();
    note_high_water();
    block& b = source_.head_of(neighbour); // of a large object perhaps
    if ((b.state & (block_state::large | block_state::empty)) != 0)
        return nullptr;
    const std::size_t count = size / granule_bytes;
    const std::size_t here = b.index_of(neighbour);
    const std::size_t step = alignment > granule_bytes ? alignment / granule_bytes : 1;
    const auto up = [&](std::size_t i) {
        return b.index_of(b.at(i) + padding_for(b.at(i), alignment));
    };
    std::size_t found = b.granules;
    // The nearest above, then a nearer one below.
    const std::size_t top = std::min<std::size_t>(here + far, b.granules);
    for (std::size_t from = here; from < top;) {
        const std::size_t first = bits::find_clear_run(b.occupancy(), from, top, count);
        if (first == top)
            break;
        const std::size_t last = bits::next_set(b.occupancy(), first + count, top);
        if (const std::size_t at = up(first); at + count <= last) {
            found = at;
            break;
        }
        from = last;
    }
    const std::size_t distance = found == b.granules ? far : found - here;
    const std::size_t bottom = here > distance ? here - distance : 0;
    for (std::size_t from = bottom; from < here;) {
        const std::size_t first = bits::find_clear_run(b.occupancy(), from, here, count);
        if (first == here)
            break;
        const std::size_t last = bits::next_set(b.occupancy(), first + count, here);
        // The highest place in this hole.
        std::size_t at = up(first);
        if (at + count <= last) {
            at += (last - count - at) / step * step;
            found = at; // a later one is nearer
        }
        from = last;
    }
    if (found == b.granules)
        return nullptr;
    bits::set_run(b.occupancy(), found, count);
    b.live += static_cast<std::int32_t>(count);
    taken_ += static_cast<std::int64_t>(count);
    if (&b == swept_)
        unclaimed_ -= static_cast<std::int64_t>(count);
    std::byte* const p = b.at(found);
    if (careful_) {
        bits::set_run(b.ends(), found + count - 1, 1);
        ++live_;
        poison::undefined(p, bytes);
    }
    return p;
}

/// What other threads freed in a word of a block.
void ordered_heap::clear_for_others(block& b, std::size_t word, bits::word freed) noexcept {
    bits::word& taken = b.occupancy()[word];
    if ((~taken & freed) != 0) [[unlikely]] {
        const std::size_t first = static_cast<std::size_t>(std::countr_zero(~taken & freed));
        std::byte* const at = b.at(word * bits::word_bits + first);
        return refuse_free({at, at + granule_bytes});
    }
    taken &= ~freed;
    const auto granules = static_cast<std::int32_t>(std::popcount(freed));
    b.live -= granules;
    taken_ -= granules;
}

/// After the last of its words; the block may be gone then.
void ordered_heap::cleared_for_others(block& b) noexcept {
    if (b.live <= b.alarm && (b.state & block_state::open) == 0)
        freed(b);
}

/// usage() while the heap's thread works on: each figure is one of a moment ago, and exact when the
/// thread is at rest.
arenite::usage ordered_heap::usage_seen_from_afar() const noexcept {
    auto in_use = glance(taken_) * static_cast<std::int64_t>(granule_bytes);
    for (const window* w : std::initializer_list<const window*>{open_, &ahead_, &below_, &clean_,
                                                                &freed_, &freed_before_}) {
        const std::byte* const limit = glance(w->limit);
        const std::byte* const cursor = glance(w->cursor);
        const std::ptrdiff_t bytes = limit - cursor; // of two moments, perhaps
        if (bytes > 0 && static_cast<std::size_t>(bytes) <= source_.mask_bytes())
            in_use -= bytes;
    }
    in_use -= static_cast<std::int64_t>(glance(in_magazine_));
    const std::size_t reserved = source_.bytes_reserved_seen_from_afar();
    // What was noted of others' may be more than what lives here; the sum over all heaps is right.
    const std::size_t here = in_use > 0 ? static_cast<std::size_t>(in_use) : 0;
    return {.bytes_in_use = static_cast<std::size_t>(in_use),
            .bytes_reserved = reserved,
            .high_water_bytes = std::max(glance(high_water_), std::min(here, reserved))};
}

// ---- giving back, end ---------------------------------------------------------------------------

void ordered_heap::trim() noexcept {
    const detail::amid_change mark{busy_};
    clear_noted();
    note_high_water();
    unload_magazine();
    close_all();
    source_.trim();
}

void ordered_heap::report_leaks() noexcept {
    close_all();
    leak_collector leaks{this};
    for (block* b = source_.blocks().first(); b != nullptr; b = source_.blocks().above(*b)) {
        if ((b->state & block_state::large) != 0) {
            leaks.add(block_source::large_object(*b), block_source::large_bytes(*b));
            continue;
        }
        std::size_t at = source_.head_granules(*b);
        while ((at = bits::next_set(b->occupancy(), at, b->granules)) != b->granules) {
            const std::size_t end = bits::next_set(b->ends(), at, b->granules) + 1;
            leaks.add(b->at(at), (end - at) * granule_bytes);
            at = end;
        }
    }
    leaks.report();
}

// ---- list of regions ----------------------------------------------------------------------------

namespace {

/// A stretch whose bits say that it is taken while it is handed out to nobody.
struct exception {
    const std::byte* begin;
    const std::byte* end;
    region_state state;
};

/// Joins neighbours of one state to one region.
class joining_sink {
public:
    explicit joining_sink(region_sink& to) noexcept : to_{to} {}

    void add(const std::byte* begin, const std::byte* end, region_state state) {
        if (begin == end)
            return;
        if (begin == end_ && state == state_) {
            end_ = end;
            return;
        }
        flush();
        begin_ = begin;
        end_ = end;
        state_ = state;
    }

    void add_object(const std::byte* begin, const std::byte* end) {
        flush();
        to_.add({begin, static_cast<std::size_t>(end - begin), region_state::used, true});
    }

    void flush() {
        if (begin_ != end_)
            to_.add({begin_, static_cast<std::size_t>(end_ - begin_), state_});
        begin_ = end_ = nullptr;
    }

private:
    region_sink& to_;
    const std::byte* begin_ = nullptr;
    const std::byte* end_ = nullptr;
    region_state state_ = region_state::free;
};

/// What the bits say is taken in [begin, end) of a block: objects where its ends are known.
void list_taken(const block& b, const std::byte* begin, const std::byte* end, bool objects,
                joining_sink& to) {
    if (!objects)
        return to.add(begin, end, region_state::used);
    while (begin != end) {
        const std::size_t last = bits::next_set(b.ends(), b.index_of(begin), b.index_of(end));
        const std::byte* const object_end =
            std::min(begin + (last + 1 - b.index_of(begin)) * granule_bytes, end);
        to.add_object(begin, object_end);
        begin = object_end;
    }
}

/// A block after its head: its bits, but for the exceptions in it, which are in address order.
void list_block(block& b, std::size_t head, std::span<const exception> exceptions, bool objects,
                joining_sink& to) {
    to.add(b.at(0), b.at(head), region_state::overhead);
    for (std::size_t at = head; at < b.granules;) {
        const std::size_t taken = bits::next_set(b.occupancy(), at, b.granules);
        to.add(b.at(at), b.at(taken), region_state::free);
        at = bits::next_clear(b.occupancy(), taken, b.granules);
        const std::byte* const begin = b.at(taken);
        const std::byte* from = begin;
        const std::byte* const end = b.at(at);
        for (; !exceptions.empty() && exceptions.front().begin < end;
             exceptions = exceptions.subspan(1)) {
            const exception& e = exceptions.front();
            if (e.end <= from)
                continue;
            list_taken(b, from, std::max(from, e.begin), objects, to);
            from = std::min(e.end, end);
            to.add(std::max(e.begin, begin), from, e.state);
        }
        list_taken(b, from, end, objects, to);
    }
}

} // namespace

void ordered_heap::list_regions(region_sink& sink) const {
    singles_.list_regions(sink);
    source_.for_each_kept([&](const std::byte* p, std::size_t bytes) {
        sink.add({p, bytes, region_state::free});
    });

    // Windows, the magazine and what is in it.
    std::array<exception, 7 + magazine::capacity> exceptions;
    std::size_t count = 0;
    const auto except = [&](const void* p, std::size_t bytes, region_state state) {
        const auto* const begin = static_cast<const std::byte*>(p);
        if (bytes != 0)
            exceptions[count++] = {begin, begin + bytes, state};
    };
    for (const window* w : std::initializer_list<const window*>{open_, &ahead_, &below_, &clean_,
                                                                &freed_, &freed_before_})
        except(w->cursor, w->bytes(), region_state::free);
    if (magazine_ != nullptr) {
        except(magazine_, align_up(sizeof *magazine_, granule_bytes), region_state::overhead);
        magazine_->for_each([&](const void* p, std::size_t granules) {
            except(p, granules * granule_bytes, region_state::free);
        });
    }
    const auto end = exceptions.begin() + static_cast<std::ptrdiff_t>(count);
    std::sort(exceptions.begin(), end,
              [](const exception& a, const exception& b) { return a.begin < b.begin; });

    joining_sink to{sink};
    const std::span<const std::byte> fresh = source_.fresh();
    auto next = exceptions.begin();
    for (block* b = source_.blocks().first(); b != nullptr; b = source_.blocks().above(*b)) {
        if ((b->state & block_state::large) != 0) {
            std::byte* const object = block_source::large_object(*b);
            to.add(reinterpret_cast<std::byte*>(b->span), object, region_state::overhead);
            std::byte* const end_of_object = object + block_source::large_bytes(*b);
            to.add_object(object, end_of_object);
            to.add(end_of_object, reinterpret_cast<std::byte*>(b->span) + b->span_bytes,
                   region_state::free);
            to.flush();
            continue;
        }
        const std::byte* const block_end = b->at(b->granules);
        const auto first =
            std::find_if(next, end, [&](const exception& e) { return e.begin >= b->at(0); });
        next = std::find_if(first, end, [&](const exception& e) { return e.begin >= block_end; });
        list_block(*b, source_.head_granules(*b), {first, next}, careful_, to);
        if (!fresh.empty() && block_end == fresh.data())
            to.add(block_end, block_end + fresh.size(), region_state::untouched);
        to.flush();
    }
}

} // namespace ARENITE_ABI
} // namespace arenite
