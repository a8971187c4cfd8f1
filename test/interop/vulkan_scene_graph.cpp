// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The allocator of VulkanSceneGraph, which is in no package: against its interface, written here
// from its documentation (version 1.1). A scene of objects whose operator delete knows no size.
#include <arenite/interop/vulkan_scene_graph.hpp>

#include "interop_test.hpp"

#include <arenite/affinity/affine.hpp>
#include <arenite/affinity/affinity_strategy.hpp>

#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace interop_test;

// ---- what a program sees of VulkanSceneGraph ---------------------------------------------------
namespace vsg {

enum AllocatorAffinity : std::uint32_t {
    ALLOCATOR_AFFINITY_OBJECTS,
    ALLOCATOR_AFFINITY_DATA,
    ALLOCATOR_AFFINITY_NODES,
    ALLOCATOR_AFFINITY_PHYSICS
};

class Allocator {
public:
    explicit Allocator(std::unique_ptr<Allocator> nested, std::size_t alignment = 8)
        : defaultAlignment{alignment}, nestedAllocator{std::move(nested)} {}
    virtual ~Allocator() = default;

    static std::unique_ptr<Allocator>& instance();

    virtual void* allocate(std::size_t size,
                           AllocatorAffinity affinity = ALLOCATOR_AFFINITY_OBJECTS) = 0;
    virtual bool deallocate(void* ptr, std::size_t size) = 0;
    virtual std::size_t deleteEmptyMemoryBlocks() = 0;
    virtual std::size_t totalAvailableSize() const = 0;
    virtual std::size_t totalReservedSize() const = 0;
    virtual std::size_t totalMemorySize() const = 0;
    virtual void setBlockSize(AllocatorAffinity affinity, std::size_t blockSize) = 0;
    virtual void report(std::ostream& out) const = 0;

    mutable std::mutex mutex;
    std::size_t defaultAlignment;

protected:
    std::unique_ptr<Allocator> nestedAllocator;
};

/// In the place of VulkanSceneGraph's own: what was allocated by it must be freed by it.
class first_allocator final : public Allocator {
public:
    first_allocator() : Allocator{nullptr} {}
    void* allocate(std::size_t size, AllocatorAffinity) override {
        return *mine.insert(::operator new(size)).first;
    }
    bool deallocate(void* ptr, std::size_t) override {
        if (mine.erase(ptr) == 0)
            return false;
        ::operator delete(ptr);
        return true;
    }
    std::size_t deleteEmptyMemoryBlocks() override { return 1; }
    std::size_t totalAvailableSize() const override { return 10; }
    std::size_t totalReservedSize() const override { return 100; }
    std::size_t totalMemorySize() const override { return 110; }
    void setBlockSize(AllocatorAffinity, std::size_t) override {}
    void report(std::ostream& out) const override { out << "the first one\n"; }

private:
    std::set<void*> mine;
};

std::unique_ptr<Allocator>& Allocator::instance() {
    static std::unique_ptr<Allocator> one{new first_allocator};
    return one;
}

class Object {
public:
    virtual ~Object() = default;
    static void* operator new(std::size_t count) {
        return Allocator::instance()->allocate(count, ALLOCATOR_AFFINITY_OBJECTS);
    }
    static void operator delete(void* ptr) { Allocator::instance()->deallocate(ptr, 0); }
};

class Node : public Object {
public:
    static void* operator new(std::size_t count) {
        return Allocator::instance()->allocate(count, ALLOCATOR_AFFINITY_NODES);
    }
    static void operator delete(void* ptr) { Allocator::instance()->deallocate(ptr, 0); }
};

} // namespace vsg

namespace {

using allocator = arenite::vulkan_scene_graph_allocator<vsg::Allocator, vsg::AllocatorAffinity>;
using arenite::affinities::data;
using arenite::affinities::nodes;
using arenite::affinities::objects;
using arenite::affinities::physics;

struct group final : vsg::Node {
    ~group() override {
        for (vsg::Object* child : children)
            delete child;
    }
    std::vector<vsg::Object*> children;
};
struct matrix final : vsg::Node {
    double values[16] = {};
};

/// Memory of no heap is not told from memory that was freed: a memory checker sees it.
bool all_is_passed_on() { return arenite::affinity_strategy_name() == "standard"; }

group* build(int levels) {
    auto* const g = new group;
    for (int i = 0; i < 4; ++i) {
        if (levels > 1)
            g->children.push_back(build(levels - 1));
        else
            g->children.push_back(i % 2 == 0 ? static_cast<vsg::Object*>(new matrix)
                                             : new vsg::Object);
    }
    return g;
}

void what_was_there_before_frees_what_it_gave() {
    auto* const before = new vsg::Object; // by the first allocator
    allocator& ours = allocator::use();
    EXPECT(vsg::Allocator::instance().get() == &ours);
    auto* const after = new vsg::Object;
    EXPECT(arenite::affinity_heap::heap_of(before) == nullptr);
    EXPECT(arenite::affinity_heap::heap_of(after) == &ours.heap(vsg::ALLOCATOR_AFFINITY_OBJECTS));
    EXPECT(ours.deallocate(before, 0)); // by the nested one, which gets it once only
    if (all_is_passed_on())
        std::printf("a pointer of nobody's goes to operator delete in this mode\n");
    else
        EXPECT(!ours.deallocate(before, 0));
    delete after;
}

void one_is_installed_however_often_it_is_asked_for() {
    allocator& ours = allocator::use();
    EXPECT(vsg::Allocator::instance().get() == &ours);
    const std::size_t in_use = ours.totalReservedSize();
    auto* const one = new matrix;
    EXPECT(ours.totalReservedSize() >= in_use + sizeof(matrix) &&
           ours.totalReservedSize() < in_use + 2 * sizeof(matrix)); // and not twice that
    delete one;
    EXPECT(&allocator::use(32) == &ours && ours.defaultAlignment == 32);
    void* const p = ours.allocate(8, vsg::ALLOCATOR_AFFINITY_NODES);
    EXPECT(arenite::is_aligned(p, 32));
    EXPECT(ours.deallocate(p, 0));
    ours.defaultAlignment = 8;
}

void affinities_of_ones_own_have_numbers_and_names() {
    allocator a{nullptr};
    const auto sounds = static_cast<vsg::AllocatorAffinity>(4);
    const auto others = static_cast<vsg::AllocatorAffinity>(5);
    arenite::affinity_heap& heap = arenite::affinity_heap::named("sounds", {.alignment = 16});
    a.add(sounds, heap);
    for (std::size_t bytes : {1u, 24u, 40u, 5000u}) {
        void* const p = a.allocate(bytes, sounds);
        void* const q = a.allocate(bytes, others);
        EXPECT(arenite::affinity_heap::heap_of(p) == &heap && arenite::is_aligned(p, 16));
        EXPECT(arenite::affinity_heap::heap_of(q)->name() == "affinity 5");
        EXPECT(a.totalReservedSize() >= 2 * bytes);
        EXPECT(a.deallocate(p, 0) && a.deallocate(q, 0));
    }
    std::ostringstream text;
    a.report(text);
    EXPECT(text.str().find("sounds: total") != std::string::npos);
    EXPECT(text.str().find("affinity 5: total") != std::string::npos);
    a.add(others, heap); // two numbers of one affinity: reported once
    text.str("");
    a.report(text);
    const std::size_t first = text.str().find("sounds: total");
    EXPECT(text.str().find("sounds: total", first + 1) == std::string::npos);
}

void a_string_that_named_an_affinity_may_end() {
    allocator a{nullptr};
    const auto voices = static_cast<vsg::AllocatorAffinity>(6);
    {
        std::string name = "voices of a level, by a string that ends";
        a.add(voices, arenite::affinity_heap::named(name));
        name.assign(name.size(), '?');
    }
    void* const p = a.allocate(24, voices);
    std::ostringstream text;
    a.report(text);
    EXPECT(text.str().find("voices of a level, by a string that ends: total") != std::string::npos);
    EXPECT(a.deallocate(p, 0));
}

void a_scene_lies_in_its_affinities_and_goes_back() {
    vsg::Allocator& all = *vsg::Allocator::instance();
    vsg::Object* const scene = build(6);
    EXPECT(in_use<nodes>() >= 2048 * sizeof(matrix) && in_use<objects>() >= 2048 * 8);
    EXPECT(in_use<data>() == 0 && in_use<physics>() == 0);
    EXPECT(all.totalReservedSize() == in_use<nodes>() + in_use<objects>() + 100);
    EXPECT(all.totalMemorySize() == all.totalReservedSize() + all.totalAvailableSize());
    std::ostringstream text;
    all.report(text);
    for (const char* name : {"objects", "data", "nodes", "physics", "the first one"})
        EXPECT(text.str().find(name) != std::string::npos);
    std::thread{[&] { delete scene; }}.join(); // by another thread than built it
    EXPECT(in_use<nodes>() == 0 && in_use<objects>() == 0);
    EXPECT(all.deleteEmptyMemoryBlocks() > 1 || all_is_passed_on());
    EXPECT(all.totalMemorySize() == 110);
}

void the_affinities_are_those_of_ones_own_classes() {
    struct mine : arenite::affine<nodes> {
        int value = 0;
    };
    auto* const m = new mine;
    auto* const theirs = new matrix;
    EXPECT(arenite::affinity_heap::heap_of(m) == arenite::affinity_heap::heap_of(theirs));
    delete m;
    delete theirs;
}

void alignment_is_what_an_object_of_a_size_can_need() {
    allocator a{nullptr};
    for (std::size_t bytes = 0; bytes < 300; ++bytes) {
        void* const p = a.allocate(bytes, vsg::ALLOCATOR_AFFINITY_DATA);
        EXPECT(arenite::is_aligned(p, arenite::natural_alignment(bytes)));
        EXPECT(arenite::is_aligned(p, 8));
        EXPECT(a.deallocate(p, bytes)); // a size may come with it
        void* const q = a.allocate(bytes, vsg::ALLOCATOR_AFFINITY_PHYSICS);
        EXPECT(arenite::is_aligned(q, 16) && in_use<physics>() >= bytes);
        EXPECT(a.deallocate(q, 0));
    }
    allocator wider{nullptr, 64};
    void* const p = wider.allocate(24);
    EXPECT(arenite::is_aligned(p, 64));
    wider.deallocate(p, 0);
    allocator wrong{nullptr, 24};
    wrong.deallocate(wrong.allocate(48), 0);
}

#if defined(__unix__)
template <class F>
bool ends_the_process(F f) {
    std::fflush(stderr);
    const pid_t child = ::fork();
    if (child == 0) {
        std::freopen("/dev/null", "w", stderr);
        f();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status != 0;
}

void what_is_freed_twice_is_found_with_each_strategy() {
    const auto free_twice = [] {
        allocator a{nullptr};
        void* const p = a.allocate(48, vsg::ALLOCATOR_AFFINITY_NODES);
        void* const q = a.allocate(48, vsg::ALLOCATOR_AFFINITY_NODES);
        a.deallocate(p, 0);
        a.deallocate(p, 0);
        a.deallocate(q, 0);
    };
    EXPECT(ends_the_process(free_twice));
    EXPECT(ends_the_process([&] {
        arenite::use_affinity_strategy(arenite::affinity_strategy::standard);
        free_twice();
    }));
}
#endif

void bad_input() {
    allocator a{nullptr};
    EXPECT(a.deallocate(nullptr, 0));
    long long foreign[4] = {};
    EXPECT(all_is_passed_on() || !a.deallocate(&foreign[2], 0));
    bool thrown = false;
    try {
        a.allocate(SIZE_MAX, vsg::ALLOCATOR_AFFINITY_NODES);
    } catch (const arenite::out_of_memory& e) {
        thrown = e.bytes() == SIZE_MAX &&
                 std::string_view{e.what()}.find("nodes") != std::string_view::npos;
    }
    EXPECT(thrown);
    void* const p = a.allocate(10, static_cast<vsg::AllocatorAffinity>(77));
    EXPECT(arenite::affinity_heap::heap_of(p)->name() == "affinity 16");
    a.deallocate(p, 0);
    a.setBlockSize(vsg::ALLOCATOR_AFFINITY_DATA, 4 << 20);
    EXPECT(arenite::affinity_heap::of<data>().block_size() == 4 << 20);
    EXPECT(a.totalMemorySize() == a.totalReservedSize() + a.totalAvailableSize());
}

} // namespace

int main() {
    what_was_there_before_frees_what_it_gave();
    one_is_installed_however_often_it_is_asked_for();
    affinities_of_ones_own_have_numbers_and_names();
    a_string_that_named_an_affinity_may_end();
    a_scene_lies_in_its_affinities_and_goes_back();
    the_affinities_are_those_of_ones_own_classes();
    alignment_is_what_an_object_of_a_size_can_need();
    bad_input();
#if defined(__unix__)
    what_is_freed_twice_is_found_with_each_strategy();
#endif
    return result();
}
