// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../../probes/random.hpp"
#include "recording.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

// The made recording: what an importer of meshes would ask of malloc. It stands in where no
// recorded program is at hand, and its figures say nothing about one.
//
// Read.     For each mesh its name, a vector of vertices that grows by doubling, a word of text for
//           each line (most are short, and gone with the line), an array of indices a face, a node
//           of a table now and then.
// Convert.  Arrays of the exact size; the vectors and faces of the mesh go.
// Write.    A node and two values a mesh; a buffer that is resized by a constant step.
// End.      All goes, the scene in order, the tables in none.

namespace arenite::lab {
namespace {

constexpr std::size_t meshes = 1500;
constexpr std::uint32_t write_step = 64 * 1024;

/// Calls of a program, one after the other; each object has a slot of its own.
class sequence {
public:
    explicit sequence(reserved<trace_event>& events) : events_{events} {}

    std::uint32_t allocate(std::uint64_t bytes) {
        add({slots_, static_cast<std::uint32_t>(bytes), 0, trace_event::kind::allocate, 0});
        return slots_++;
    }
    void resize(std::uint32_t slot, std::uint64_t bytes) {
        add({slot, static_cast<std::uint32_t>(bytes), 0, trace_event::kind::resize, 0});
    }
    void free(std::uint32_t slot) { add({slot, 0, 0, trace_event::kind::free, 0}); }

    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    [[nodiscard]] std::uint32_t slots() const noexcept { return slots_; }

private:
    void add(const trace_event& e) {
        if (count_ == events_.size())
            throw std::length_error{"the importer makes more events than it said"};
        events_[count_++] = e;
    }

    reserved<trace_event>& events_;
    std::size_t count_ = 0;
    std::uint32_t slots_ = 0;
};

/// Some of a program's objects.
class objects {
public:
    explicit objects(std::size_t most) : slots_{most} {}

    void add(std::uint32_t slot) { slots_[count_++] = slot; }
    void free(sequence& to) {
        for (std::size_t i = 0; i < count_; ++i)
            to.free(slots_[i]);
        count_ = 0;
    }
    void free_in_no_order(sequence& to, random_source& random) {
        for (; count_ > 0; --count_) {
            std::swap(slots_[random.below(count_)], slots_[count_ - 1]);
            to.free(slots_[count_ - 1]);
        }
    }

private:
    reserved<std::uint32_t> slots_;
    std::size_t count_ = 0;
};

} // namespace

void recording::make_importer() {
    constexpr std::size_t most_faces = 128;
    constexpr std::size_t a_mesh = 16 + most_faces * 5; // events at most, about
    events_.emplace(meshes * a_mesh);
    sequence program{*events_};
    random_source random{1};
    objects scene{meshes * 8}, table{meshes * most_faces}, faces{most_faces};

    const std::uint32_t buffer = program.allocate(write_step);
    std::uint32_t written = 0, buffer_bytes = write_step;
    for (std::size_t mesh = 0; mesh < meshes; ++mesh) {
        scene.add(program.allocate(17 + random.below(40))); // its name
        const std::size_t face_count = 16 + random.below(most_faces - 16);
        std::uint64_t capacity = 8, vertex_count = 0;
        std::uint32_t vertices = program.allocate(capacity * 12);
        for (std::size_t face = 0; face < face_count; ++face) {
            const std::uint32_t word = program.allocate(16 + random.below(33));
            if (++vertex_count == capacity) {
                capacity *= 2;
                const std::uint32_t larger = program.allocate(capacity * 12);
                program.free(vertices);
                vertices = larger;
            }
            faces.add(program.allocate(random.below(4) == 0 ? 16 : 12));
            if (random.below(8) == 0)
                table.add(program.allocate(72));
            program.free(word);
        }
        for (const std::uint64_t element : {12U, 12U, 8U}) // positions, normals, coordinates
            scene.add(program.allocate(vertex_count * element));
        scene.add(program.allocate(face_count * 6));
        program.free(vertices);
        faces.free(program);

        scene.add(program.allocate(152));
        scene.add(program.allocate(40));
        scene.add(program.allocate(24 + random.below(600)));
        written += static_cast<std::uint32_t>(vertex_count * 32);
        for (; buffer_bytes < written; buffer_bytes += write_step)
            program.resize(buffer, buffer_bytes + write_step);
    }
    scene.free(program);
    table.free_in_no_order(program, random);
    program.free(buffer);
    count_ = program.count();
    slots_ = program.slots();
}

} // namespace arenite::lab
