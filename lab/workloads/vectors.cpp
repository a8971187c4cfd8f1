// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/random.hpp"
#include "../scene/store.hpp"
#include "../workload.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <numeric>
#include <type_traits>
#include <vector>

// memory/vectors: figure 2.2 of Kaltenbrunn's Modern Memory Management: a vector of pointers to
// objects against a vector of objects.
//
// "build_as_written" is listing 2.2 (form=pointers) or 2.3 (form=objects) to the letter: a vector
// of `count` elements is made, then as many are appended, which makes it grow. "build" does what
// the text says of them: the vector's memory is reserved before the loop. The objects are the
// particles of listing 5.1, 128 bytes, all of which is written. "update" goes through the vector as
// the seed's section 6.2.1 does: force to velocity, velocity to position. form=pointers: then all
// particles are freed in random order and allocated again in the vector's order, and "update_aged"
// goes through them once more: where the allocator hands out memory in the order in which it was
// freed, the vector's order is no longer that of memory.
//
// Pointees come from the subject; so does the vector's memory, except from a pool, which cannot:
// there it is std::allocator's. Cold: "build_as_written" is the first of the process and finds
// untouched memory, what follows finds what it left.

namespace arenite::lab {
namespace {

struct vector3 {
    float x = 0, y = 0, z = 0;
};

struct particle {
    float age = 0, max_age = 0;
    bool pending_kill = false;
    vector3 position, rotation, scale;
    vector3 linear_velocity, angular_velocity;
    vector3 linear_force, torque;
    int color = 0, texture_handle = 0;
    void* parent = nullptr;
    void* user_ptr = nullptr;
    std::uint64_t flags = 0;
};
static_assert(sizeof(void*) != 8 || sizeof(particle) == 128);

/// Force to velocity, velocity to position; a sum over all of them.
template <class Vector, class Each>
std::uint64_t update(Vector& particles, Each each) {
    std::uint64_t sum = 0;
    for (auto& element : particles) {
        particle& p = each(element);
        p.linear_velocity.x += p.linear_force.x;
        p.linear_velocity.y += p.linear_force.y;
        p.linear_velocity.z += p.linear_force.z;
        p.position.x += p.linear_velocity.x;
        p.position.y += p.linear_velocity.y;
        p.position.z += p.linear_velocity.z;
        sum += std::bit_cast<std::uint32_t>(p.position.x);
    }
    opaque(&sum);
    return sum;
}

struct vectors {
    static workload_info info() {
        return {.name = "memory/vectors",
                .summary = "a vector of pointers against a vector of objects (seed 3, figure 2.2)",
                .parameters = {{.name = "form",
                                .type = parameter::kind::choice,
                                .defaults = {"pointers", "objects"},
                                .summary = "what the vector holds",
                                .choices = {"pointers", "objects"},
                                .short_values = {"pointers"}},
                               {.name = "count",
                                .defaults = {"5000", "1000000"},
                                .summary = "particles",
                                .least = 1,
                                .most = 20'000'000,
                                .short_values = {"300000"}}},
                .warm_passes = 3,
                .short_subjects = {"arenite.ordered", "arenite.pool", "std", "mimalloc"},
                .one_size =
                    [](const parameter_values& values) { return values.at("form") == "pointers"; },
                .touches =
                    [](const parameter_values& values) {
                        return 512 * static_cast<std::size_t>(std::stoll(values.at("count"))) +
                               (std::size_t{64} << 20);
                    }};
    }

    template <class S>
    static constexpr bool accepts_also = one_size<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : count_{static_cast<std::size_t>(t.integer("count"))},
              pointers_{t.text("form") == "pointers"}, order_{pointers_ ? count_ : 0} {
            std::iota(order_.begin(), order_.end(), 0U);
            random_source{1}.shuffle(order_);
        }

        void pass(turn& t) {
            if (pointers_)
                pass_on_pointers(t);
            else if constexpr (!one_size<S>)
                pass_on_objects(t);
        }

    private:
        template <class T>
        using allocator =
            std::conditional_t<one_size<S>, std::allocator<T>, scene::allocator_from<T, S>>;

        template <class T>
        [[nodiscard]] allocator<T> memory() {
            if constexpr (one_size<S>)
                return {};
            else
                return allocator<T>{heap_};
        }

        [[nodiscard]] particle* make(std::uint64_t number = 0) {
            auto* p = ::new (heap_.allocate(sizeof(particle), alignof(particle))) particle();
            p->linear_force.x = static_cast<float>(number & 7);
            opaque(p);
            return p;
        }

        void free(particle* p) { heap_.deallocate(p, sizeof(particle), alignof(particle)); }

        void pass_on_pointers(turn& t) {
            using vector = std::vector<particle*, allocator<particle*>>;
            {
                const stopwatch building;
                vector particles(count_, memory<particle*>());
                for (std::size_t i = 0; i < count_; ++i)
                    particles.push_back(make());
                opaque(particles.data());
                t.record("build_as_written", "ns/particle", building.per(count_));
                for (std::size_t i = 0; i < count_; ++i)
                    free(particles[count_ + i]);
            }
            const stopwatch building;
            vector particles(memory<particle*>());
            particles.reserve(count_);
            for (std::size_t i = 0; i < count_; ++i)
                particles.push_back(make(i));
            opaque(particles.data());
            t.record("build", "ns/particle", building.per(count_));

            const auto referred = [](particle* p) -> particle& { return *p; };
            const stopwatch updating;
            std::uint64_t sum = update(particles, referred);
            t.record("update", "ns/particle", updating.per(count_));

            for (std::size_t k = 0; k < count_; ++k)
                free(particles[order_[k]]);
            for (std::size_t i = 0; i < count_; ++i)
                particles[i] = make(i);
            const stopwatch updating_aged;
            sum = sum * 31 + update(particles, referred);
            t.record("update_aged", "ns/particle", updating_aged.per(count_));
            t.checksum(sum);
            for (particle* p : particles)
                free(p);
        }

        void pass_on_objects(turn& t) {
            using vector = std::vector<particle, allocator<particle>>;
            {
                const stopwatch building;
                vector particles(count_, memory<particle>());
                for (std::size_t i = 0; i < count_; ++i)
                    particles.push_back(particle());
                opaque(particles.data());
                t.record("build_as_written", "ns/particle", building.per(count_));
            }
            const stopwatch building;
            vector particles(memory<particle>());
            particles.reserve(count_);
            for (std::size_t i = 0; i < count_; ++i) {
                particles.push_back(particle());
                particles.back().linear_force.x = static_cast<float>(i & 7);
            }
            opaque(particles.data());
            t.record("build", "ns/particle", building.per(count_));

            const stopwatch updating;
            const std::uint64_t sum = update(particles, [](particle& p) -> particle& { return p; });
            t.record("update", "ns/particle", updating.per(count_));
            t.checksum(sum);
        }

        heap_for<S, sizeof(particle), alignof(particle)> heap_;
        std::size_t count_;
        bool pointers_;
        reserved<std::uint32_t> order_; ///< in which the pointees are freed
    };
};

ARENITE_LAB_WORKLOAD(vectors);

} // namespace
} // namespace arenite::lab
