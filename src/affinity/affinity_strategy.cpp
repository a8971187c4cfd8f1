// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The strategy of all affinities: one number, read from ARENITE_AFFINITY when it is first asked
// for, changed by use_affinity_strategy(). Numbers from first_own on stand for users' upstreams. A
// change stops the fast path of the calling thread; other threads see it at their next slow call.
// Read now() first. Objects of an earlier strategy stay valid: each free finds its way by its
// address, not by the strategy of the moment.
#include <arenite/affinity/affinity_strategy.hpp>

#include <arenite/affinity/detail/outside_memory.hpp>
#include <arenite/affinity/detail/thread_table.hpp>
#include <arenite/check/passthrough.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::chosen_strategy;

namespace {

/// Not read from the environment at load: allocation begins before main, perhaps before this file's
/// other statics could be initialised; so all of them are constinit.
constexpr unsigned not_yet_asked = UINT32_MAX;
constinit std::atomic<unsigned> chosen{
    ARENITE_IS_MALLOC ? static_cast<unsigned>(affinity_strategy::ordered) : not_yet_asked};

unsigned strategy_from_environment() noexcept {
    const char* const text = std::getenv("ARENITE_AFFINITY");
    if (text == nullptr || *text == '\0')
        return static_cast<unsigned>(affinity_strategy::ordered);
    const std::string_view word{text};
    for (const auto& [name, strategy] :
         {std::pair{std::string_view{"ordered"}, affinity_strategy::ordered},
          std::pair{std::string_view{"intrusive"}, affinity_strategy::intrusive},
          std::pair{std::string_view{"slots"}, affinity_strategy::slots},
          std::pair{std::string_view{"standard"}, affinity_strategy::standard}})
        if (word == name)
            return static_cast<unsigned>(strategy);
    std::fprintf(stderr,
                 "arenite: ARENITE_AFFINITY=%.40s is none of ordered, intrusive, slots, standard; "
                 "taken as ordered\n",
                 text);
    return static_cast<unsigned>(affinity_strategy::ordered);
}

/// Other threads follow at their next slow call.
void choose(unsigned number) noexcept {
    chosen.store(number, std::memory_order_relaxed);
    if (detail::thread_table* const mine = detail::thread_table::mine())
        mine->stop_all();
}

} // namespace

chosen_strategy chosen_strategy::now() noexcept {
    const unsigned number = chosen.load(std::memory_order_relaxed);
    if (number != not_yet_asked) [[likely]]
        return chosen_strategy{number};
    const unsigned asked = passthrough() ? static_cast<unsigned>(affinity_strategy::standard)
                                         : strategy_from_environment();
    // Two threads may ask at once, and a third may have chosen by use_affinity_strategy()
    // meanwhile: the first number stored stays.
    unsigned expected = not_yet_asked;
    return chosen_strategy{chosen.compare_exchange_strong(expected, asked) ? asked : expected};
}

void chosen_strategy::set(affinity_strategy strategy) noexcept {
    choose(static_cast<unsigned>(strategy));
}

void chosen_strategy::set_own(unsigned source) noexcept { choose(first_own + source); }

void use_affinity_strategy(affinity_strategy strategy) noexcept {
    // Where all is to go to malloc, it does: by operator new.
    chosen_strategy::set(passthrough() ? affinity_strategy::standard : strategy);
}

void use_affinity_strategy(upstream own) noexcept {
    chosen_strategy::set_own(detail::outside_memory::source_of(own));
}

std::string_view affinity_strategy_name() noexcept {
    const chosen_strategy now = chosen_strategy::now();
    if (now == affinity_strategy::ordered)
        return "ordered";
    if (now == affinity_strategy::intrusive)
        return "intrusive";
    if (now == affinity_strategy::slots)
        return "slots";
    return now == affinity_strategy::standard ? "standard" : "own";
}

} // namespace ARENITE_ABI
} // namespace arenite
