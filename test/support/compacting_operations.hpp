// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// Programs of operations on a compacting_heap beside a list of what is alive, for the model test
// and the fuzz target.

#include <arenite/core/literals.hpp>
#include <arenite/handle/compacting_heap.hpp>
#include <arenite/handle/relocatable_ptr.hpp>
#include <arenite/report/memory_map.hpp>

#include "support/driver.hpp"
#include "support/pattern.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace support {

/// Bytes with a pattern of their own, copied when they move.
template <std::size_t Bytes, std::size_t Alignment = 8>
struct alignas(Alignment) copied_object {
    explicit copied_object(std::uint64_t i) : id{i} { pattern{id}.write(bytes, sizeof bytes); }
    [[nodiscard]] bool intact() const { return pattern{id}.holds(bytes, sizeof bytes); }

    std::uint64_t id;
    unsigned char bytes[Bytes - sizeof(std::uint64_t)];
};

/// One that owns memory, and counts those that live.
struct owning_object {
    explicit owning_object(std::uint64_t i) : id{i}, other{std::make_unique<std::uint64_t>(~i)} {
        ++alive;
    }
    owning_object(owning_object&& from) noexcept : id{from.id}, other{std::move(from.other)} {
        ++alive;
    }
    ~owning_object() { --alive; }
    [[nodiscard]] bool intact() const { return other != nullptr && *other == ~id; }

    static inline long alive = 0;
    std::uint64_t id;
    std::unique_ptr<std::uint64_t> other;
};

/// One that knows where it is.
struct aware_object {
    explicit aware_object(std::uint64_t i) : id{i}, self{this} {}
    void relocated(const void* from) noexcept { self = self == from ? this : nullptr; }
    [[nodiscard]] bool intact() const { return self == this; }

    std::uint64_t id;
    aware_object* self;
    std::uint64_t more[7] = {};
};

/// Any of them, by its place in kinds.
using small_object = copied_object<24>;
using lined_object = copied_object<64, 64>;
using big_object = copied_object<5000, 16>;
using page_object = copied_object<60'000, 4096>;
using large_object = copied_object<300'000, 8>;

/// Makes, destroys, pins, looks and steps in any order.
class compacting_operations : public driver {
public:
    /// may_fail: try_make may give nothing, and an order may end without memory.
    compacting_operations(arenite::compacting_heap& heap, bool may_fail)
        : heap_{heap}, may_fail_{may_fail} {}

private:
    struct any_handle {
        arenite::detail::basic_handle h;
        [[nodiscard]] const arenite::detail::basic_handle& untyped() const { return h; }
    };

    struct record {
        std::uint64_t id;
        unsigned kind;
        any_handle h;
    };

    template <class F>
    static auto with_kind(unsigned kind, F f) {
        switch (kind) {
        case 0:
            return f(std::type_identity<small_object>{});
        case 1:
            return f(std::type_identity<owning_object>{});
        case 2:
            return f(std::type_identity<aware_object>{});
        case 3:
            return f(std::type_identity<lined_object>{});
        case 4:
            return f(std::type_identity<big_object>{});
        case 5:
            return f(std::type_identity<page_object>{});
        default:
            return f(std::type_identity<large_object>{});
        }
    }

    void after_each() override {
        if (step() % 32 == 0)
            check_all();
    }
    void end() override {
        pins_.clear();
        check_all();
        while (!live_.empty() && right())
            destroy_at(live_.size() - 1);
        check_all();
    }

    void one(decisions& source) override {
        const std::uint8_t what = source.byte() % 32;
        if (what < 8) {
            const std::uint8_t kind = source.byte() % 64;
            make(kind < 60 ? kind % 4u : kind - 56u);
        } else if (what < 12) { // many of one kind: several blocks
            const unsigned kind = source.byte() % 5u;
            for (std::size_t i = source.byte() * 8u; i > 0 && right(); --i)
                make(kind);
        } else if (what < 16) {
            for (std::size_t i = 1 + source.byte() % 8u; i > 0 && !live_.empty(); --i)
                destroy_at(below(live_.size()));
        } else if (what == 16) { // most of all
            for (std::size_t i = live_.size() * 3 / 4; i > 0 && right(); --i)
                destroy_at(below(live_.size()));
        } else if (what < 19) {
            if (!live_.empty())
                pins_.push_back(live_[below(live_.size())].id), pin_last();
        } else if (what < 21) {
            if (!pins_.empty())
                pins_.erase(pins_.begin() + static_cast<std::ptrdiff_t>(below(pins_.size())));
        } else if (what < 25) {
            note(heap_.step(some_budget(source)), false);
        } else if (what < 29) {
            order(source);
        } else if (what == 29) {
            heap_.trim();
            look();
        } else if (what == 30) {
            heap_.end_order();
        } else if (!dead_.empty()) {
            const any_handle h = dead_[below(dead_.size())];
            if (arenite::handle<small_object>{h.h}.get() != nullptr ||
                heap_.destroy(arenite::handle<small_object>{h.h}))
                wrong("what is dead is found");
        }
    }

    /// Checks the heap's own account of its memory.
    void look() {
        if (arenite::memory_map{heap_}.overlapping() != 0)
            wrong("regions overlap");
        if (heap_.fragmentation() < 0 || heap_.fragmentation() > 1)
            wrong("fragmentation is no share");
        if (heap_.owns(this))
            wrong("it owns what it does not");
        for (const record& r : live_)
            with_kind(r.kind, [&]<class K>(std::type_identity<K>) {
                const K* const object = arenite::handle<K>{r.h.h}.get();
                if (!heap_.owns(object))
                    wrong("it does not own its object");
                const arenite::relocatable_ptr<K> follows{arenite::handle<K>{r.h.h}};
                if (follows.get() != object || follows.get() != object)
                    wrong("a relocatable_ptr leads elsewhere");
            });
    }

    arenite::budget some_budget(decisions& source) {
        arenite::budget b;
        const std::uint8_t kind = source.byte() % 4;
        if (kind == 0)
            b.bytes = source.byte() * 256u;
        else if (kind == 1)
            b.moves = source.byte();
        else if (kind == 2)
            b.nanoseconds = source.byte() * 1000u;
        return b;
    }

    /// Handles in some order, also of what is dead or named before.
    void order(decisions& source) {
        std::vector<any_handle> visits;
        const std::size_t stride = 1 + below(live_.size());
        for (std::size_t i = 0; i < live_.size(); ++i)
            visits.push_back(live_[(i * stride + i / 7) % live_.size()].h);
        for (std::size_t i = 0; i < std::min<std::size_t>(dead_.size(), 5); ++i)
            visits.insert(visits.begin() + static_cast<std::ptrdiff_t>(below(visits.size())),
                          dead_[i]);
        visits.push_back({});
        const arenite::budget limit = some_budget(source);
        arenite::compaction_step done;
        if (source.byte() % 2 == 0) {
            done = heap_.step(visits, limit);
        } else {
            std::size_t i = 0;
            auto next = [&]() -> any_handle* { return i < visits.size() ? &visits[i++] : nullptr; };
            do
                done = heap_.step(next, limit);
            while (done.why == arenite::compaction_step::end::budget_spent &&
                   source.byte() % 4 != 0);
        }
        note(done, true);
    }

    void note(const arenite::compaction_step& s, bool needs_memory) {
        if (s.why == arenite::compaction_step::end::no_memory && !(needs_memory && may_fail_))
            wrong("a step says that there is no memory");
    }

    void make(unsigned kind) {
        if (live_.size() >= most_objects || (kind >= 4 && live_.size() % 2 != 0))
            return;
        const std::uint64_t id = ++last_id_;
        const any_handle h = with_kind(kind, [&]<class K>(std::type_identity<K>) {
            return any_handle{heap_.template try_make<K>(id).untyped()};
        });
        if (!h.h.id().is_null())
            live_.push_back({id, kind, h});
        else if (!may_fail_)
            wrong("nothing was made");
    }

    void destroy_at(std::size_t i) {
        const record r = live_[i];
        if (std::any_of(pins_.begin(), pins_.end(), [&](const pin& p) { return p.id == r.id; }))
            return;
        check(r);
        if (!heap_.destroy(arenite::handle<small_object>{r.h.h}))
            wrong("what lives is not found");
        live_[i] = live_.back();
        live_.pop_back();
        dead_.push_back(r.h);
        if (dead_.size() > 64)
            dead_.erase(dead_.begin());
    }

    void pin_last() {
        pin& p = pins_.back();
        const auto r =
            std::find_if(live_.begin(), live_.end(), [&](const record& x) { return x.id == p.id; });
        p.guard = arenite::handle<small_object>{r->h.h}.pin();
        if (!p.guard)
            wrong("what lives is not pinned");
    }

    void check(const record& r) {
        with_kind(r.kind, [&]<class K>(std::type_identity<K>) {
            const K* const object = arenite::handle<K>{r.h.h}.get();
            if (object == nullptr)
                wrong("an object is lost");
            else if (!arenite::is_aligned(object, alignof(K)))
                wrong("an object is not aligned");
            else if (object->id != r.id || !object->intact())
                wrong("an object is not what it was");
            else if (arenite::handle_of(*object).untyped().id() != r.h.h.id())
                wrong("handle_of gives another handle");
        });
    }

    void check_all() {
        std::size_t owning = 0;
        for (const record& r : live_) {
            if (!right())
                return;
            check(r);
            owning += r.kind == 1 ? 1u : 0u;
        }
        for (const pin& p : pins_)
            if (reinterpret_cast<const small_object*>(p.guard.get())->id != p.id)
                wrong("a pinned object moved");
        const arenite::usage u = heap_.usage();
        if (u.live_allocations != live_.size())
            wrong("another number of objects lives");
        if (u.bytes_in_use > u.bytes_reserved || u.high_water_bytes < u.bytes_in_use)
            wrong("usage does not add up");
        std::size_t listed = 0;
        const owning_object* before = nullptr;
        heap_.template for_each<owning_object>([&](owning_object& x) {
            ++listed;
            if (&x <= before || !x.intact())
                wrong("for_each is out of order");
            before = &x;
        });
        if (listed != owning)
            wrong("for_each meets another number of objects");
    }

    struct pin {
        // NOLINTNEXTLINE(google-explicit-constructor)
        pin(std::uint64_t i) : id{i} {}
        std::uint64_t id;
        arenite::pinned<small_object> guard;
    };

    static constexpr std::size_t most_objects = 40'000;

    arenite::compacting_heap& heap_;
    bool may_fail_;
    std::vector<record> live_;
    std::vector<any_handle> dead_;
    std::vector<pin> pins_;
    std::uint64_t last_id_ = 0;
};

} // namespace support
