// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../support/contents_of.hpp"
#include "program.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <trace/reader.hpp>
#include <trace/writer.hpp>
#include <unistd.h>
#include <vector>

namespace arenite::advisor {
namespace {

namespace fs = std::filesystem;

/// A file as heaptrack 1.4 writes it: a program and a library, three allocations, one free.
constexpr const char* recording = "v 10400 3\n"
                                  "x 9 /bin/game\n"
                                  "X ./game\n"
                                  "I 1000 5e298f\n"
                                  "m 1 -\n"
                                  "m 1 x 1000 0 500 600 500\n"
                                  "m e /lib/with a.so 9000 0 1000\n"
                                  "t 1101 0\n"
                                  "t 9205 1\n"
                                  "+ 20 2 a000\n"
                                  "c 5\n"
                                  "+ 30 1 a100\n"
                                  "R 3db\n"
                                  "- a000\n"
                                  "t 99999 1\n"
                                  "+ 40 3 a000\n"
                                  "# strings: 1\n";

class exchange : public testing::Test {
protected:
    exchange()
        : folder_{fs::temp_directory_path() / ("arenite-exchange-" + std::to_string(::getpid()))} {
        fs::create_directories(folder_);
    }
    ~exchange() override { fs::remove_all(folder_); }

    [[nodiscard]] std::string in(const std::string& name) const { return folder_ / name; }
    void put(const std::string& name, const std::string& contents) const {
        std::ofstream{in(name), std::ios::binary} << contents;
    }
    [[nodiscard]] std::string read(const std::string& name) const {
        return support::contents_of(in(name));
    }
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator{folder_}, fs::directory_iterator{}));
    }
    /// A trace with two call stacks, of which one is a wrapper's, and a mark.
    void make_trace(const std::string& name) const {
        trace::writer to{in(name)};
        to.put_modules(std::vector<trace::module>{{"/no/game", ""}});
        to.put_stacks(std::vector<std::vector<trace::frame>>{{{1, 0x10}, {1, 0x20}}, {{1, 0x30}}});
        to.put({.time = 1000, .address = 0x1000, .bytes = 100, .stack = 1, .thread = 1});
        to.put({.time = 2000, .address = 0x2000, .bytes = 50, .stack = 2, .thread = 1});
        to.put({.time = 3000, .address = 7, .thread = 1, .what = trace::op::mark});
        to.put({.time = 4000, .address = 0x1000, .thread = 1, .what = trace::op::free});
        to.flush();
        to.put_names(std::vector<std::pair<trace::frame, trace::name>>{
            {{1, 0x10}, {"make(int)", "scene.cpp", 12}}, {{1, 0x20}, {"main", "main.cpp", 3}}});
        to.put_about({{"program", "game"}, {"end", "exit 0"}});
    }

    fs::path folder_;
};

TEST_F(exchange, imports_what_heaptrack_recorded) {
    put("raw", recording);
    const finished r = shell("$A import " + in("raw") + " -o " + in("T"));
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_NE(r.text.find("3 allocations and 1 frees of game"), std::string::npos) << r.text;
    const auto from = trace::open(in("T"));
    std::vector<trace::event> all;
    for (auto events = from->next(); !events.empty(); events = from->next())
        all.insert(all.end(), events.begin(), events.end());
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0].bytes, 0x20u);
    EXPECT_EQ(all[0].address, 0xa000u);
    EXPECT_EQ(all[2].what, trace::op::free);
    EXPECT_EQ(all[2].address, 0xa000u);
    EXPECT_NEAR(double(all[3].time), 5e6, 200);
    const trace::tables& known = from->known();
    ASSERT_EQ(known.modules.size(), 3u);
    EXPECT_EQ(known.modules[1].path, "/bin/game");
    EXPECT_EQ(known.modules[2].path, "/lib/with a.so");
    const auto stack = known.stack(all[0].stack); // the last bytes of its calls
    ASSERT_EQ(stack.size(), 2u);
    EXPECT_EQ(stack[0], (trace::frame{2, 0x204}));
    EXPECT_EQ(stack[1], (trace::frame{1, 0x100}));
    EXPECT_EQ(known.stack(all[1].stack).size(), 1u);
    EXPECT_EQ(known.stack(all[3].stack)[0], (trace::frame{0, 0x99998})); // in no module
}

TEST_F(exchange, imports_what_zstd_compressed) {
    put("raw", recording);
    if (shell("zstd -q " + in("raw")).code != 0)
        GTEST_SKIP() << "there is no program zstd";
    const finished r = shell("$A import " + in("raw.zst") + " -o " + in("T"));
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_NE(r.text.find("3 allocations"), std::string::npos) << r.text;
}

TEST_F(exchange, imports_whole_lines_of_a_torn_recording) {
    put("raw", std::string{recording} + "+ 50 1 a2");
    const finished r = shell("$A import " + in("raw") + " -o " + in("T"));
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_NE(r.text.find("ends within a line"), std::string::npos) << r.text;
}

TEST_F(exchange, refuses_bad_recordings_and_writes_nothing) {
    const std::string whole = recording;
    const std::pair<std::string, std::string> bad[] = {
        {"", "is no recording of heaptrack"},
        {"hello\n", "is no recording of heaptrack"},
        {std::string(3'000'000, 'x'), "a line has no end"},
        {"v 10400 9\n", "not known"},
        {"v 10400 3\n", "holds no allocation"},
        {"v 10400 3\ni 1 2 3\n", "heaptrack --raw"},
        {"v 10400 3\nt 5 1\n", "line 2: a step of a call stack"},
        {"v 10400 3\n+ 20 1 a000\n", "line 2: an allocation"},
        {"v 10400 3\n+ zz 0 a000\n", "line 2: an allocation"},
        {"v 10400 3\nm ffffffffffffffff x\n", "line 2: a module"},
        {"v 10400 3\n-\n", "line 2: a free"},
        {"\x1f\x8b anything", "gzip"},
        {"\x28\xb5\x2f\xfd anything at all", "is damaged"},
    };
    for (const auto& [contents, sentence] : bad) {
        put("raw", contents);
        const finished r = shell("$A import " + in("raw") + " -o " + in("T"));
        EXPECT_EQ(r.code, 2) << r.text;
        EXPECT_NE(r.text.find(sentence), std::string::npos) << sentence << "\n" << r.text;
        EXPECT_EQ(files(), 1u) << sentence;
    }
    const finished r = shell("$A import " + in("nothing") + " -o " + in("T"));
    EXPECT_EQ(r.code, 2) << r.text;
    EXPECT_NE(r.text.find("cannot be read"), std::string::npos) << r.text;
}

TEST_F(exchange, exports_collapsed_stacks) {
    make_trace("T");
    const finished r = shell("$A export --collapsed " + in("T"));
    EXPECT_EQ(r.code, 0) << r.text;
    const std::string text = read("T.collapsed");
    EXPECT_NE(text.find("game;main;make 100\n"), std::string::npos) << text;
    EXPECT_NE(text.find(" 50\n"), std::string::npos) << text;
}

TEST_F(exchange, exports_a_profile) {
    make_trace("T");
    const finished r = shell("$A export --pprof -o " + in("P") + " " + in("T"));
    EXPECT_EQ(r.code, 0) << r.text;
    const std::string bytes = read("P");
    for (const char* word : {"alloc_space", "peak_space", "make(int)", "scene.cpp", "main.cpp"})
        EXPECT_NE(bytes.find(word), std::string::npos) << word;
}

TEST_F(exchange, writes_into_an_open_file_without_a_name) {
    make_trace("T");
    const finished r =
        shell("exec 3<>" + in("gone") + "; rm " + in("gone") +
              "; $A export --collapsed -o /dev/fd/3 " + in("T") + " > /dev/null && cat <&3");
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_NE(r.text.find("game;main;make 100"), std::string::npos) << r.text;
    EXPECT_EQ(files(), 1u);
}

TEST_F(exchange, shows_no_control_characters_of_a_trace) {
    {
        trace::writer to{in("T")};
        to.put({.address = 4096, .bytes = 16});
        std::vector<std::pair<std::string, std::string>> words;
        for (const char* key :
             {"program", "end", "checked", "differing", "unwound_slowly", "lost", "recording_ended",
              "accesses", "fewer_frames_from", "frames_at_end", "frames"})
            words.emplace_back(key, "exit 3\x1b]0;title\x07\n");
        to.put_about({words.begin(), words.end()});
    }
    for (const char* verb :
         {"show ", "advise --turns 1 ", "replay --turns 1 ", "export --pprof "}) {
        const finished r = shell("$A " + (verb + in("T")));
        EXPECT_EQ(r.text.find('\x1b'), std::string::npos) << r.text;
        EXPECT_EQ(r.text.find('\a'), std::string::npos) << r.text;
    }
    EXPECT_NE(shell("$A show " + in("T")).text.find("exit 3\\x1b]0;title\\x07\\x0a"),
              std::string::npos);
}

TEST_F(exchange, exports_a_timeline) {
    make_trace("T");
    const finished r = shell("$A export --perfetto " + in("T"));
    EXPECT_EQ(r.code, 0) << r.text;
    const auto all = nlohmann::json::parse(read("T.perfetto.json")).at("traceEvents");
    std::size_t counters = 0, marks = 0;
    for (const auto& e : all) {
        counters += e.at("ph") == "C" ? 1 : 0;
        marks += e.at("ph") == "i" && e.at("name") == "mark 7" ? 1 : 0;
    }
    EXPECT_GT(counters, 2u);
    EXPECT_EQ(marks, 1u);
    EXPECT_EQ(all.back().at("args").at("name"), "game");
}

TEST_F(exchange, refuses_what_it_cannot_export_and_writes_nothing) {
    make_trace("T");
    put("empty", "");
    const std::pair<std::string, std::string> bad[] = {
        {"export " + in("T"), "must say what to write"},
        {"export --pprof --collapsed " + in("T"), "must say what to write"},
        {"export --pprof " + in("nothing"), "nothing"},
        {"export --pprof " + in("empty"), "empty"},
        {"export --pprof -o /no/such/folder/P " + in("T"), "cannot be written"},
    };
    for (const auto& [words, sentence] : bad) {
        const finished r = shell("$A " + words);
        EXPECT_EQ(r.code, 2) << words << "\n" << r.text;
        EXPECT_NE(r.text.find(sentence), std::string::npos) << r.text;
        EXPECT_EQ(files(), 2u) << words;
    }
}

/// The figures that `arenite show` has of a trace, without the line with its program.
std::string figures_of(const std::string& file) { return shell("$A show " + file).text; }

TEST_F(exchange, packs_a_trace_that_says_the_same) {
    {
        trace::writer to{in("T")};
        to.put_modules(std::vector<trace::module>{{"/no/game", ""}});
        to.put_stacks(std::vector<std::vector<trace::frame>>{{{1, 0x10}, {1, 0x20}}, {{1, 0x30}}});
        std::mt19937 random{20261124};
        std::vector<std::pair<std::uint64_t, std::uint64_t>> live;
        std::uint64_t time = 0;
        for (std::uint64_t i = 0; i < 200'000; ++i) {
            time += 128 * (random() % 4);
            const std::uint64_t address =
                0x100000000000 + (std::uint64_t{random()} % (1 << 20) * 200'000 + i) * 16;
            const std::uint32_t stack = 1 + random() % 2;
            if (i % 50'000 == 0)
                to.put({.time = time, .address = i / 50'000, .what = trace::op::mark});
            if (live.size() < 1000 || random() % 2 == 0) {
                live.emplace_back(address, 16 + random() % 500);
                to.put({.time = time,
                        .address = address,
                        .bytes = live.back().second,
                        .stack = stack});
                continue;
            }
            const std::size_t which = random() % live.size();
            auto& [at, bytes] = live[which];
            if (random() % 8 == 0) {
                to.put({.time = time,
                        .address = address,
                        .old_address = at,
                        .bytes = bytes * 2,
                        .stack = stack,
                        .what = trace::op::realloc});
                at = address;
                bytes *= 2;
                continue;
            }
            to.put({.time = time, .address = at, .what = trace::op::free});
            std::swap(live.back(), live[which]);
            live.pop_back();
        }
        to.flush();
        to.put_names(std::vector<std::pair<trace::frame, trace::name>>{
            {{1, 0x10}, {"make(int)", "scene.cpp", 12}}, {{1, 0x20}, {"main", "main.cpp", 3}}});
        to.put_about({{"program", "game"}, {"end", "exit 0"}});
    }
    const finished r = shell("$A pack " + in("T") + " -o " + in("P"));
    ASSERT_EQ(r.code, 0) << r.text;
    EXPECT_EQ(figures_of(in("T")), figures_of(in("P")));
    EXPECT_LT(fs::file_size(in("P")), fs::file_size(in("T")) * 2 / 3);
    const auto from = trace::open(in("T"));
    const auto packed = trace::open(in("P"));
    std::vector<trace::event> all[2];
    for (int i = 0; i < 2; ++i)
        for (auto events = (i == 0 ? from : packed)->next(); !events.empty();
             events = (i == 0 ? from : packed)->next())
            all[i].insert(all[i].end(), events.begin(), events.end());
    ASSERT_EQ(all[0].size(), all[1].size());
    for (std::size_t i = 0; i < all[0].size(); ++i) {
        trace::event& a = all[0][i];
        trace::event& b = all[1][i];
        if (a.what != trace::op::mark)
            a.address = b.address = a.old_address = b.old_address = 0;
        ASSERT_EQ(a, b) << i;
    }
    EXPECT_EQ(shell("$A pack " + in("P")).code, 0); // in its own place
    EXPECT_EQ(figures_of(in("T")), figures_of(in("P")));
    EXPECT_EQ(files(), 2u);
}

TEST_F(exchange, packs_no_damaged_trace_in_its_place) {
    make_trace("T");
    fs::resize_file(in("T"), fs::file_size(in("T")) - 5);
    const std::string before = read("T");
    const finished r = shell("$A pack " + in("T"));
    EXPECT_EQ(r.code, 2) << r.text;
    EXPECT_NE(r.text.find("is not replaced"), std::string::npos) << r.text;
    EXPECT_EQ(read("T"), before);
    EXPECT_EQ(shell("$A pack " + in("T") + " -o " + in("P")).code, 0);
    EXPECT_EQ(files(), 2u);
    put("empty", "");
    EXPECT_EQ(shell("$A pack " + in("empty")).code, 2);
    EXPECT_EQ(files(), 3u);
}

TEST_F(exchange, packs_what_a_link_leads_to) {
    make_trace("T");
    fs::create_directory_symlink(folder_, in("here"));
    fs::create_symlink("here/T", in("link"));
    fs::create_symlink("link", in("second"));
    const std::string said = figures_of(in("T"));
    for (const std::string& words : {in("second"), in("T") + " -o " + in("link")}) {
        const finished r = shell("$A pack " + words);
        EXPECT_EQ(r.code, 0) << words << "\n" << r.text;
        EXPECT_EQ(figures_of(in("T")), said) << words;
        EXPECT_TRUE(fs::is_symlink(in("second")) && fs::is_symlink(in("link")));
        EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(in("T"))));
    }
    fs::create_symlink("new", in("to-new")); // to what is not there yet
    EXPECT_EQ(shell("$A pack " + in("T") + " -o " + in("to-new")).code, 0);
    EXPECT_EQ(figures_of(in("new")), said);
    EXPECT_TRUE(fs::is_symlink(in("to-new")));
    fs::resize_file(in("T"), fs::file_size(in("T")) - 5);
    const std::string before = read("T");
    const finished r = shell("$A pack " + in("T") + " -o " + in("link"));
    EXPECT_EQ(r.code, 2) << r.text; // it would take the place of the damaged one
    EXPECT_EQ(read("T"), before);
    EXPECT_EQ(files(), 6u);
}

TEST_F(exchange, tells_that_a_recording_was_cut_off) {
    { // as far as the recorder came
        trace::writer to{in("T")};
        for (std::uint64_t i = 1; i <= 1000; ++i) {
            to.put({.time = i * 200, .address = i * 4096, .bytes = 100});
            to.put({.time = i * 200 + 100, .address = i * 4096, .what = trace::op::free});
        }
    }
    const std::string damage = "its end is missing: the recording was cut off";
    EXPECT_NE(figures_of(in("T")).find(damage), std::string::npos);
    const finished r = shell("$A advise --turns 1 --json " + in("json") + " --report " +
                             in("page") + " " + in("T"));
    ASSERT_EQ(r.code, 0) << r.text;
    EXPECT_NE(r.text.find(damage), std::string::npos) << r.text;
    // It does not say what the program took.
    EXPECT_NE(r.text.find("its CPU time is not known"), std::string::npos) << r.text;
    EXPECT_EQ(r.text.find("by its recording"), std::string::npos) << r.text;
    EXPECT_EQ(r.text.find("% CPU"), std::string::npos) << r.text;
    EXPECT_EQ(r.text.find("of the CPU time"), std::string::npos) << r.text;
    const auto told = nlohmann::json::parse(read("json"));
    EXPECT_EQ(told["damage"], damage);
    EXPECT_EQ(told["cpu_is_known"], false);
    EXPECT_NE(read("page").find("shares are of the replay's time"), std::string::npos);
    // A part is packed as a part.
    EXPECT_EQ(shell("$A pack " + in("T")).code, 2);
    EXPECT_EQ(shell("$A pack " + in("T") + " -o " + in("P")).code, 0);
    EXPECT_NE(figures_of(in("P")).find(damage), std::string::npos);
}

} // namespace
} // namespace arenite::advisor
