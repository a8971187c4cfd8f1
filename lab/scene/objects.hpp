// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../probes/random.hpp"
#include "../probes/request.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

// A scene of polymorphic objects, as VulkanSceneGraph has them: virtual destructors, counted
// references, and an operator new and delete of the class itself. operator delete gets the size
// of the object, and not which heap it came from.
//
//     group 48 B ---> child array, 8 B a child       nodes
//       |  leaf 32 B
//       |  geometry 80 B
//                |
//                +--> array 64 B ---> elements       data
//
// The sizes are those of VulkanSceneGraph's objects, or a little less.

namespace arenite::lab::objects {

/// Where the objects of a scene come from. What is freed goes to no heap in particular: the size is
/// told, or not.
template <class S, bool Sized>
struct memory {
    static inline S* nodes = nullptr;
    static inline S* data = nullptr;

    static void free(void* p, std::size_t bytes) noexcept {
        if constexpr (Sized)
            S::deallocate_any(p, bytes, alignment_of_new(bytes));
        else
            S::deallocate_any(p);
    }
};

template <class M>
class object {
public:
    object() = default;
    object(const object&) = delete;
    object& operator=(const object&) = delete;

    static void* operator new(std::size_t bytes) {
        return M::nodes->allocate(bytes, alignment_of_new(bytes));
    }
    static void operator delete(void* p, std::size_t bytes) noexcept { M::free(p, bytes); }

    void ref() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    void unref() const noexcept {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
            delete this;
    }

protected:
    virtual ~object() = default;

private:
    mutable std::atomic<std::uint32_t> references_{0};
    void* auxiliary_ = nullptr; ///< a name, a user's own data: as a rule there is none
};

/// Holds a reference.
template <class T>
class ref_ptr {
public:
    ref_ptr() noexcept = default;
    explicit ref_ptr(T* p) noexcept : p_{p} { p_->ref(); }
    ref_ptr(ref_ptr&& other) noexcept : p_{std::exchange(other.p_, nullptr)} {}
    ref_ptr& operator=(ref_ptr&& other) noexcept {
        std::swap(p_, other.p_);
        return *this;
    }
    ~ref_ptr() { reset(); }

    void reset() noexcept {
        if (T* const gone = std::exchange(p_, nullptr))
            gone->unref();
    }
    [[nodiscard]] T* get() const noexcept { return p_; }
    T* operator->() const noexcept { return p_; }

private:
    T* p_ = nullptr;
};

/// The result of a visit.
struct visit {
    std::uint64_t sum = 0;
};

template <class M>
class node : public object<M> {
public:
    virtual void accept(visit& v) const = 0;
};

template <class M>
class leaf final : public node<M> {
public:
    explicit leaf(std::uint64_t number) noexcept : number_{number} {}
    void accept(visit& v) const override { v.sum = v.sum * 31 + number_; }

private:
    std::uint64_t number_;
};

/// An array object with its elements in memory of their own, both among the data.
template <class M>
class array final : public object<M> {
public:
    explicit array(std::size_t bytes)
        : elements_{static_cast<std::byte*>(M::data->allocate(bytes, alignment_of_new(bytes)))},
          bytes_{bytes} {
        for (std::size_t at = 0; at < bytes; at += 512)
            elements_[at] = std::byte{1};
    }
    ~array() override { M::free(elements_, bytes_); }

    static void* operator new(std::size_t bytes) {
        return M::data->allocate(bytes, alignment_of_new(bytes));
    }
    static void operator delete(void* p, std::size_t bytes) noexcept { M::free(p, bytes); }

private:
    std::byte* elements_;
    std::size_t bytes_;
    std::uint64_t properties_[3] = {};
};

template <class M>
class geometry final : public node<M> {
public:
    geometry(std::uint64_t number, std::size_t bytes)
        : number_{number}, vertices_{new array<M>{bytes}} {}
    void accept(visit& v) const override {
        v.sum = v.sum * 31 + number_ + static_cast<std::uint64_t>(bound_[3]);
    }

private:
    std::uint64_t number_;
    double bound_[4] = {0, 0, 0, 1};
    ref_ptr<array<M>> vertices_;
};

/// A group's children lie in an array of exactly their number, which is made anew when one is
/// added.
template <class M>
class group final : public node<M> {
public:
    using child = ref_ptr<node<M>>;

    explicit group(std::uint32_t count) : children_{make(count)}, count_{count} {}
    ~group() override {
        for (std::uint32_t i = 0; i < count_; ++i)
            children_[i].~child();
        M::free(children_, bytes(count_));
    }

    [[nodiscard]] child& operator[](std::uint32_t i) noexcept { return children_[i]; }
    [[nodiscard]] std::uint32_t count() const noexcept { return count_; }

    void add(child added) {
        child* const more = make(count_ + 1);
        move_to(more, count_);
        more[count_++] = std::move(added);
    }
    void remove_last() {
        children_[count_ - 1].reset();
        child* const fewer = make(count_ - 1);
        const std::uint32_t before = count_--;
        move_to(fewer, before);
    }

    void accept(visit& v) const override {
        for (std::uint32_t i = 0; i < count_; ++i)
            children_[i]->accept(v);
    }

private:
    [[nodiscard]] static std::size_t bytes(std::uint32_t count) noexcept {
        return (count + (count == 0)) * sizeof(child);
    }
    [[nodiscard]] static child* make(std::uint32_t count) {
        auto* const made =
            static_cast<child*>(M::nodes->allocate(bytes(count), alignment_of_new(bytes(count))));
        for (std::uint32_t i = 0; i < count; ++i)
            ::new (static_cast<void*>(made + i)) child;
        return made;
    }
    /// Moves the children into another array, of the one that had room for `before`.
    void move_to(child* other, std::uint32_t before) noexcept {
        for (std::uint32_t i = 0; i < before; ++i) {
            if (i < count_)
                other[i] = std::move(children_[i]);
            children_[i].~child();
        }
        M::free(children_, bytes(before));
        children_ = other;
    }

    child* children_;
    std::uint32_t count_;
    std::uint64_t mask_ = ~std::uint64_t{0}; ///< who is to see it
};

// ---- scenes -------------------------------------------------------------------------------------

/// Makes scenes: the same ones for each subject.
template <class M>
class builder {
public:
    using child = typename group<M>::child;

    explicit builder(std::uint64_t seed) : random_{seed} {}

    /// A complete tree whose inner nodes have four children each.
    [[nodiscard]] child quad_tree(int levels) {
        ++made_;
        if (levels == 0)
            return child{new leaf<M>{made_}};
        auto* const g = new group<M>{4};
        child held{g};
        ++made_; // its array
        for (std::uint32_t i = 0; i < 4; ++i)
            (*g)[i] = quad_tree(levels - 1);
        return held;
    }

    /// Groups of up to eight children down to so many geometries; `lowest(group)` is called for
    /// those that have geometries.
    template <class Lowest>
    [[nodiscard]] child model(std::size_t geometries, Lowest lowest) {
        constexpr std::size_t most = 8;
        const bool is_lowest = geometries <= most;
        const std::size_t count = is_lowest ? geometries : most;
        auto* const g = new group<M>{static_cast<std::uint32_t>(count)};
        child held{g};
        made_ += 2;
        for (std::size_t i = 0; i < count; ++i)
            (*g)[static_cast<std::uint32_t>(i)] =
                is_lowest ? one_geometry() : model((geometries + count - 1 - i) / count, lowest);
        if (is_lowest)
            lowest(g);
        return held;
    }
    [[nodiscard]] child model(std::size_t geometries) {
        return model(geometries, [](group<M>*) {});
    }

    /// With its array and its elements: 48 to 1008 bytes, of one in 64 up to 16 KiB.
    [[nodiscard]] child one_geometry() {
        made_ += 3;
        const std::size_t bytes =
            random_.below(64) == 0 ? 1024 + 16 * random_.below(960) : 48 + 16 * random_.below(61);
        return child{new geometry<M>{made_, bytes}};
    }

    /// Objects and arrays so far.
    [[nodiscard]] std::size_t made() const noexcept { return made_; }
    [[nodiscard]] random_source& random() noexcept { return random_; }

private:
    random_source random_;
    std::size_t made_ = 0;
};

} // namespace arenite::lab::objects
