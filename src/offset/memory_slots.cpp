// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// An offset_allocator does the work; here offsets become its handles, and what it did is checked,
// logged and shown. The index is needed because callers keep an offset and no handle: release()
// looks the handle up, then has it checked like any other. Read reserve() and release(); check() is
// what options.checks runs after each of them.
#include <arenite/offset/memory_slots.hpp>

#include <arenite/core/contract.hpp>

#include <ostream>
#include <source_location>

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

/// Adds up the stretches of a range, which come in order.
class stretch_sums final : public region_sink {
public:
    std::size_t used = 0, free = 0, slots = 0, end = 0;
    bool in_order = true;

private:
    void add(const region& r) override {
        in_order = in_order && reinterpret_cast<std::uintptr_t>(r.address) == end;
        end += r.bytes;
        const bool is_used = r.state == region_state::used;
        (is_used ? used : free) += r.bytes;
        slots += is_used ? 1 : 0;
    }
};

/// Writes each stretch.
class stretch_lines final : public region_sink {
public:
    explicit stretch_lines(std::ostream& out) : out_{&out} {}

private:
    void add(const region& r) override {
        *out_ << "    " << (r.state == region_state::used ? "reserved  " : "available ")
              << reinterpret_cast<std::uintptr_t>(r.address) << ", " << r.bytes << " bytes\n";
    }
    std::ostream* out_;
};

} // namespace

memory_slots::memory_slots(std::size_t total, const memory_slots_options& options, upstream memory)
    : parts_{total, memory}, index_{memory}, options_{options} {}

std::optional<std::size_t> memory_slots::reserve(std::size_t bytes,
                                                 std::size_t alignment) noexcept {
    [[maybe_unused]] const auto inside = parts_.threads().enter("memory_slots", this);
    std::optional<std::size_t> at;
    // Room in the index first: with a part and no place for it the part would be lost.
    if (index_.reserve()) {
        if (const auto part = parts_.try_allocate(bytes, alignment)) {
            index_.add(*part);
            at = static_cast<std::size_t>(part->offset);
        }
    }
    done({at ? memory_slots_options::action_kind::reserved
             : memory_slots_options::action_kind::refused,
          at.value_or(0), bytes, alignment});
    return at;
}

void memory_slots::release(std::size_t offset, std::size_t bytes) {
    [[maybe_unused]] const auto inside = parts_.threads().enter("memory_slots", this);
    const offset_allocation part = index_.find(offset, bytes != 0 ? bytes : 1);
    if (!parts_.is_live(part)) [[unlikely]]
        refuse(offset, bytes);
    // After the check: a wrong release has changed nothing when its handler runs.
    index_.remove(offset);
    parts_.deallocate(part);
    done({memory_slots_options::action_kind::released, offset, bytes, 0});
}

void memory_slots::clear() noexcept {
    [[maybe_unused]] const auto inside = parts_.threads().enter("memory_slots", this);
    parts_.clear();
    index_.clear();
}

bool memory_slots::is_reserved(std::size_t offset, std::size_t bytes) const noexcept {
    return parts_.is_live(index_.find(offset, bytes != 0 ? bytes : 1));
}

bool memory_slots::check() const noexcept {
    stretch_sums sums;
    // Three books must agree: stretches without gaps or overlaps, the sums, and the index.
    parts_.list_regions(sums);
    bool known = true;
    parts_.for_each([&](const offset_allocation& a, std::uint64_t) {
        known = known && index_.find(a.offset, a.bytes) == a;
    });
    return known && sums.in_order && sums.used == total_reserved_size() &&
           sums.free == total_available_size() && sums.slots == index_.count() &&
           sums.end == total_memory_size();
}

void memory_slots::report(std::ostream& out) const {
    out << "memory_slots: " << total_memory_size() << " bytes, " << total_reserved_size()
        << " reserved in " << index_.count() << " slots, " << total_available_size()
        << " available, the longest stretch " << maximum_available_space() << '\n';
    stretch_lines lines{out};
    parts_.list_regions(lines);
}

void memory_slots::done(const memory_slots_options::action& action) const noexcept {
    if (options_.checks && !check())
        contract_violation("memory_slots: the bookkeeping does not add up");
    if (options_.on_action != nullptr)
        options_.on_action(action, options_.user);
}

void memory_slots::refuse(std::size_t offset, std::size_t bytes) const {
    contract_violation_f(std::source_location::current(),
                         "memory_slots %p: release(%zu, %zu) of what is not reserved, was released "
                         "already, or has another size",
                         static_cast<const void*>(this), offset, bytes);
}

} // namespace ARENITE_ABI
} // namespace arenite
