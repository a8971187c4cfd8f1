// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "support/driver.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace support {

/// An object whose life is followed; on_acquire throws nothing and releases nothing.
template <std::size_t Bytes, std::size_t Alignment>
struct alignas(Alignment) followed {
    static inline std::size_t alive = 0;
    static constexpr std::uint64_t free = 0;

    followed() noexcept { ++alive; }
    explicit followed(std::uint64_t i) noexcept : id{i} { ++alive; } // where each is constructed
    followed(const followed&) = delete;
    followed& operator=(const followed&) = delete;
    ~followed() { --alive; }

    void on_acquire(std::uint64_t i) noexcept { id = i; }
    void on_release() noexcept { id = free; }

    std::uint64_t id = free;
    unsigned char rest[Bytes - sizeof(std::uint64_t)];
};

/// Programs of operations on an object_pool of followed objects (see operations.hpp): they come and
/// go singly, in rows and at random, are gone through whole and in parts and released meanwhile,
/// are looked at through weak references, and trimmed, beside a map of what is in use.
template <class Pool>
class object_pool_operations : public driver {
public:
    using object = typename Pool::value_type;

    /// `may_fail`: its upstream may refuse.
    explicit object_pool_operations(Pool& pool, bool may_fail = false)
        : pool_{pool}, may_fail_{may_fail}, before_{object::alive} {}

private:
    using pointer = typename Pool::pointer;
    struct watch {
        typename Pool::weak_ptr reference;
        std::uint64_t id;
    };
    static constexpr std::size_t most = 20'000;

    void end() override {
        owners_.clear();
        check();
        if (pool_.trim(), object::alive != before_)
            wrong("objects are alive after all went back and a trim");
        for (const watch& w : watched_)
            if (!w.reference.expired())
                wrong("a weak reference leads to an object that is gone");
    }

    void one(decisions& source) override {
        switch (source.byte() % 15) {
        case 0:
        case 1:
            acquire();
            break;
        case 2:
        case 3:
            for (std::size_t i = source.byte(); i > 0; --i)
                acquire();
            break;
        case 4:
        case 5:
            release_at(below(owners_.size()));
            break;
        case 6: // at random
            for (std::size_t i = source.byte(); i > 0; --i)
                release_at(below(owners_.size()));
            break;
        case 7: { // neighbours, upward or downward
            sort_owners();
            const std::size_t from = below(owners_.size());
            const std::size_t to = std::min(owners_.size(), from + source.byte());
            if (source.byte() % 2 != 0)
                std::reverse(owners_.begin() + static_cast<std::ptrdiff_t>(from),
                             owners_.begin() + static_cast<std::ptrdiff_t>(to));
            for (std::size_t i = from; i < to; ++i)
                owners_[i].reset();
            owners_.erase(owners_.begin() + static_cast<std::ptrdiff_t>(from),
                          owners_.begin() + static_cast<std::ptrdiff_t>(to));
            break;
        }
        case 8:
            if (!owners_.empty()) {
                const pointer& x = owners_[below(owners_.size())];
                watched_.push_back({pool_.weak(x), x->id});
            }
            break;
        case 9:
            if (source.byte() % 4 == 0)
                look_at_the_watched();
            break;
        case 10:
            if (source.byte() % 8 == 0)
                pool_.trim();
            break;
        case 11:
            if (source.byte() % 4 == 0)
                visit(1 + source.byte() % 9);
            break;
        case 12:
            if (source.byte() % 16 == 0)
                release_while_visiting(source.byte());
            break;
        case 13:
            if (!owners_.empty())
                pool_.release(owners_.back()), owners_.pop_back();
            break;
        case 14:
            if (source.byte() % 8 == 0)
                reserve(std::size_t{source.byte()} * 32);
            break;
        }
        check();
    }

    void acquire() {
        if (owners_.size() >= most)
            return;
        pointer x = pool_.try_acquire(++next_id_);
        if (x == nullptr) {
            if (owners_.size() < pool_.capacity() && !may_fail_)
                wrong("an acquire failed");
            return;
        }
        if (x->id != next_id_)
            wrong("an object was not told that it is acquired");
        if (!pool_.contains(x.get()) || &Pool::pool_of(*x) != &pool_)
            wrong("the pool does not know its object");
        std::fill(std::begin(x->rest), std::end(x->rest), static_cast<unsigned char>(next_id_));
        owners_.push_back(std::move(x));
    }

    void reserve(std::size_t objects) {
        const bool done = pool_.try_reserve(objects);
        if (done ? objects > pool_.capacity() : objects <= pool_.capacity() && !may_fail_)
            wrong("a reserve did not do what it can");
    }

    void release_at(std::size_t i) {
        if (i >= owners_.size())
            return;
        const object& x = *owners_[i];
        if (std::any_of(std::begin(x.rest), std::end(x.rest),
                        [&](unsigned char c) { return c != static_cast<unsigned char>(x.id); }))
            wrong("an object was overwritten");
        owners_[i] = std::move(owners_.back());
        owners_.pop_back();
    }

    /// By their addresses, as raw pointers: to move owners about takes long under a sanitizer.
    void sort_owners() {
        std::vector<object*> all;
        all.reserve(owners_.size());
        for (pointer& x : owners_)
            all.push_back(x.release());
        std::sort(all.begin(), all.end());
        for (std::size_t i = 0; i < all.size(); ++i)
            owners_[i] = pointer{all[i]};
    }

    void look_at_the_watched() {
        std::map<std::uint64_t, const object*> in_use;
        for (const pointer& x : owners_)
            in_use.emplace(x->id, x.get());
        for (const watch& w : watched_) {
            const auto found = in_use.find(w.id);
            if (w.reference.get() != (found == in_use.end() ? nullptr : found->second))
                wrong("a weak reference leads to something else");
        }
    }

    void visit(std::size_t parts) {
        std::size_t seen = 0;
        const object* before = nullptr;
        for (std::size_t i = 0; i < parts; ++i) {
            for (const object& x : std::as_const(pool_).part(i, parts)) {
                if (x.id == object::free || &x <= before)
                    wrong("a visit came to what is not in use, or out of order");
                before = &x;
                ++seen;
            }
        }
        std::size_t seen_by_function = 0;
        pool_.for_each([&](const object&) { ++seen_by_function; });
        if (seen != owners_.size() || seen_by_function != owners_.size())
            wrong("a visit did not see all that are in use");
    }

    void release_while_visiting(std::size_t step) {
        sort_owners();
        std::size_t met = 0;
        for (object& x : pool_) {
            if (x.id == object::free)
                wrong("a visit came to what was released meanwhile");
            // This one and one ahead, where they are in use.
            for (const std::size_t i : {met, met + step})
                if (i < owners_.size() && i % 3 == 0)
                    owners_[i].reset();
            ++met;
        }
        std::erase_if(owners_, [](const pointer& x) { return x == nullptr; });
    }

    void check() {
        if (pool_.size() != owners_.size() || pool_.usage().live_allocations != owners_.size())
            wrong("the pool counts other objects in use than there are");
        if (object::alive - before_ != pool_.size() + pool_.idle())
            wrong("the pool counts other objects than are alive");
    }

    Pool& pool_;
    bool may_fail_;
    std::size_t before_;
    std::vector<pointer> owners_;
    std::vector<watch> watched_;
    std::uint64_t next_id_ = 0;
};

} // namespace support
