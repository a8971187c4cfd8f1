// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

// Programs that deserve one advice, or none. Each does the same whenever it runs; its name is that
// of the mode.
namespace {

/// A buffer that exporters append to: each time a little longer, and all of it copied.
class buffer {
public:
    buffer() = default;
    ~buffer() { delete[] data_; }
    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;

    [[gnu::noinline]] void grow(std::size_t by) {
        char* const longer = new char[bytes_ + by];
        if (data_ != nullptr)
            std::memcpy(longer, data_, bytes_);
        delete[] data_;
        data_ = longer;
        std::memset(data_ + bytes_, 1, by);
        bytes_ += by;
    }
    [[nodiscard]] long sum() const {
        long s = 0;
        for (std::size_t i = 0; i < bytes_; i += 997)
            s += data_[i];
        return s;
    }

private:
    char* data_ = nullptr;
    std::size_t bytes_ = 0;
};

long grows() {
    buffer b;
    for (int i = 0; i < 2000; ++i)
        b.grow(1024);
    return b.sum();
}

[[gnu::noinline]] char* lengthen(char* text, std::size_t bytes) {
    auto* const longer = static_cast<char*>(std::realloc(text, bytes));
    longer[bytes - 1] = 1;
    return longer;
}
long appends() {
    char* text = nullptr;
    for (std::size_t i = 1; i < 2000; ++i)
        text = lengthen(text, i * 1024);
    const long last = text[1023];
    std::free(text);
    return last;
}

/// A call of malloc that the compiler leaves where it is.
[[gnu::noinline]] void* bytes_of(std::size_t bytes) {
    void* const p = std::malloc(bytes);
    std::memset(p, 1, bytes);
    return p;
}

[[gnu::noinline]] char* format_label(std::size_t n) {
    auto* const text = static_cast<char*>(std::malloc(40 + n % 5 * 8));
    std::snprintf(text, 40, "label %zu", n);
    return text;
}
long temporaries() {
    long sum = 0;
    for (std::size_t i = 0; i < 20'000; ++i) {
        char* const text = format_label(i);
        sum += text[6];
        std::free(text);
    }
    return sum;
}

[[gnu::noinline]] long* parse_value(std::size_t n) {
    auto* const v = static_cast<long*>(std::malloc(24 + n % 7 * 8));
    *v = static_cast<long>(n);
    return v;
}
long documents() {
    long sum = 0;
    std::vector<long*> values;
    values.reserve(2000);
    for (int document = 0; document < 20; ++document) {
        for (std::size_t i = 0; i < 1000; ++i)
            values.push_back(parse_value(i));
        for (long* const v : values) {
            sum += *v;
            std::free(v);
        }
        values.clear();
    }
    return sum;
}

[[gnu::noinline]] long* draw_command(std::size_t n) {
    auto* const v = static_cast<long*>(std::malloc(24 + n % 7 * 8));
    *v = static_cast<long>(n);
    return v;
}
/// Commands of a frame; each frame ends them in an order of its own, and is marked.
long frames() {
    void (*mark)() = nullptr;
    void* const symbol = ::dlsym(RTLD_DEFAULT, "arenite_mark_frame");
    std::memcpy(&mark, &symbol, sizeof mark);
    std::mt19937 random{9};
    long sum = 0;
    std::vector<long*> commands;
    commands.reserve(500);
    for (int frame = 0; frame < 60; ++frame) {
        for (std::size_t i = 0; i < 500; ++i)
            commands.push_back(draw_command(i));
        std::shuffle(commands.begin(), commands.end(), random);
        for (long* const c : commands) {
            sum += *c;
            std::free(c);
        }
        commands.clear();
        if (mark != nullptr)
            mark();
    }
    return sum;
}

/// Calls `make` 40,000 times, and `end` with one of the results at random once there are 2,000.
template <class T, class Make, class End>
long churn(Make make, End end) {
    std::mt19937 random{7};
    std::vector<T> live;
    live.reserve(2001);
    for (std::size_t i = 0; i < 40'000; ++i) {
        live.push_back(make(random() % 1000));
        if (live.size() > 2000) {
            std::swap(live[random() % live.size()], live.back());
            end(live.back());
            live.pop_back();
        }
    }
    for (const T& last : live)
        end(last);
    return static_cast<long>(live.size());
}

struct particle {
    float place[3], speed[3];
    std::uint64_t born;
};
[[gnu::noinline]] particle* emit(std::size_t n) { return new particle{{}, {}, n}; }
long particles() {
    return churn<particle*>([](std::size_t n) { return emit(n); }, [](particle* p) { delete p; });
}

[[gnu::noinline]] void spawn(std::vector<void*>& to, std::size_t n) {
    to.push_back(std::malloc(n % 2 ? 48 : 17 + n % 60));
    std::memset(to.back(), 1, 17);
}
long scene() {
    std::vector<void*> made;
    return churn<void*>(
        [&](std::size_t n) {
            made.clear();
            spawn(made, n);
            return made[0];
        },
        [](void* p) { std::free(p); });
}

[[gnu::noinline]] void put(std::map<std::size_t, long>& index, std::size_t key) {
    index.emplace(key, 1);
}
long indexes() {
    std::mt19937 random{5};
    std::map<std::size_t, long> index;
    for (int i = 0; i < 40'000; ++i) {
        put(index, random() % 4000);
        index.erase(random() % 4000);
    }
    return static_cast<long>(index.size());
}

[[gnu::noinline]] void queue_up(std::list<std::array<long, 2>>& tasks, long n) {
    tasks.push_back({n, n});
}
long tasks() {
    std::mt19937 random{3};
    std::vector<std::list<std::array<long, 2>>> queues(50);
    for (long i = 0; i < 40'000; ++i) {
        queue_up(queues[random() % 50], i);
        auto& from = queues[random() % 50];
        if (from.size() > 40)
            from.pop_front();
    }
    return static_cast<long>(queues[0].size());
}

// One function asks for all: the places that call it are told apart.
[[gnu::noinline]] char* my_alloc(std::size_t bytes) {
    auto* const p = static_cast<char*>(std::malloc(bytes));
    *p = 1;
    return p;
}
// Each does something with it: the call is none that a jump could stand for.
[[gnu::noinline]] char* make_wheel() { return my_alloc(32) + 1; }
[[gnu::noinline]] char* make_door() { return my_alloc(48) + 1; }
[[gnu::noinline]] char* make_seat() { return my_alloc(64) + 1; }
[[gnu::noinline]] char* make_lamp() { return my_alloc(80) + 1; }
[[gnu::noinline]] char* make_roof() { return my_alloc(96) + 1; }
[[gnu::noinline]] char* make_axle() { return my_alloc(112) + 1; }
[[gnu::noinline]] char* make_mirror() { return my_alloc(128) + 1; }
long wrapped() {
    const std::array makers{make_wheel, make_door, make_seat,  make_lamp,
                            make_roof,  make_axle, make_mirror};
    const auto make = [&](std::size_t n) { // nearly all by the first
        return makers[n % 20 == 0 ? n / 20 % makers.size() : 0]();
    };
    return churn<char*>(make, [](char* p) { std::free(p - 1); });
}

/// One thread makes messages, another frees them, in turns.
long messages() {
    std::atomic<char*> slot{nullptr};
    std::thread receiver{[&] {
        for (int i = 0; i < 2000; ++i) {
            char* message = nullptr;
            while ((message = slot.exchange(nullptr)) == nullptr)
                std::this_thread::yield();
            std::free(message);
        }
    }};
    for (std::size_t i = 0; i < 2000; ++i) {
        auto* const message = static_cast<char*>(bytes_of(5000 + i % 9 * 64));
        slot = message;
        while (slot != nullptr)
            std::this_thread::yield();
    }
    receiver.join();
    return 2000;
}

/// Vectors that double, and stay.
long doubles() {
    std::vector<std::vector<long>> all(60);
    for (auto& one : all)
        for (long i = 0; i < 20'000; ++i)
            one.push_back(i);
    return all[59][1];
}

double calculates() {
    double x = 0;
    for (int i = 1; i < 8'000'000; ++i)
        x += std::sqrt(double(i));
    return x;
}

} // namespace

int main(int count, char** words) {
    const std::string what = count > 1 ? words[1] : "";
    constexpr std::array<std::pair<const char*, long (*)()>, 12> modes{{
        {"grows", grows},
        {"appends", appends},
        {"temporaries", temporaries},
        {"documents", documents},
        {"frames", frames},
        {"particles", particles},
        {"scene", scene},
        {"indexes", indexes},
        {"tasks", tasks},
        {"wrapped", wrapped},
        {"messages", messages},
        {"doubles", doubles},
    }};
    for (const auto& [name, run] : modes)
        if (what == name) {
            std::printf("%ld\n", run());
            return 0;
        }
    if (what == "calculates") {
        for (int i = 0; i < 100; ++i)
            delete new int{i};
        std::printf("%f\n", calculates());
    } else if (what == "tells") { // where its object lies: near the program, or among the mappings
        const auto* p = new int{1};
        std::printf("%zx\n", reinterpret_cast<std::size_t>(p) >> 44);
        delete p;
    }
    return 0;
}
