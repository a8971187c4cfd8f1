// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace support {

/// A list that uses its allocator as the containers of Visual C++ do, and as seed programs found
/// out: a constructor makes rebound temporaries, allocates a proxy and the sentinel with them
/// and destroys those; each erase copies an allocator, frees the node with the copy and destroys
/// it; the destructor frees the proxy with yet another temporary.
template <class T, class Allocator>
class proxy_list {
    struct node {
        node* next;
        node* previous;
        union {
            T value;
        };
        node() noexcept : next{this}, previous{this} {}
        ~node() {}
    };
    struct proxy {
        const proxy_list* container;
    };
    using traits = std::allocator_traits<Allocator>;
    using node_allocator = typename traits::template rebind_alloc<node>;
    using node_traits = std::allocator_traits<node_allocator>;
    using proxy_allocator = typename traits::template rebind_alloc<proxy>;
    using proxy_traits = std::allocator_traits<proxy_allocator>;

public:
    explicit proxy_list(const Allocator& allocator = Allocator()) : allocator_(allocator) {
        proxy_allocator temporary(allocator_);
        proxy_ = proxy_traits::allocate(temporary, 1);
        ::new (static_cast<void*>(proxy_)) proxy{this};
        head_ = make_node();
    }

    proxy_list(proxy_list&& other) : proxy_list(Allocator(other.allocator_)) {
        std::swap(head_, other.head_);
        std::swap(size_, other.size_);
    }

    ~proxy_list() {
        clear();
        free_node(head_);
        proxy_allocator temporary(allocator_); // not the one that allocated
        proxy_traits::deallocate(temporary, proxy_, 1);
    }

    void push_back(const T& value) {
        node* const n = make_node();
        node_allocator copy(allocator_);
        node_traits::construct(copy, std::addressof(n->value), value);
        n->next = head_;
        n->previous = head_->previous;
        n->previous->next = n;
        head_->previous = n;
        ++size_;
    }

    void pop_front() {
        node* const n = head_->next;
        n->next->previous = head_;
        head_->next = n->next;
        node_allocator copy(allocator_); // one for each erase
        node_traits::destroy(copy, std::addressof(n->value));
        node_traits::deallocate(copy, n, 1);
        --size_;
    }

    void clear() {
        while (size_ != 0)
            pop_front();
    }

    [[nodiscard]] T& front() { return head_->next->value; }
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    [[nodiscard]] node* make_node() {
        node* const n = node_traits::allocate(allocator_, 1);
        return ::new (static_cast<void*>(n)) node;
    }
    void free_node(node* n) {
        node_allocator copy(allocator_);
        node_traits::deallocate(copy, n, 1);
    }

    node_allocator allocator_;
    proxy* proxy_ = nullptr;
    node* head_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace support
