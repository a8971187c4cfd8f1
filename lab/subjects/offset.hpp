// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"

#include <arenite/core/system_resource.hpp>
#include <arenite/offset/memory_slots.hpp>
#include <arenite/offset/offset_allocator.hpp>
#include <arenite/offset/offset_heap.hpp>
#include <arenite/offset/offset_moves.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace arenite::lab {

/// offset_allocator, and offset_heap.
struct offset_bins {
    class offsets {
    public:
        using part = offset_allocation;

        offsets(std::uint64_t capacity, std::uint64_t granularity)
            : range_{capacity, {.granularity = granularity, .user_data = true}} {}

        [[nodiscard]] std::optional<part> allocate(std::uint64_t bytes, std::uint64_t alignment,
                                                   std::uint64_t owner) {
            return range_.try_allocate(bytes, alignment, {.user_data = owner});
        }
        void deallocate(const part& p) { range_.deallocate(p); }
        [[nodiscard]] static std::uint64_t end(const part& p) { return p.offset + p.bytes; }

        /// Room for one request, by moves; moved(owner, part) tells of each.
        template <class Moved>
        void make_room(std::uint64_t bytes, std::uint64_t alignment, Moved moved) {
            const offset_moves todo = range_.make_room(bytes, alignment, {.moves = 64});
            range_.commit(todo);
            for (const offset_move& m : todo)
                moved(m.user_data, m.to, m.bytes());
        }

    private:
        offset_allocator range_;
    };

    class block_heap {
    public:
        using part = offset_allocation;

        explicit block_heap(std::uint64_t block_bytes)
            : heap_{{.get = [](std::uint64_t, void* names) noexcept -> void* {
                         return reinterpret_cast<void*>(++*static_cast<std::uintptr_t*>(names));
                     },
                     .give_back = [](void*, std::uint64_t, void*) noexcept {},
                     .user = &names_},
                    {.parts = {.granularity = 256, .user_data = true},
                     .first_block_bytes = block_bytes,
                     .largest_block_bytes = block_bytes,
                     .keep_empty_blocks = 0}} {}

        [[nodiscard]] part allocate(std::uint64_t bytes, std::uint64_t owner) {
            return *heap_.try_allocate(bytes, 1, {.user_data = owner});
        }
        void deallocate(const part& p) { heap_.deallocate(p); }

        [[nodiscard]] std::uint64_t plan(std::size_t count) {
            planned_ = heap_.step({.moves = count});
            return planned_.bytes();
        }
        [[nodiscard]] bool settle() {
            heap_.commit(planned_);
            return planned_.done();
        }

        [[nodiscard]] std::size_t block_count() const { return heap_.block_count(); }
        [[nodiscard]] std::uint64_t bytes_in_use() const { return heap_.usage().bytes_in_use; }

        template <class F>
        void for_each(F f) const {
            heap_.for_each([&](const part& p, std::uint64_t owner) {
                f(owner, heap_.block_of(p), p.offset, p.bytes);
            });
        }

    private:
        std::uintptr_t names_ = 0;
        offset_heap heap_;
        offset_moves planned_{&system_resource()};
    };

    static std::vector<subject_info> ways() {
        return {
            {.name = "arenite.offset", .summary = "offset_allocator, offset_heap", .pages = "4k"}};
    }
};

/// The base of the yardsticks' maps: holes and parts by offset, both in trees.
class offset_maps {
public:
    struct part {
        std::uint64_t offset, bytes;
    };

    offset_maps(std::uint64_t capacity, std::uint64_t granularity) : granularity_{granularity} {
        add(0, capacity);
    }
    [[nodiscard]] static std::uint64_t end(const part& p) { return p.offset + p.bytes; }

    void deallocate(const part& p) {
        std::uint64_t begin = p.offset, bytes = p.bytes;
        auto behind = by_offset_.lower_bound(begin);
        if (behind != by_offset_.end() && behind->first == begin + bytes) {
            bytes += behind->second;
            behind = remove(behind);
        }
        if (behind != by_offset_.begin()) {
            const auto before = std::prev(behind);
            if (before->first + before->second == begin) {
                begin = before->first;
                bytes += before->second;
                remove(before);
            }
        }
        add(begin, bytes);
    }

protected:
    using hole = std::map<std::uint64_t, std::uint64_t>::iterator;

    [[nodiscard]] std::uint64_t rounded(std::uint64_t bytes) const {
        return (bytes + granularity_ - 1) / granularity_ * granularity_;
    }
    [[nodiscard]] static bool fits(std::uint64_t begin, std::uint64_t length, std::uint64_t bytes,
                                   std::uint64_t alignment) {
        const std::uint64_t at = (begin + alignment - 1) / alignment * alignment;
        return at + bytes <= begin + length;
    }
    [[nodiscard]] part take(hole h, std::uint64_t bytes, std::uint64_t alignment) {
        const auto [begin, length] = *h;
        remove(h);
        const std::uint64_t at = (begin + alignment - 1) / alignment * alignment;
        if (at != begin)
            add(begin, at - begin);
        if (at + bytes != begin + length)
            add(at + bytes, begin + length - at - bytes);
        return {at, bytes};
    }

    std::map<std::uint64_t, std::uint64_t> by_offset_;
    std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_; ///< and offset

private:
    void add(std::uint64_t begin, std::uint64_t bytes) {
        by_offset_.emplace(begin, bytes);
        by_size_.emplace(bytes, begin);
    }
    hole remove(hole h) {
        by_size_.erase({h->second, h->first});
        return by_offset_.erase(h);
    }

    std::uint64_t granularity_;
};

/// The shortest hole that fits, the lowest of these: a yardstick.
struct offset_best_fit {
    class offsets : public offset_maps {
    public:
        using offset_maps::offset_maps;
        [[nodiscard]] std::optional<part> allocate(std::uint64_t bytes, std::uint64_t alignment,
                                                   std::uint64_t) {
            bytes = rounded(bytes);
            for (auto h = by_size_.lower_bound({bytes, 0}); h != by_size_.end(); ++h) {
                if (fits(h->second, h->first, bytes, alignment))
                    return take(by_offset_.find(h->second), bytes, alignment);
            }
            return std::nullopt;
        }
    };
    static std::vector<subject_info> ways() {
        return {{.name = "best_fit", .summary = "exact best fit, in two trees", .pages = "4k"}};
    }
};

/// The lowest hole that fits, found by looking at all: a yardstick.
struct offset_first_fit {
    class offsets : public offset_maps {
    public:
        using offset_maps::offset_maps;
        [[nodiscard]] std::optional<part> allocate(std::uint64_t bytes, std::uint64_t alignment,
                                                   std::uint64_t) {
            bytes = rounded(bytes);
            for (auto h = by_offset_.begin(); h != by_offset_.end(); ++h) {
                if (fits(h->first, h->second, bytes, alignment))
                    return take(h, bytes, alignment);
            }
            return std::nullopt;
        }
    };
    static std::vector<subject_info> ways() {
        return {{.name = "first_fit",
                 .summary = "exact first fit, by a walk",
                 .pages = "4k",
                 .on_request = true}};
    }
};

/// MemorySlots as VulkanSceneGraph's author describes it: a multimap of what is available by size,
/// a map of the same by offset, and one of what is reserved.
struct offset_memory_slots {
    class offsets {
    public:
        struct part {
            std::uint64_t offset, bytes;
        };
        offsets(std::uint64_t capacity, std::uint64_t granularity) : granularity_{granularity} {
            insert(0, capacity);
        }
        [[nodiscard]] static std::uint64_t end(const part& p) { return p.offset + p.bytes; }

        [[nodiscard]] std::optional<part> allocate(std::uint64_t bytes, std::uint64_t alignment,
                                                   std::uint64_t) {
            bytes = (bytes + granularity_ - 1) / granularity_ * granularity_;
            for (auto h = available_.lower_bound(bytes); h != available_.end(); ++h) {
                const auto [length, begin] = *h;
                const std::uint64_t at = (begin + alignment - 1) / alignment * alignment;
                if (at + bytes > begin + length)
                    continue;
                available_.erase(h);
                sizes_.erase(begin);
                if (at != begin)
                    insert(begin, at - begin);
                if (at + bytes != begin + length)
                    insert(at + bytes, begin + length - at - bytes);
                reserved_.emplace(at, bytes);
                return part{at, bytes};
            }
            return std::nullopt;
        }

        void deallocate(const part& p) {
            reserved_.erase(p.offset);
            std::uint64_t begin = p.offset, bytes = p.bytes;
            auto behind = sizes_.lower_bound(begin);
            if (behind != sizes_.end() && behind->first == begin + bytes) {
                bytes += behind->second;
                behind = remove(behind);
            }
            if (behind != sizes_.begin()) {
                const auto before = std::prev(behind);
                if (before->first + before->second == begin) {
                    begin = before->first;
                    bytes += before->second;
                    remove(before);
                }
            }
            insert(begin, bytes);
        }

    private:
        using slot = std::map<std::uint64_t, std::uint64_t>::iterator;
        void insert(std::uint64_t begin, std::uint64_t bytes) {
            available_.emplace(bytes, begin);
            sizes_.emplace(begin, bytes);
        }
        slot remove(slot s) {
            auto [h, end] = available_.equal_range(s->second);
            while (h != end && h->second != s->first)
                ++h;
            available_.erase(h);
            return sizes_.erase(s);
        }

        std::multimap<std::uint64_t, std::uint64_t> available_;
        std::map<std::uint64_t, std::uint64_t> sizes_;
        std::map<std::uint64_t, std::uint64_t> reserved_;
        std::uint64_t granularity_;
    };

    static std::vector<subject_info> ways() {
        return {{.name = "memory_slots",
                 .summary = "two maps and a multimap, as MemorySlots is described (seed 1)",
                 .pages = "4k"}};
    }
};

/// Our memory_slots: the same interface, released by offset and size.
struct slots_by_offset {
    class offsets {
    public:
        struct part {
            std::uint64_t offset, bytes;
        };
        offsets(std::uint64_t capacity, std::uint64_t granularity)
            : slots_{static_cast<std::size_t>(capacity)}, granularity_{granularity} {}
        [[nodiscard]] static std::uint64_t end(const part& p) { return p.offset + p.bytes; }

        [[nodiscard]] std::optional<part> allocate(std::uint64_t bytes, std::uint64_t alignment,
                                                   std::uint64_t) {
            bytes = (bytes + granularity_ - 1) / granularity_ * granularity_;
            const std::optional<std::size_t> at = slots_.reserve(
                static_cast<std::size_t>(bytes), static_cast<std::size_t>(alignment));
            if (!at)
                return std::nullopt;
            return part{*at, bytes};
        }
        void deallocate(const part& p) {
            slots_.release(static_cast<std::size_t>(p.offset), static_cast<std::size_t>(p.bytes));
        }

    private:
        memory_slots slots_;
        std::uint64_t granularity_;
    };

    static std::vector<subject_info> ways() {
        return {{.name = "arenite.memory_slots",
                 .summary = "memory_slots: an offset_allocator, and a table by offset",
                 .pages = "4k"}};
    }
};

} // namespace arenite::lab
