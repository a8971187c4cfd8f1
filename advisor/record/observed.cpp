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

/// The addresses that an instruction uses, in the order of its operands.
void decode(const ZydisDecoder& decoder, const record::step& s, const object_regions& objects,
            trace::observation& to) {
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (!ZYAN_SUCCESS(
            ::ZydisDecoderDecodeFull(&decoder, s.code, sizeof s.code, &instruction, operands)))
        return;
    const ZydisRegisterContext registers = context_of(s.at);
    for (std::size_t i = 0; i < instruction.operand_count; ++i) {
        const ZydisDecodedOperand& o = operands[i];
        if (o.type != ZYDIS_OPERAND_TYPE_MEMORY || o.mem.type != ZYDIS_MEMOP_TYPE_MEM ||
            o.mem.segment == ZYDIS_REGISTER_FS || o.mem.segment == ZYDIS_REGISTER_GS)
            continue;
        constexpr auto any = static_cast<unsigned>(ZYDIS_OPERAND_ACTION_MASK_READ) |
                             static_cast<unsigned>(ZYDIS_OPERAND_ACTION_MASK_WRITE);
        const auto actions = static_cast<unsigned>(o.actions);
        ZyanU64 address = 0;
        if ((actions & any) == 0 || !ZYAN_SUCCESS(::ZydisCalcAbsoluteAddressEx(
                                        &instruction, &o, s.at.pc, &registers, &address)))
            continue;
        if (address < end_of_user_space && objects.has(address) &&
            to.accesses.size() < trace::most_accesses)
            to.accesses.push_back(
                {address, (actions & static_cast<unsigned>(ZYDIS_OPERAND_ACTION_MASK_WRITE)) != 0});
        else
            ++to.elsewhere;
    }
}

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
    static const ZydisDecoder decoder = [] {
        ZydisDecoder d;
        ::ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
        return d;
    }();
    for (std::uint32_t i = 0; i < made.instructions; ++i)
        decode(decoder, b.steps[i], objects, made);
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
    }
    return "off";
}

} // namespace arenite::advisor
