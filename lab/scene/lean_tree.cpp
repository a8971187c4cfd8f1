// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "lean_tree.hpp"

namespace arenite::lab::lean {

std::uint64_t visit_group(const node* n) {
    if (n->tag == type::leaf)
        return n->value;
    const group* g = static_cast<const group*>(n);
    std::uint64_t sum = g->value;
    for (node* const* child = g->first; child != g->last; ++child)
        sum += visit_group(*child);
    return sum;
}

std::uint64_t visit_quad(const node* n) {
    if (n->tag == type::leaf)
        return n->value;
    const quad* q = static_cast<const quad*>(n);
    std::uint64_t sum = q->value;
    for (const node* child : q->children)
        sum += visit_quad(child);
    return sum;
}

} // namespace arenite::lab::lean
