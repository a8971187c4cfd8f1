// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "observed.hpp"

#include <Zydis/Zydis.h>
#include <algorithm>

namespace arenite::advisor {
namespace {

constexpr std::uint64_t end_of_user_space = std::uint64_t{1} << 47;

/// The registers as the decoder numbers them.
ZydisRegisterContext context_of(const record::registers& at) {
    constexpr std::array order{
        ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RCX, ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RBX,
        ZYDIS_REGISTER_RSP, ZYDIS_REGISTER_RBP, ZYDIS_REGISTER_RSI, ZYDIS_REGISTER_RDI,
        ZYDIS_REGISTER_R8,  ZYDIS_REGISTER_R9,  ZYDIS_REGISTER_R10, ZYDIS_REGISTER_R11,
        ZYDIS_REGISTER_R12, ZYDIS_REGISTER_R13, ZYDIS_REGISTER_R14, ZYDIS_REGISTER_R15};
    ZydisRegisterContext made{};
    for (std::size_t i = 0; i < order.size(); ++i)
        made.values[order[i]] = at.general[i];
    made.values[ZYDIS_REGISTER_RIP] = at.pc;
    return made;
}

/// The accesses of a burst, one instruction after another.
class burst_decoder {
public:
    burst_decoder(const record::burst& of, const object_regions& objects, trace::observation& to)
        : of_{of}, objects_{objects}, to_{to} {
        ::ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    }

    void decode(std::uint32_t number) {
        const record::step& s = of_.steps[number];
        ZydisDecodedInstruction instruction;
        ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
        if (!ZYAN_SUCCESS(
                ::ZydisDecoderDecodeFull(&decoder_, s.code, sizeof s.code, &instruction, operands)))
            return;
        const ZydisRegisterContext registers = context_of(s.at);
        const std::size_t first = to_.accesses.size();
        for (std::size_t i = 0; i < instruction.operand_count; ++i)
            take(instruction, operands[i], s.at.pc, registers);
        if (to_.accesses.size() == first || number + 1 >= to_.instructions)
            return;
        // The next step shows the registers that it loaded.
        for (std::size_t i = 0; i < instruction.operand_count; ++i)
            if (const ZydisDecodedOperand& o = operands[i];
                o.type == ZYDIS_OPERAND_TYPE_REGISTER && does(o, written))
                note_loaded(o.reg.value, of_.steps[number + 1].at);
    }

private:
    static constexpr unsigned read = static_cast<unsigned>(ZYDIS_OPERAND_ACTION_MASK_READ),
                              written = static_cast<unsigned>(ZYDIS_OPERAND_ACTION_MASK_WRITE);
    static constexpr std::uint64_t reach = 4096; ///< of a pointer to the parts of its object

    static bool does(const ZydisDecodedOperand& o, unsigned action) {
        return (static_cast<unsigned>(o.actions) & action) != 0;
    }

    void take(const ZydisDecodedInstruction& of, const ZydisDecodedOperand& o, std::uint64_t pc,
              const ZydisRegisterContext& registers) {
        if (o.type != ZYDIS_OPERAND_TYPE_MEMORY || o.mem.type != ZYDIS_MEMOP_TYPE_MEM ||
            o.mem.segment == ZYDIS_REGISTER_FS || o.mem.segment == ZYDIS_REGISTER_GS)
            return;
        ZyanU64 address = 0;
        if (!does(o, read | written) ||
            !ZYAN_SUCCESS(::ZydisCalcAbsoluteAddressEx(&of, &o, pc, &registers, &address)))
            return;
        if (address >= end_of_user_space || !objects_.has(address) ||
            to_.accesses.size() >= trace::most_accesses) {
            ++to_.elsewhere;
            return;
        }
        to_.accesses.push_back({address, does(o, written), loaded_before(address)});
    }

    /// The nearest pointer below the address that was loaded lately.
    [[nodiscard]] std::uint32_t loaded_before(std::uint64_t address) const {
        std::uint64_t nearest = reach;
        std::size_t by = 0;
        for (const loaded& l : loaded_)
            if (l.access != 0 && address - l.pointer < nearest) {
                nearest = address - l.pointer;
                by = l.access;
            }
        return by == 0 ? 0 : static_cast<std::uint32_t>(to_.accesses.size() + 1 - by);
    }

    void note_loaded(ZydisRegister into, const record::registers& after) {
        const ZydisRegister whole =
            ::ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, into);
        if (::ZydisRegisterGetClass(whole) != ZYDIS_REGCLASS_GPR64)
            return;
        const auto id = static_cast<std::size_t>(::ZydisRegisterGetId(whole));
        if (id < std::size(after.general) && objects_.has(after.general[id]))
            loaded_[next_++ % loaded_.size()] = {after.general[id], to_.accesses.size()};
    }

    struct loaded {
        std::uint64_t pointer;
        std::size_t access; ///< 1 + its place; 0: none
    };
    const record::burst& of_;
    const object_regions& objects_;
    trace::observation& to_;
    ZydisDecoder decoder_;
    std::array<loaded, 32> loaded_{};
    std::size_t next_ = 0;
};

} // namespace

trace::observation observed(const record::sample& s, const object_regions& objects) {
    trace::observation made;
    made.thread = s.thread;
    for (const std::uint64_t value : s.at.general)
        if (value < end_of_user_space && objects.has(value))
            made.accesses.push_back({value, false});
        else
            ++made.elsewhere;
    return made;
}

trace::observation observed(const record::burst& b, const object_regions& objects) {
    trace::observation made;
    made.thread = b.thread;
    made.instructions = std::min(b.count, record::most_steps);
    made.goes_on = b.goes_on != 0;
    made.end = std::min(b.end, trace::burst_end::other); // the program may have written there
    burst_decoder decoder{b, objects, made};
    for (std::uint32_t i = 0; i < made.instructions; ++i)
        decoder.decode(i);
    return made;
}

std::string why_unobserved_text(record::unobserved why) {
    using record::unobserved;
    switch (why) {
    case unobserved::none:
        return {};
    case unobserved::not_asked:
        return "off";
    case unobserved::other_processor:
        return "off: only x86-64 can be observed";
    case unobserved::uses_sigprof:
        return "off: the program uses SIGPROF itself";
    case unobserved::uses_sigtrap:
        return "off: the program uses SIGTRAP itself";
    case unobserved::is_debugged:
        return "off: the program is being debugged";
    case unobserved::no_timer:
        return "off: the system gives no timer";
    case unobserved::shut_in:
        return "off: the program restricts its system calls (seccomp)";
    case unobserved::no_handler:
        return "off: the system lets no signal handler be set (seccomp)";
    }
    return "off";
}

} // namespace arenite::advisor
