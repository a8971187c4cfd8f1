// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Observations: counted records that an observer_ptr points to, with a lock that the end of the
// object waits for. First the record, then the table that finds the one of an address, in parts
// with a lock each. A record has a user for the table and one for each observer_ptr, and goes with
// the last. The order of locks: a part of the table is never held while a record's lock is taken,
// so that the end of an object, which takes it out of the table and then ends it, can't meet an
// observer the wrong way round.
#include <arenite/object/observer_ptr.hpp>

#include <arenite/core/detail/spin_lock.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/system_resource.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

class observation {
public:
    explicit observation(const void* key) noexcept : key_{key} {}

    void share() noexcept { users_.fetch_add(1, std::memory_order_relaxed); }
    void leave() noexcept {
        // Release of what others did with it, acquire by the last.
        if (users_.fetch_sub(1, std::memory_order_acq_rel) != 1)
            return;
        std::destroy_at(this);
        system_resource().deallocate(this, sizeof(observation), alignof(observation));
    }

    [[nodiscard]] bool try_lock(bool (*try_add)(const void*), const void* object) noexcept {
        // Whoever ends the object waits here before he touches it.
        const std::lock_guard guard{ending_};
        return !over_.load(std::memory_order_relaxed) && try_add(object);
    }
    void end() noexcept {
        const std::lock_guard guard{ending_};
        // Once this returns no lock() is between its look and its try_add: the object may be
        // destroyed.
        over_.store(true, std::memory_order_release);
    }
    [[nodiscard]] bool is_over() const noexcept { return over_.load(std::memory_order_acquire); }

private:
    friend class observation_table;

    const void* key_;
    observation* next_ = nullptr; // in its bucket
    std::atomic<std::size_t> users_{1};
    spin_lock ending_;
    std::atomic<bool> over_{false};
};

// All that are observed, by the address of their count: a hash table in parts, each behind a lock.
// Constant-initialised and never destroyed, so good before main and after it.
class observation_table {
public:
    // With a user more; nullptr where there is no memory.
    [[nodiscard]] observation* find_or_add(const void* key) noexcept {
        const std::lock_guard guard{lock_};
        if (count_ >= capacity_)
            grow(); // refused: the buckets are longer
        if (capacity_ == 0)
            return nullptr;
        observation*& bucket = bucket_of(key);
        for (observation* o = bucket; o != nullptr; o = o->next_) {
            if (o->key_ == key) {
                o->share();
                return o;
            }
        }
        void* const p = system_resource().try_allocate(sizeof(observation), alignof(observation));
        if (p == nullptr)
            return nullptr;
        auto* const made = ::new (p) observation{key};
        made->share(); // the table is a user
        made->next_ = bucket;
        bucket = made;
        ++count_;
        return made;
    }

    // Takes an entry out; nullptr where there is none.
    [[nodiscard]] observation* take(const void* key) noexcept {
        const std::lock_guard guard{lock_};
        if (capacity_ == 0)
            return nullptr;
        for (observation** at = &bucket_of(key); *at != nullptr; at = &(*at)->next_) {
            if ((*at)->key_ == key) {
                --count_;
                observation* const found = *at;
                *at = found->next_;
                return found;
            }
        }
        return nullptr;
    }

    // By other bits of the address than the bucket.
    [[nodiscard]] static observation_table& part_of(const void* key) noexcept {
        return parts[hash(key) >> 60];
    }

private:
    [[nodiscard]] static std::uint64_t hash(const void* key) noexcept {
        return std::uint64_t{reinterpret_cast<std::uintptr_t>(key)} * 0x9e3779b97f4a7c15;
    }

    [[nodiscard]] observation*& bucket_of(const void* key) noexcept {
        return buckets_[(hash(key) >> 24) & (capacity_ - 1)];
    }

    void grow() noexcept {
        const std::size_t larger = std::max<std::size_t>(16, capacity_ * 2);
        void* const p =
            system_resource().try_allocate(larger * sizeof(observation*), alignof(observation*));
        if (p == nullptr)
            return;
        observation** const old = buckets_;
        const std::size_t old_capacity = capacity_;
        buckets_ = static_cast<observation**>(p);
        capacity_ = larger;
        std::fill_n(buckets_, larger, nullptr);
        for (std::size_t i = 0; i < old_capacity; ++i) {
            while (observation* const o = old[i]) {
                old[i] = o->next_;
                observation*& bucket = bucket_of(o->key_);
                o->next_ = bucket;
                bucket = o;
            }
        }
        if (old != nullptr)
            system_resource().deallocate(old, old_capacity * sizeof(observation*),
                                         alignof(observation*));
    }

    static observation_table parts[16];

    alignas(64) spin_lock lock_;
    observation** buckets_ = nullptr;
    std::size_t capacity_ = 0;
    std::size_t count_ = 0;
};

constinit observation_table observation_table::parts[16]{};

observation* observe(const void* object) {
    observation* const o = observation_table::part_of(object).find_or_add(object);
    if (o == nullptr)
        throw_out_of_memory(sizeof(observation), alignof(observation), nullptr);
    return o;
}

void share(observation* o) noexcept { o->share(); }
void leave(observation* o) noexcept { o->leave(); }

bool lock(observation* o, bool (*try_add)(const void*), const void* object) noexcept {
    return o->try_lock(try_add, object);
}

bool is_over(const observation* o) noexcept { return o->is_over(); }

void end_observation(const void* object) noexcept {
    observation* const o = observation_table::part_of(object).take(object);
    if (o == nullptr)
        return;
    o->end();
    o->leave();
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
