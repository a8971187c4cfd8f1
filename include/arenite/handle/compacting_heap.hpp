// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block_list.hpp>
#include <arenite/block/detail/large_objects.hpp>
#include <arenite/block/return_policy.hpp>
#include <arenite/check/detail/one_thread.hpp>
#include <arenite/core/budget.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/ranges.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/handle/compaction_step.hpp>
#include <arenite/handle/detail/handle_table.hpp>
#include <arenite/handle/detail/movable_blocks.hpp>
#include <arenite/handle/detail/visit_window.hpp>
#include <arenite/handle/handle.hpp>
#include <arenite/handle/relocation.hpp>
#include <arenite/os/page_resource.hpp>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// Options of a compacting_heap.
struct compaction_options {
    /// While objects are put in order, blocks may hold this many times the bytes of live objects,
    /// plus three blocks that are being filled; beyond that, blocks are emptied first. The limit is
    /// exceeded if nothing can be emptied. Ordering objects that lie anywhere needs old and new
    /// places, up to twice that, for a while. Without a limit, if objects come and go while an
    /// order is repeated, the holes they leave in it add up.
    double room = 2;

    /// Which empty blocks are kept. Keeping at least one saves requesting it again.
    return_policy policy = {.keep_bytes = detail::movable_blocks::block_bytes, .keep_divisor = 0};
};

namespace detail {

template <class H>
concept AnyHandle = requires(const std::remove_cvref_t<H>& h) { visit_source::at(h.untyped()); };

} // namespace detail

/// A visit order for compacting_heap::step: a range of handles or of relocatable_ptr, or a callable
/// that returns a pointer to the next one, nullptr at the end.
template <class Order>
concept VisitOrder =
    (detail::InputRange<Order> && detail::AnyHandle<detail::range_reference<Order>>) ||
    requires(Order& order) {
        { *order() } -> detail::AnyHandle;
        { order() == nullptr } -> std::convertible_to<bool>;
    };

/// Objects that may be moved: into holes, so that memory is returned, or into their visit order.
///
///     table    | entry | entry | ...                   16 bytes an object
///                  |
///     block    | object | object | .. hole .. | object |      1 MiB, holes in address order
///                                  ^ word, object: the word is valid while the object lives here
///
///     compacting_heap ch;
///     handle<node> hd = ch.make<node>(args...);
///     hd->value = 1;
///     ch.step(budget{.bytes = 64_KiB});                    // once a frame
///     ch.destroy(hd);                                      // hd.get() is nullptr from now on
///
/// step(budget) moves the objects of the emptiest block into holes of others, block by block, and
/// returns empty blocks. step(order, budget) places objects one after another, in the order in
/// which the user visits them, and refreshes the handles that the order consists of. Both continue
/// where the previous step ended, whatever was made, destroyed or assigned in between. The budget
/// decides where a step ends: it exceeds the budget's bytes or moves by at most one object, and
/// does not look at many more objects that stay where they are (see budget); the clock is read
/// every 16 objects or 16 KiB.
///
/// Use when:  many objects come and go for a long time and are traversed often, or memory must be
///            returned. Objects that are made in visit order and stay need no moving: use
///            ordered/ordered_heap.hpp and pointers.
/// Cost:      access: see handle. make, destroy O(1), or a search of bits and O(log blocks) if a
///            block is full; a step takes a few hundred nanoseconds for each small object that is
///            not in the cache, else time in proportion to its bytes.
/// Overhead:  8 bytes an object and 16 in the table, 1/64 for bits.
/// Limits:    types that can be moved without failing (see relocation.hpp). Objects above 256 KiB
///            or aligned to more than 4 KiB have memory of their own and never move.
/// Misuse:    contract violations in every build: destroying a pinned object; a handle of another
///            heap; a step within a constructor, a destructor, `relocated` or for_each; make,
///            destroy, trim or end_order within a step. Pointers kept across a step: checked builds
///            overwrite the old place, memory checkers report it.
/// Threads:   one at a time; while it makes, destroys, pins and moves nothing, any number may
///            access objects by handles, and write to different ones.
/// Failure:   out_of_memory, or an empty handle; nothing changes. A step needs memory only for an
///            order.
/// Source:    Kaltenbrunn, Modern Memory Management (2018), 6.3.3.
///
/// Blocks keep their addresses until the end of the heap, since handles compare old ones: blocks
/// that are returned give their memory to the system if the upstream lends pages, otherwise they
/// are kept for reuse. The destructor of the heap destroys live objects, in address order.
class compacting_heap final {
public:
    explicit compacting_heap(compaction_options options = {},
                             upstream up = &page_source()) noexcept;
    ~compacting_heap();

    compacting_heap(const compacting_heap&) = delete;
    compacting_heap& operator=(const compacting_heap&) = delete;

    /// Makes a T. Throws out_of_memory, and what its constructor throws; then nothing has changed.
    template <class T, class... Args>
    [[nodiscard]] handle<T> make(Args&&... args) {
        const construction_guard b{*this, detail::kind_of<T>()};
        if (b.address == nullptr) [[unlikely]]
            throw_out_of_memory(sizeof(T), alignof(T), upstream_.get());
        return construct<T>(b, std::forward<Args>(args)...);
    }

    /// make() without out_of_memory: returns an empty handle if there is no memory.
    template <class T, class... Args>
    [[nodiscard]] handle<T> try_make(Args&&... args) {
        const construction_guard b{*this, detail::kind_of<T>()};
        if (b.address == nullptr) [[unlikely]]
            return {};
        return construct<T>(b, std::forward<Args>(args)...);
    }

    /// Destroys an object. Returns false, and does nothing, if it is already dead.
    template <class T>
    bool destroy(const handle<T>& h) noexcept {
        return destroy(h.untyped());
    }

    /// Empties sparse blocks; see the class comment.
    compaction_step step(budget limit = {});

    /// Puts objects into their visit order; see the class comment. For a range, a step continues at
    /// the element, by its index, at which the previous one ended, which is found in O(1) with
    /// random access; a callable keeps its own position. An order may contain objects twice, dead
    /// ones, pinned ones and large ones: these stay. It must not keep pointers to objects from one
    /// handle to the next, only handles. When an order has ended, or after end_order(), the next
    /// may begin.
    template <VisitOrder Order>
    compaction_step step(Order&& order, budget limit = {}) {
        if constexpr (detail::InputRange<Order>) {
            range_source<std::remove_reference_t<Order>> source{order, order_.passed};
            order_.window.clear();
            return step_in_order(source, limit);
        } else {
            call_source<std::remove_reference_t<Order>> source{order};
            return step_in_order(source, limit);
        }
    }

    /// Abandons the current visit order; the next ordered step starts a new one.
    void end_order() noexcept;

    /// Returns all blocks and pages that hold nothing.
    void trim() noexcept;

    /// Calls f(T&) for each live object made as T, in address order. f may destroy that object and
    /// others: one destroyed before its turn is skipped. A make, a step or a trim within f is a
    /// contract violation in every build.
    template <class T, class F>
    void for_each(F f) {
        [[maybe_unused]] const auto inside = threads_.enter("compacting_heap", this);
        const walking guard{*this};
        const std::uint16_t kind = detail::kind_of<T>().number;
        for (place p = first_place(); p.address != nullptr; p = place_above(p))
            if (p.kind->number == kind)
                f(*std::launder(reinterpret_cast<T*>(p.address)));
    }

    /// True for the address of an object, or of memory between objects.
    [[nodiscard]] bool owns(const void* p) const noexcept;

    /// O(1). bytes_in_use counts objects with their words; bytes_reserved what is held from the
    /// upstream, including the table, without addresses whose memory was returned.
    [[nodiscard]] arenite::usage usage() const noexcept;

    /// The fraction of the blocks' memory that no object uses: 0 if all is in use or there are no
    /// blocks. O(1). (Other classes call fragmentation the share of free memory outside the largest
    /// hole.)
    [[nodiscard]] double fragmentation() const noexcept;

    void list_regions(region_sink& sink) const;

private:
    friend void detail::pin_object(detail::object_id id) noexcept;
    friend void detail::unpin_object(detail::object_id id) noexcept;
    class progress;
    class stepping;

    /// The operation in progress, during which some calls are misuse.
    enum class activity : unsigned char { none, step, walk, end };

    /// While this lives, objects stay where they are, and none is made.
    class walking {
    public:
        explicit walking(compacting_heap& heap) noexcept : heap_{heap}, before_{heap.activity_} {
            if (before_ == activity::none) // otherwise less is allowed already
                heap.activity_ = activity::walk;
        }
        ~walking() { heap_.activity_ = before_; }
        walking(const walking&) = delete;
        walking& operator=(const walking&) = delete;

    private:
        compacting_heap& heap_;
        activity before_;
    };

    /// Progress of the current visit order.
    struct order_state {
        detail::movable_blocks::cursor cursor{detail::movable_blocks::supply::fresh};
        detail::visit_window window;
        std::size_t near_bytes = 512; ///< objects up to this far apart count as adjacent
        std::size_t passed = 0;       ///< elements of a range: where the next step goes on
        bool in_order = false;        ///< the object looked at last was in order already
    };

    /// An object under construction, undone unless its constructor completes.
    struct construction_guard {
        construction_guard(compacting_heap& h, const detail::object_kind& k) : heap{h}, kind{k} {
            address = heap.begin_object(kind, id);
        }
        ~construction_guard() {
            if (address != nullptr)
                heap.finish_making(id, kind, address, is_done);
        }
        construction_guard(const construction_guard&) = delete;
        construction_guard& operator=(const construction_guard&) = delete;

        compacting_heap& heap;
        const detail::object_kind& kind;
        detail::object_id id;
        std::byte* address = nullptr;
        mutable bool is_done = false;
    };

    /// Where an object lies.
    struct place {
        std::byte* address = nullptr;
        const detail::object_kind* kind = nullptr;
    };

    template <class R>
    class range_source;
    template <class F>
    class call_source;

    template <class T, class... Args>
    [[nodiscard]] handle<T> construct(const construction_guard& b, Args&&... args) {
        static_assert(!std::is_reference_v<T> && !std::is_const_v<T> && !std::is_array_v<T>);
        static_assert(Relocatable<T> || sizeof(T) > detail::movable_blocks::largest_object_bytes,
                      "objects of a compacting_heap are trivially relocatable, or have a move "
                      "constructor and a destructor that are noexcept; relocated() is noexcept");
        ::new (static_cast<void*>(b.address)) T(std::forward<Args>(args)...);
        b.is_done = true;
        return handle<T>{handle_to(b)};
    }

    [[noreturn]] ARENITE_COLD void refuse_make() const;
    [[nodiscard]] std::byte* begin_object(const detail::object_kind& kind, detail::object_id& id);
    void finish_making(detail::object_id id, const detail::object_kind& kind, std::byte* address,
                       bool is_done) noexcept;
    [[nodiscard]] detail::basic_handle handle_to(const construction_guard& b) const noexcept;
    [[nodiscard]] std::byte* take_room(const detail::object_kind& kind) noexcept;
    void give_room(const detail::object_kind& kind, std::byte* address) noexcept;
    [[nodiscard]] bool destroy(const detail::basic_handle& h) noexcept;
    void end_object(detail::object_id id, const detail::object_kind& kind,
                    std::byte* address) noexcept;

    [[nodiscard]] place first_place() const noexcept;
    [[nodiscard]] place place_above(const place& p) const noexcept;
    [[nodiscard]] place place_from(const std::byte* from) const noexcept;

    void forget_object(detail::object_id id, const detail::object_kind& kind,
                       std::byte* address) noexcept;
    void move(detail::object_id id, detail::object_entry& entry, const detail::object_kind& kind,
              std::byte* to) noexcept;
    [[nodiscard]] bool empty_one(progress& p) noexcept;
    [[nodiscard]] bool is_over_room() const noexcept;
    [[nodiscard]] std::byte* take_in_order(const detail::object_kind& kind, progress& p) noexcept;
    [[nodiscard]] bool place_next_visited(progress& p);
    void forget_order() noexcept;
    compaction_step step_in_order(detail::visit_source& order, const budget& limit);

    compaction_options options_;
    upstream upstream_;
    detail::handle_table table_;
    detail::movable_blocks blocks_;
    detail::block_list large_list_;
    detail::large_objects large_;
    detail::movable_blocks::cursor making_;
    detail::movable_blocks::cursor filling_{detail::movable_blocks::supply::holes};
    order_state order_;
    std::size_t live_ = 0;
    std::size_t to_be_ended_ = 0; ///< of these, the ones with a destructor
    std::size_t high_water_bytes_ = 0;
    std::uint32_t user_code_ = 0; ///< constructors and destructors that run now
    activity activity_ = activity::none;
    ARENITE_NO_UNIQUE_ADDRESS detail::one_thread threads_;
};

template <class R>
class compacting_heap::range_source final : public detail::visit_source {
public:
    range_source(R& range, std::size_t passed)
        : at_{std::ranges::begin(range)}, end_{std::ranges::end(range)} {
        using distance = std::iter_difference_t<detail::range_iterator<R>>;
        if constexpr (detail::ForwardRange<R>) // others begin where they were
            std::ranges::advance(at_, static_cast<distance>(passed), end_);
    }

    visit next() override {
        if (!is_first_) {
            if (at_ == end_)
                return {};
            ++at_; // not before it is needed: the object may be read for it
        }
        is_first_ = false;
        if (at_ == end_)
            return {};
        if constexpr (std::is_lvalue_reference_v<detail::range_reference<R>>)
            return at((*at_).untyped());
        else
            return of((*at_).untyped());
    }

private:
    detail::range_iterator<R> at_;
    detail::range_sentinel<R> end_;
    bool is_first_ = true;
};

template <class F>
class compacting_heap::call_source final : public detail::visit_source {
public:
    explicit call_source(F& order) : order_{order} {}

    visit next() override {
        const auto* const h = order_();
        return h != nullptr ? at(h->untyped()) : visit{};
    }

private:
    F& order_;
};

} // namespace ARENITE_ABI
} // namespace arenite
