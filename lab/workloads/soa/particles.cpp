// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "particles.hpp"

#include "../../probes/random.hpp"

#include <arenite/soa/records.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

namespace arenite::lab {
namespace {

struct vector3 {
    float x = 0, y = 0, z = 0;
};

/// Listing 5.1 of the thesis.
struct particle {
    float age = 0, max_age = 0;
    bool pending_kill = false;
    vector3 position = {}, rotation = {}, scale = {};
    vector3 linear_velocity = {}, angular_velocity = {};
    vector3 linear_force = {}, torque = {};
    int color = 0, texture_handle = 0;
    void* parent = nullptr;
    void* user_ptr = nullptr;
    std::uint64_t flags = 0;
};
static_assert(sizeof(void*) != 8 || sizeof(particle) == 128);

particle numbered(std::size_t i) {
    particle p;
    p.linear_force = {static_cast<float>(i & 7), 0.5f, 0.25f};
    p.color = static_cast<int>(i);
    p.flags = i;
    return p;
}

void add(vector3& to, const vector3& v) {
    to.x += v.x;
    to.y += v.y;
    to.z += v.z;
}

std::uint64_t bits(float f) { return std::bit_cast<std::uint32_t>(f); }

/// All members of a particle, as one number.
struct mixed {
    template <class... M>
    std::uint64_t operator()(const M&... m) const {
        std::uint64_t sum = 0;
        (..., (sum = sum * 3 + one(m)));
        return sum;
    }
    static std::uint64_t one(float f) { return bits(f); }
    static std::uint64_t one(const vector3& v) { return bits(v.x) + bits(v.y) + bits(v.z); }
    static std::uint64_t one(void* p) { return p != nullptr ? 1 : 0; }
    template <class I>
        requires std::is_integral_v<I>
    static std::uint64_t one(I i) {
        return static_cast<std::uint64_t>(i);
    }
};

/// A std::pmr::vector for each member: what records replace.
struct hand_written {
    explicit hand_written(std::pmr::memory_resource& from) : memory{&from} {}

    void push_back(const particle& p) {
        age.push_back(p.age);
        max_age.push_back(p.max_age);
        pending_kill.push_back(p.pending_kill);
        position.push_back(p.position);
        rotation.push_back(p.rotation);
        scale.push_back(p.scale);
        linear_velocity.push_back(p.linear_velocity);
        angular_velocity.push_back(p.angular_velocity);
        linear_force.push_back(p.linear_force);
        torque.push_back(p.torque);
        color.push_back(p.color);
        texture_handle.push_back(p.texture_handle);
        rest.push_back({p.parent, p.user_ptr, p.flags});
    }
    void reserve(std::size_t n) {
        const auto all = [n](auto&... v) { (..., v.reserve(n)); };
        all(age, max_age, pending_kill, position, rotation, scale, linear_velocity,
            angular_velocity, linear_force, torque, color, texture_handle, rest);
    }

    struct others {
        void* parent;
        void* user_ptr;
        std::uint64_t flags;
    };
    template <class T>
    using column = std::pmr::vector<T>;

    std::pmr::memory_resource* memory;
    column<float> age{memory}, max_age{memory};
    column<char> pending_kill{memory};
    column<vector3> position{memory}, rotation{memory}, scale{memory};
    column<vector3> linear_velocity{memory}, angular_velocity{memory};
    column<vector3> linear_force{memory}, torque{memory};
    column<int> color{memory}, texture_handle{memory};
    column<others> rest{memory};
};

// Each form's own way to say the same four loops. Every pass begins at rest.
ARENITE_NOINLINE std::int64_t sum(const hand_written& all) {
    std::int64_t total = 0;
    const int* color = all.color.data();
    const std::size_t n = all.color.size();
    for (std::size_t i = 0; i < n; ++i)
        total += color[i];
    return total;
}
ARENITE_NOINLINE void update_two(hand_written& all) {
    vector3* velocity = all.linear_velocity.data();
    const vector3* force = all.linear_force.data();
    const std::size_t n = all.linear_velocity.size();
    for (std::size_t i = 0; i < n; ++i)
        add(velocity[i], force[i]);
}
ARENITE_NOINLINE void update_three(hand_written& all) {
    vector3* velocity = all.linear_velocity.data();
    const vector3* force = all.linear_force.data();
    vector3* position = all.position.data();
    const std::size_t n = all.linear_velocity.size();
    for (std::size_t i = 0; i < n; ++i) {
        add(velocity[i], force[i]);
        add(position[i], velocity[i]);
    }
}
std::uint64_t everything(const hand_written& all, std::size_t i) {
    return mixed{}(all.age[i], all.max_age[i], all.pending_kill[i] != 0, all.position[i],
                   all.rotation[i], all.scale[i], all.linear_velocity[i], all.angular_velocity[i],
                   all.linear_force[i], all.torque[i], all.color[i], all.texture_handle[i],
                   all.rest[i].parent, all.rest[i].user_ptr, all.rest[i].flags);
}
void restart(hand_written& all) {
    std::fill(all.linear_velocity.begin(), all.linear_velocity.end(), vector3{});
    std::fill(all.position.begin(), all.position.end(), vector3{});
}
float position_x(const hand_written& all, std::size_t i) { return all.position[i].x; }

using objects = std::pmr::vector<particle>;
ARENITE_NOINLINE std::int64_t sum(const objects& all) {
    std::int64_t total = 0;
    for (const particle& p : all)
        total += p.color;
    return total;
}
ARENITE_NOINLINE void update_two(objects& all) {
    for (particle& p : all)
        add(p.linear_velocity, p.linear_force);
}
ARENITE_NOINLINE void update_three(objects& all) {
    for (particle& p : all) {
        add(p.linear_velocity, p.linear_force);
        add(p.position, p.linear_velocity);
    }
}
std::uint64_t everything(const objects& all, std::size_t i) {
    const particle& p = all[i];
    return mixed{}(p.age, p.max_age, p.pending_kill, p.position, p.rotation, p.scale,
                   p.linear_velocity, p.angular_velocity, p.linear_force, p.torque, p.color,
                   p.texture_handle, p.parent, p.user_ptr, p.flags);
}
void restart(objects& all) {
    for (particle& p : all)
        p.linear_velocity = p.position = vector3{};
}
float position_x(const objects& all, std::size_t i) { return all[i].position.x; }

template <class Layout>
ARENITE_NOINLINE std::int64_t sum(const records<particle, Layout>& all) {
    std::int64_t total = 0;
    all.template for_each<&particle::color>([&total](const int& color) { total += color; });
    return total;
}
template <class Layout>
ARENITE_NOINLINE void update_two(records<particle, Layout>& all) {
    all.template for_each<&particle::linear_velocity, &particle::linear_force>(
        [](vector3& velocity, const vector3& force) { add(velocity, force); });
}
template <class Layout>
ARENITE_NOINLINE void update_three(records<particle, Layout>& all) {
    all.template for_each<&particle::linear_velocity, &particle::linear_force, &particle::position>(
        [](vector3& velocity, const vector3& force, vector3& position) {
            add(velocity, force);
            add(position, velocity);
        });
}
template <class Layout>
std::uint64_t everything(const records<particle, Layout>& all, std::size_t i) {
    const auto [age, max_age, pending_kill, position, rotation, scale, velocity, angular, force,
                torque, color, texture, parent, user_ptr, flags] = all[i];
    return mixed{}(age, max_age, pending_kill, position, rotation, scale, velocity, angular, force,
                   torque, color, texture, parent, user_ptr, flags);
}
template <class Layout>
void restart(records<particle, Layout>& all) {
    all.template for_each<&particle::linear_velocity, &particle::position>(
        [](vector3& velocity, vector3& position) { velocity = position = vector3{}; });
}
template <class Layout>
float position_x(const records<particle, Layout>& all, std::size_t i) {
    return all[i].template get<&particle::position>().x;
}

template <class Container>
ARENITE_NOINLINE std::uint64_t look_at(const Container& all, const std::uint32_t* order,
                                       std::size_t count) {
    std::uint64_t total = 0;
    for (std::size_t k = 0; k < count; ++k)
        total += everything(all, order[k]);
    return total;
}

template <class Container>
class loops_over final : public particle_loops {
public:
    loops_over(std::size_t count, std::pmr::memory_resource& from)
        : particles_(make(from)), order_{std::min<std::size_t>(count, 1'000'000)} {
        particles_.reserve(count);
        for (std::size_t i = 0; i < count; ++i)
            particles_.push_back(numbered(i));
        random_source random{1};
        std::vector<std::uint32_t> all(count);
        std::iota(all.begin(), all.end(), 0U);
        random.shuffle(all);
        std::copy_n(all.begin(), order_.size(), order_.begin());
        count_ = count;
    }

    void run(turn& t) override {
        const std::size_t rounds = std::max<std::size_t>(1, 2'000'000 / count_);
        std::uint64_t check = 0;
        restart(particles_);
        const auto timed = [&](const char* metric, std::size_t each, auto loop) {
            const stopwatch watch;
            for (std::size_t i = 0; i < rounds; ++i) {
                loop();
                barrier();
            }
            t.record(metric, "ns/particle", watch.per(each * rounds));
        };
        timed("sum", count_, [&] { check += static_cast<std::uint64_t>(sum(particles_)); });
        timed("update_two", count_, [&] { update_two(particles_); });
        timed("update", count_, [&] { update_three(particles_); });
        timed("random", order_.size(),
              [&] { check += look_at(particles_, order_.begin(), order_.size()); });
        check += bits(position_x(particles_, count_ - 1));
        t.checksum(check);
    }

private:
    static Container make(std::pmr::memory_resource& from) {
        if constexpr (std::is_constructible_v<Container, std::pmr::memory_resource*>)
            return Container(&from);
        else
            return Container(from);
    }

    Container particles_;
    reserved<std::uint32_t> order_;
    std::size_t count_ = 0;
};

} // namespace

std::unique_ptr<particle_loops> make_particle_loops(const std::string& form, std::size_t count,
                                                    std::pmr::memory_resource& from) {
    if (form == "arrays")
        return std::make_unique<loops_over<hand_written>>(count, from);
    if (form == "vector")
        return std::make_unique<loops_over<objects>>(count, from);
    if (form == "soa")
        return std::make_unique<loops_over<records<particle, layout::soa>>>(count, from);
    if (form == "aos")
        return std::make_unique<loops_over<records<particle, layout::aos>>>(count, from);
    return std::make_unique<loops_over<records<particle, layout::aosoa<8>>>>(count, from);
}

} // namespace arenite::lab
