// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "prove.hpp"

#include "../record/program.hpp"
#include "../replay/runs.hpp"
#include "../report/whole_file.hpp"
#include "../run/measure.hpp"
#include "../run/repeated_input.hpp"
#include "../verb.hpp"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sys/mman.h>
#include <unistd.h>

namespace arenite::advisor {
namespace {

template <class T>
void append(std::vector<std::byte>& to, const std::vector<T>& items) {
    const auto* begin = reinterpret_cast<const std::byte*>(items.data());
    to.insert(to.end(), begin, begin + items.size() * sizeof(T));
}

/// Collects the steps of a plan's tree.
class plan_maker {
public:
    explicit plan_maker(const trace::tables& known) : known_{known} {}

    void add(std::span<const trace::frame> frames, std::uint32_t group) {
        std::uint32_t node = 0;
        for (std::size_t i = 0; i < frames.size(); ++i) {
            const std::uint32_t frame = number_of(frames[i]);
            const auto [at, is_new] = steps_.try_emplace({node, frame});
            prove::plan_step& s = at->second;
            if (is_new)
                s = {node, frame, ++nodes_, 0};
            if (i + 1 == frames.size())
                s.group = group;
            node = s.to;
        }
    }

    [[nodiscard]] std::vector<std::byte> bytes(prove::plan& head) const {
        std::vector<prove::plan_step> steps;
        for (const auto& [key, s] : steps_)
            steps.push_back(s);
        head.modules = static_cast<std::uint32_t>(modules_.size());
        head.frames = static_cast<std::uint32_t>(frames_.size());
        head.steps = static_cast<std::uint32_t>(steps.size());
        std::vector<std::byte> all(sizeof head);
        std::memcpy(all.data(), static_cast<const void*>(&head), sizeof head);
        append(all, modules_);
        append(all, frames_);
        append(all, steps);
        return all;
    }
    [[nodiscard]] bool is_empty() const { return steps_.empty(); }

private:
    std::uint32_t number_of(const trace::frame& f) {
        const auto [at, is_new] = frame_numbers_.try_emplace({f.module, f.offset});
        if (is_new) {
            if (frames_.size() == prove::most_frames)
                throw bad_input("the plan has too many call sites; prove fewer at once");
            frames_.push_back({module_of(f.module), 0, f.offset + 1}); // the return address
            at->second = static_cast<std::uint32_t>(frames_.size());
        }
        return at->second;
    }

    std::uint32_t module_of(std::uint32_t number) {
        const auto [at, is_new] = module_numbers_.try_emplace(number);
        if (is_new) {
            const trace::module& m = known_.modules[number];
            if (!m.build_id.empty() && m.path.starts_with('/') && build_id_of(m.path) != m.build_id)
                throw bad_input(m.path + " is not the one that was recorded: its build-id differs. "
                                         "Record again");
            prove::plan_module made{};
            std::strncpy(made.name, base_name(m.path).c_str(), sizeof made.name - 1);
            modules_.push_back(made);
            at->second = static_cast<std::uint32_t>(modules_.size() - 1);
        }
        return at->second;
    }

    const trace::tables& known_;
    std::vector<prove::plan_module> modules_;
    std::vector<prove::plan_frame> frames_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> frame_numbers_;
    std::map<std::uint32_t, std::uint32_t> module_numbers_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, prove::plan_step> steps_;
    std::uint32_t nodes_ = 0;
};

std::string contents(const std::string& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

/// The results of the program: all that is compared.
struct left_behind {
    int exit_code = 0;
    std::string output;
    bool wrote = false; ///< the file that is compared
    std::string file;   ///< its contents
};

/// The plan in memory that the program shares.
class shared_plan {
public:
    explicit shared_plan(const std::vector<std::byte>& bytes)
        : file_{"arenite-plan"}, bytes_{bytes.size()} {
        file_.write(bytes.data(), bytes.size());
        const std::string path = file_.path();
        const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
        void* p = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        ::close(file);
        if (p == MAP_FAILED)
            throw std::runtime_error("no memory for the plan");
        plan_ = static_cast<prove::plan*>(p);
    }
    ~shared_plan() { ::munmap(plan_, bytes_); }
    shared_plan(const shared_plan&) = delete;
    shared_plan& operator=(const shared_plan&) = delete;

    [[nodiscard]] std::string path() const { return file_.path(); }
    prove::plan* operator->() const { return plan_; }

private:
    memory_file file_;
    std::size_t bytes_;
    prove::plan* plan_ = nullptr;
};

} // namespace

std::vector<std::byte> make_plan(const std::vector<routed_group>& groups,
                                 const std::vector<site>& sites, const trace::tables& known) {
    plan_maker maker{known};
    prove::plan head{};
    head.magic = prove::plan_magic;
    head.version = prove::plan_version;
    std::uint32_t number = 0;
    for (const routed_group& g : groups) {
        if (++number == prove::most_groups)
            throw bad_input("too many groups; prove fewer at once");
        head.kind_of_group[number] = g.kind;
        for (const std::size_t i : g.sites)
            for (std::size_t s = 0; s < sites[i].stacks.size(); ++s)
                if (const std::size_t depth = sites[i].depths[s]; depth != 0)
                    maker.add(known.stack(sites[i].stacks[s]).first(depth), number);
    }
    if (maker.is_empty())
        throw bad_input("these call sites have no stacks in the trace, so they cannot be found "
                        "again in the program");
    return maker.bytes(head);
}

double proof_run::median(const std::vector<double> proof_run::*what) const {
    std::vector<double> values = this->*what;
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

double proof_run::spread_of_cpu() const {
    std::vector<double> off;
    const double middle = median(&proof_run::cpu_seconds);
    for (const double v : cpu_seconds)
        off.push_back(std::abs(v - middle));
    std::sort(off.begin(), off.end());
    if (off.size() > 2)
        off.pop_back();
    return off.empty() ? 0 : off.back();
}

proof prove_plan(const std::vector<std::byte>& plan, const std::vector<std::string>& program,
                 unsigned turns, const std::string& compared) {
    const std::string path = find_program_to_preload(program[0]);
    const std::string library = own_library("libarenite-prove.so");
    const shared_plan shared{plan};
    proof made;
    made.runs = {
        {"without routing", {}, {}, {}}, {"as advised", {}, {}, {}}, {"as it is", {}, {}, {}}};
    std::string other;
    for (const replay_subject& s : mallocs_here())
        if (s.name == "mimalloc")
            other = s.preload;
    if (!other.empty())
        made.runs.push_back({"mimalloc", {}, {}, {}});
    const std::string output =
        std::filesystem::temp_directory_path() / fmt::format("arenite-prove-{}", ::getpid());
    std::vector<left_behind> firsts(made.runs.size());
    const repeated_input input;
    double most_resident = 0;
    for (unsigned turn = 0; turn < turns; ++turn)
        for (std::size_t n = 0; n < made.runs.size(); ++n) {
            // Each turn begins with another one: a run finds the memory that the one before left.
            const std::size_t i = (n + turn) % made.runs.size();
            warm_machine_for(most_resident);
            start s;
            s.path = path;
            s.words = program;
            s.output = output;
            s.reads_no_terminal = true;
            input.begin_anew();
            whole_file::remove_before_run(compared);
            const bool with_shim = i < 2;
            shared->routes = i == 1;
            for (std::size_t g = 0; g < prove::most_groups; ++g)
                shared->taken[g] = shared->given[g] = 0;
            shared->looked_up = shared->refused = 0;
            s.environment = with_shim
                                ? environment_with({{prove::plan_variable, shared.path()}}, library)
                                : environment_with({}, i == 3 ? other : std::string{});
            const measured m = run_to_its_end(s);
            most_resident = std::max(most_resident, m.peak_bytes);
            made.runs[i].cpu_seconds.push_back(m.cpu_seconds);
            made.runs[i].peak_bytes.push_back(m.peak_bytes);
            made.runs[i].faults.push_back(m.faults);
            std::error_code failed;
            const bool wrote = !compared.empty() && std::filesystem::exists(compared, failed);
            const left_behind now{m.exit_code(), contents(output), wrote,
                                  wrote ? contents(compared) : ""};
            if (turn == 0)
                firsts[i] = now;
            if (i == 1) {
                made.taken = made.given = 0;
                for (std::size_t g = 1; g < prove::most_groups; ++g) {
                    made.taken += shared->taken[g];
                    made.given += shared->given[g];
                }
                made.looked_up = shared->looked_up;
                made.refused = shared->refused;
            }
        }
    std::filesystem::remove(output);
    const left_behind &advised = firsts[1], &native = firsts[2];
    if (advised.exit_code != native.exit_code)
        made.not_proven = fmt::format("the program ends with {} instead of {}", advised.exit_code,
                                      native.exit_code);
    else if (made.taken == 0)
        made.not_proven = "none of these call sites was met in this run";
    else if (!compared.empty() && !native.wrote)
        made.not_proven = "the program writes no file " + compared;
    else if (advised.wrote != native.wrote || advised.file != native.file)
        made.not_proven = compared + " differs from what the program writes without it";
    else if (advised.output != native.output)
        made.not_proven = "its output differs from that without it (times in it differ always)";
    return made;
}

} // namespace arenite::advisor
