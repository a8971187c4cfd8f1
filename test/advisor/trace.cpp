// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <sys/resource.h>
#include <trace/columns.hpp>
#include <trace/live_objects.hpp>
#include <trace/reader.hpp>
#include <trace/writer.hpp>
#include <unistd.h>

namespace arenite::trace {
namespace {

std::string temporary() {
    return std::filesystem::temp_directory_path() /
           ("arenite-trace-test-" + std::to_string(::getpid()));
}

/// Events of every kind, some of which no program would make.
std::vector<event> random_events(std::size_t count, unsigned seed) {
    std::mt19937_64 random{seed};
    std::vector<event> all;
    std::vector<std::uint64_t> live;
    std::uint64_t time = 0;
    for (std::size_t i = 0; i < count; ++i) {
        event e;
        time += random() % 3 == 0 ? random() % 100000 / 128 * 128 : 0;
        e.time = time;
        e.thread = random() % 10 == 0 ? static_cast<std::uint32_t>(random() % 5) : 0;
        constexpr op kinds[]{op::malloc,  op::calloc,        op::memalign,     op::new_object,
                             op::free,    op::delete_object, op::delete_array, op::new_array,
                             op::realloc, op::resize_begins, op::mark};
        e.what = kinds[random() % std::size(kinds)];
        const auto any_live = [&]() -> std::uint64_t {
            return live.empty() || random() % 20 == 0 ? random() >> 16
                                                      : live[random() % live.size()];
        };
        if (is_allocation(e.what) || e.what == op::realloc) {
            e.address =
                (random() % 4 == 0 ? random() >> 17 : 0x7F0000000000 + random() % 100000 * 16);
            e.bytes = random() % 3 == 0 ? random() % 100000 : 48;
            e.stack = static_cast<std::uint32_t>(random() % 2000);
            if (e.what == op::realloc && random() % 4 != 0)
                e.old_address = any_live() | 1;
            if (e.what == op::memalign)
                e.log2_alignment = static_cast<std::uint8_t>(1 + random() % 20);
            live.push_back(e.address);
        } else {
            e.address = any_live();
            if (e.what == op::delete_object)
                e.bytes = random() % 2 ? 48 : random() % 1000;
        }
        all.push_back(e);
    }
    return all;
}

std::vector<event> read_all(source& from) {
    std::vector<event> all;
    for (auto part = from.next(); !part.empty(); part = from.next())
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

std::string contents(const std::string& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}
void put_contents(const std::string& path, std::string_view text) {
    std::ofstream{path, std::ios::binary} << text;
}

/// A trace with all tables, and its events.
std::vector<event> write_example(const std::string& path, std::size_t count) {
    const std::vector<event> events = random_events(count, 7);
    writer to{path};
    const module modules[]{{"/usr/lib/libx.so", "0123"}, {"/bin/y", ""}};
    to.put_modules(modules);
    const std::vector<frame> stacks[]{{{1, 100}, {2, 50}}, {{2, 77}}};
    to.put_stacks(stacks);
    for (const event& e : events)
        to.put(e);
    to.flush();
    to.put_about({{"program", "y"}, {"end", "exit 0"}});
    const std::pair<frame, name> names[]{{{1, 100}, {"f", "f.cpp", 12}}};
    to.put_names(names);
    EXPECT_EQ(to.failed(), "");
    return events;
}

TEST(trace, gives_back_what_was_written) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        const std::vector<event> events = random_events(seed * 500, seed);
        columns chunk;
        for (const event& e : events)
            chunk.put(e);
        const std::uint32_t thread = chunk.first_thread(), count = chunk.count();
        std::vector<event> read;
        ASSERT_TRUE(decode(chunk.take(), count, thread, read));
        ASSERT_EQ(read.size(), events.size());
        for (std::size_t i = 0; i < events.size(); ++i)
            ASSERT_EQ(read[i], events[i]) << i;
    }
}

TEST(trace, has_its_tables_before_the_first_event) {
    const std::string path = temporary();
    const std::vector<event> events = write_example(path, 100000);
    const auto from = open(path);
    EXPECT_EQ(from->known().word("program"), "y"); // though it stands at the end
    EXPECT_EQ(from->known().names.at({1, 100}).function, "f");
    EXPECT_EQ(read_all(*from), events);
    ASSERT_EQ(from->known().modules.size(), 3u);
    EXPECT_EQ(from->known().modules[1].build_id, "0123");
    ASSERT_EQ(from->known().stack(1).size(), 2u);
    EXPECT_EQ(from->known().stack(1)[1], (frame{2, 50}));
    EXPECT_EQ(from->known().stack(2).size(), 1u);
    EXPECT_TRUE(from->known().stack(3).empty());
    EXPECT_EQ(from->damage(), "");
    std::filesystem::remove(path);
}

TEST(trace, is_read_up_to_where_it_was_cut_off) {
    const std::string path = temporary();
    const std::vector<event> events = write_example(path, 40);
    const std::string whole = contents(path);
    for (std::size_t n = 0; n < whole.size(); ++n) {
        put_contents(path, std::string_view{whole}.substr(0, n));
        if (n < 6) {
            EXPECT_THROW((void)open(path), bad_trace) << n;
            continue;
        }
        const auto from = open(path);
        const std::vector<event> read = read_all(*from);
        EXPECT_TRUE(read.empty() || read == events) << n;
    }
    std::filesystem::remove(path);
}

TEST(trace, loses_one_chunk_to_one_wrong_bit) {
    const std::string path = temporary();
    const std::vector<event> events = write_example(path, 100000);
    std::string whole = contents(path);
    std::mt19937 random{3};
    for (int i = 0; i < 100; ++i) {
        const std::size_t at = 32 + random() % (whole.size() - 32);
        const char bit = static_cast<char>(1u << random() % 8);
        whole[at] = static_cast<char>(whole[at] ^ bit);
        put_contents(path, whole);
        const auto from = open(path);
        const std::size_t n = read_all(*from).size();
        EXPECT_GE(n, events.size() - most_events / 2) << at;
        whole[at] = static_cast<char>(whole[at] ^ bit);
    }
    std::filesystem::remove(path);
}

TEST(trace, tells_that_it_is_damaged) {
    const std::string path = temporary();
    (void)write_example(path, 100000);
    std::string whole = contents(path);
    put_contents(path, std::string_view{whole}.substr(0, whole.size() - 10));
    auto from = open(path);
    (void)read_all(*from);
    EXPECT_NE(from->damage().find("torn"), std::string::npos);
    whole[whole.size() / 2] = static_cast<char>(whole[whole.size() / 2] ^ 1);
    put_contents(path, whole);
    from = open(path);
    (void)read_all(*from);
    EXPECT_NE(from->damage().find("damaged"), std::string::npos);
    std::filesystem::remove(path);
}

TEST(trace, refuses_what_it_cannot_read) {
    const std::string path = temporary();
    const auto why = [&](std::string_view text) -> std::string {
        put_contents(path, text);
        try {
            (void)open(path);
        } catch (const bad_trace& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_NE(why("").find("is empty"), std::string::npos);
    EXPECT_NE(why("something else").find("is no trace"), std::string::npos);
    EXPECT_NE(why(std::string(1000, 'x')).find("is no trace"), std::string::npos);
    EXPECT_NE(why("\x7f\x45LF and more").find("arenite record -- "), std::string::npos);
    chunk_head later;
    later.version = 9;
    EXPECT_NE(why({reinterpret_cast<const char*>(&later), sizeof later}).find("version 9"),
              std::string::npos);
    std::filesystem::remove(path);
    EXPECT_THROW((void)open("/nowhere/at/all"), bad_trace);
}

TEST(trace, decodes_any_bytes_without_harm) {
    std::mt19937 random{5};
    chunk_contents contents;
    tables known;
    for (int i = 0; i < 20000; ++i) {
        buffer any(random() % 200);
        for (auto& b : any)
            b = static_cast<std::uint8_t>(random() % 4 == 0 ? random() : random() % 8);
        chunk_head head;
        head.kind = static_cast<chunk_kind>(random() % 8);
        head.items = static_cast<std::uint32_t>(random() % 50);
        (void)read_chunk(head, any, known, contents);
    }
}

TEST(trace, gives_back_what_was_observed_between_the_same_events) {
    const std::string path = temporary();
    std::mt19937_64 random{9};
    const std::vector<event> events = random_events(100'000, 3);
    std::vector<std::pair<std::size_t, observation>> written;
    {
        writer to{path};
        for (std::size_t i = 0; i < events.size(); ++i) {
            if (random() % 200 == 0) {
                observation o;
                o.thread = static_cast<std::uint32_t>(random() % 9);
                o.instructions = static_cast<std::uint32_t>(random() % 3 * 500);
                if (o.is_burst()) {
                    o.end = static_cast<burst_end>(random() % 5);
                    o.goes_on = random() % 2 == 0;
                }
                o.elsewhere = static_cast<std::uint32_t>(random() % 100);
                for (std::size_t n = random() % 300; n > 0; --n)
                    o.accesses.push_back({random() >> (17 + random() % 30), random() % 2 == 0,
                                          random() % 3 ? 0 : std::uint32_t(o.accesses.size() / 2)});
                to.put(o);
                written.emplace_back(i, o);
            }
            to.put(events[i]);
        }
        to.put(observation{.thread = 1, .instructions = 2, .accesses = {{3, true}}});
        written.emplace_back(events.size(),
                             observation{.thread = 1, .instructions = 2, .accesses = {{3, true}}});
        to.flush();
        to.put_about({{"end", "exit 0"}});
    }
    const auto from = open(path);
    std::size_t done = 0, next = 0;
    for (bool more = true; more;) {
        const auto part = from->next();
        more = !part.empty();
        for (observation o : from->observations()) {
            ASSERT_LT(next, written.size());
            EXPECT_EQ(done + o.before, written[next].first);
            o.before = written[next].second.before;
            EXPECT_EQ(o, written[next].second) << next;
            ++next;
        }
        done += part.size();
    }
    EXPECT_EQ(next, written.size());
    EXPECT_EQ(from->damage(), "");
    std::filesystem::remove(path);
}

TEST(trace, ends_with_a_whole_chunk_where_the_disk_is_full) {
    const std::string path = temporary();
    const std::vector<event> events = random_events(200'000, 3);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto usual = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{300'000, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    std::uint64_t written = 0, bytes = 0;
    {
        writer to{path};
        for (const event& e : events)
            to.put(e);
        to.flush();
        EXPECT_NE(to.failed(), "");
        written = to.events_written();
        bytes = to.written();
    }
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, usual);
    EXPECT_GT(written, 0u);
    EXPECT_LT(written, events.size());
    EXPECT_EQ(std::filesystem::file_size(path), bytes);
    const auto from = open(path);
    std::uint64_t read = 0;
    for (auto part = from->next(); !part.empty(); part = from->next())
        read += part.size();
    EXPECT_EQ(read, written);
    EXPECT_EQ(from->damage(), "its end is missing: the recording was cut off");
    std::filesystem::remove(path);
}

TEST(trace, reads_observations_of_files_that_do_not_say_why_bursts_ended) {
    // before, thread, instructions, elsewhere, accesses; 40, written to; 24
    const std::vector<std::uint8_t> of_burst{3, 1, 100, 7, 2, 80 * 4 - 256 + 1 + 128, 2, 124};
    std::vector<observation> read;
    ASSERT_TRUE(decode(of_burst, 1, false, read));
    ASSERT_EQ(read.size(), 1u);
    EXPECT_EQ(read[0].instructions, 100u);
    EXPECT_EQ(read[0].elsewhere, 7u);
    EXPECT_EQ(read[0].end, burst_end::unknown);
    EXPECT_FALSE(read[0].goes_on);
    EXPECT_EQ(read[0].accesses, (std::vector<access>{{40, true}, {24, false}}));

    // Chunks of such files have another number.
    tables known;
    chunk_contents contents;
    chunk_head head;
    head.kind = chunk_kind::observations_without_ends;
    head.items = 1;
    ASSERT_TRUE(read_chunk(head, of_burst, known, contents));
    EXPECT_EQ(contents.observations, read);

    std::vector<std::uint8_t> no_reason{3, 1, 100, 10, 7, 0}; // there is no fifth
    EXPECT_FALSE(decode(no_reason, 1, true, read));
    no_reason[3] = 9;
    EXPECT_TRUE(decode(no_reason, 1, true, read));
    EXPECT_EQ(read.back().end, burst_end::other);
    EXPECT_TRUE(read.back().goes_on);
}

TEST(live_objects, finds_the_object_around_an_address) {
    live_objects<int> live;
    std::mt19937 random{4};
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
    std::uint64_t at = 1 << 20;
    for (int i = 0; i < 500; ++i) {
        const std::uint64_t bytes = random() % 4 == 0 ? 2000 + random() % 100'000 : random() % 300;
        live.apply({.address = at, .bytes = bytes});
        all.emplace_back(at, bytes);
        at += (bytes + 8 + random() % 64) / 8 * 8 + 8;
    }
    for (std::size_t i = 0; i < all.size(); i += 3) { // and every third moves, or goes
        if (i % 2 == 0) {
            live.apply({.address = all[i].first, .what = op::free});
            all[i].second = 0;
        } else {
            const std::uint64_t bytes = random() % 5000;
            live.apply(
                {.address = at, .old_address = all[i].first, .bytes = bytes, .what = op::realloc});
            all[i] = {at, bytes};
            at += (bytes + 16) / 8 * 8;
        }
    }
    for (const auto& [address, bytes] : all) {
        for (const std::uint64_t offset : {std::uint64_t{0}, bytes / 2, bytes - 1})
            if (bytes != 0) {
                const std::uint32_t slot = live.slot_holding(address + offset);
                ASSERT_NE(slot, live.no_object) << offset << " of " << bytes;
                EXPECT_EQ(live.at(slot).address, address);
            }
        const std::uint32_t behind = live.slot_holding(address + bytes);
        if (behind != live.no_object) {
            EXPECT_EQ(live.at(behind).address, address + bytes);
        }
    }
    EXPECT_EQ(live.slot_holding(5), live.no_object);
}

TEST(live_objects, agrees_with_a_model) {
    for (unsigned seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random{seed};
        live_objects<int> live;
        std::map<std::uint64_t, std::uint64_t> model;
        for (int i = 0; i < 5000; ++i) {
            event e;
            e.address = (1 + random() % 300) * 16;
            e.bytes = random() % 1000;
            const auto at = model.find(e.address);
            if (random() % 3 == 0 && !model.empty()) {
                auto old = model.lower_bound(random() % 300 * 16);
                old = old == model.end() ? model.begin() : old;
                e.what = op::realloc;
                e.old_address = old->first;
                model.erase(old);
                model[e.address] = e.bytes;
            } else if (at != model.end()) {
                e.what = op::free;
                model.erase(at);
            } else {
                model[e.address] = e.bytes;
            }
            live.apply(e);
            std::uint64_t sum = 0;
            for (const auto& [address, bytes] : model)
                sum += bytes;
            ASSERT_EQ(live.live_bytes(), sum) << i;
            ASSERT_EQ(live.live_count(), model.size()) << i;
        }
        EXPECT_EQ(live.never_seen(), 0u);
    }
}

TEST(live_objects, keeps_apart_a_realloc_and_what_takes_its_place_meanwhile) {
    live_objects<int> live;
    live.apply({.address = 16, .bytes = 100, .thread = 1});
    live.apply({.address = 16, .thread = 1, .what = op::resize_begins});
    live.apply({.address = 16, .bytes = 7, .thread = 2}); // malloc has taken it in realloc
    live.apply({.address = 32, .bytes = 200, .thread = 1, .what = op::realloc});
    EXPECT_EQ(live.live_bytes(), 207u);
    EXPECT_EQ(live.never_seen() + live.never_freed(), 0u);
}

TEST(trace, reads_recordings_of_recording_resource) {
    const std::string path = temporary() + ".ev";
    struct ev {
        std::uint32_t slot, bytes;
        std::uint16_t site;
        std::uint8_t op, align;
        std::uint32_t thread;
    };
    const ev events[]{{0, 10, 3, 1, 0, 0}, {1, 20, 3, 5, 6, 0}, {0, 30, 3, 4, 0, 0},
                      {0, 7, 0, 11, 0, 0}, {1, 20, 0, 6, 0, 0}, {0, 30, 0, 3, 0, 0}};
    const std::uint64_t head[8]{6, 2, 50};
    std::ofstream{path, std::ios::binary}
        .write(reinterpret_cast<const char*>(head), sizeof head)
        .write(reinterpret_cast<const char*>(events), sizeof events);
    const auto from = open(path);
    live_objects<int> live;
    std::uint64_t most = 0;
    std::size_t count = 0;
    for (const event& e : read_all(*from)) {
        live.apply(e);
        most = std::max(most, live.live_bytes());
        ++count;
        if (e.what == op::mark) {
            EXPECT_EQ(e.address, 7u);
        }
    }
    EXPECT_EQ(from->damage(), ""); // it has no end that could be missing
    EXPECT_EQ(count, 6u);
    EXPECT_EQ(most, 50u);
    EXPECT_EQ(live.live_bytes(), 0u);
    std::filesystem::remove(path);
}

} // namespace
} // namespace arenite::trace
