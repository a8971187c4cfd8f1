// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Bullet with its memory in an affinity: boxes fall.
#include <arenite/interop/bullet.hpp>

#include "interop_test.hpp"

#include <btBulletDynamicsCommon.h>

#include <climits>
#include <memory>
#include <vector>

using namespace interop_test;
using memory = arenite::bullet_memory<>;

namespace {

void boxes_fall() {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    const auto box = std::make_unique<btBoxShape>(btVector3{1, 1, 1});
    std::vector<std::unique_ptr<btDefaultMotionState>> states;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    for (int i = 0; i < 50; ++i) {
        btTransform place;
        place.setIdentity();
        place.setOrigin({0, static_cast<btScalar>(3 * i + 10), 0});
        states.push_back(std::make_unique<btDefaultMotionState>(place));
        bodies.push_back(
            std::make_unique<btRigidBody>(1, states.back().get(), box.get(), btVector3{1, 1, 1}));
        world.addRigidBody(bodies.back().get());
        EXPECT(arenite::affinity_heap::heap_of(bodies.back().get()) == &memory::memory::heap());
    }
    for (int step = 0; step < 60; ++step)
        world.stepSimulation(1.0F / 60);
    EXPECT(bodies[0]->getWorldTransform().getOrigin().y() < 10);
    EXPECT(in_use<arenite::affinities::bullet>() >= 50 * sizeof(btRigidBody));
    EXPECT(is_reported("Bullet"));
    for (const auto& body : bodies)
        world.removeRigidBody(body.get());
}

} // namespace

int main() {
    btAlignedAllocSetCustom(&memory::allocate, &memory::deallocate);
    btAlignedAllocSetCustomAligned(&memory::allocate_aligned, &memory::deallocate);
    boxes_fall();
    EXPECT(in_use<arenite::affinities::bullet>() == 0);

    EXPECT(memory::allocate(SIZE_MAX) == nullptr);
    EXPECT(memory::allocate_aligned(SIZE_MAX, 16) == nullptr);
    for (const int wrong : {0, -16, 24, INT_MIN, INT_MAX})
        EXPECT(memory::allocate_aligned(64, wrong) == nullptr);
    void* const p = memory::allocate_aligned(0, 64);
    EXPECT(p != nullptr && arenite::is_aligned(p, 64));
    memory::deallocate(p);
    memory::deallocate(nullptr);
    return result();
}
