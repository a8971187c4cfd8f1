// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "symbols.hpp"

#include "program.hpp"

#include <cstdlib>
#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/core.h>
#include <string_view>
#include <unordered_map>

namespace arenite::advisor {
namespace {

std::string demangled(const char* symbol) {
    int status = 0;
    char* const text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    std::string result = status == 0 && text != nullptr ? text : symbol;
    std::free(text);
    return result;
}

bool is_system_header(const std::string& file) { return file.starts_with("/usr/"); }

/// A call that was inlined tells where it stands in the code around it.
bool go_outward(Dwarf_Die* cu, Dwarf_Die* inlined, trace::name& to) {
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0, line = 0;
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    if (::dwarf_formudata(::dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0 ||
        ::dwarf_formudata(::dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) != 0 ||
        ::dwarf_getsrcfiles(cu, &files, &count) != 0 || file >= count)
        return false;
    const char* const path = ::dwarf_filesrc(files, file, nullptr, nullptr);
    if (path == nullptr)
        return false;
    to.file = path;
    to.line = static_cast<std::uint32_t>(line);
    return true;
}

std::string function_of(Dwarf_Die* scope) {
    Dwarf_Attribute attribute;
    const char* symbol =
        ::dwarf_formstring(::dwarf_attr_integrate(scope, DW_AT_linkage_name, &attribute));
    if (symbol == nullptr)
        symbol = ::dwarf_diename(scope);
    return symbol == nullptr ? "" : demangled(symbol);
}

/// The unit that was compiled to this address. Clang writes no list of their addresses.
Dwarf_Die* unit_of(Dwfl_Module* module, GElf_Addr at, Dwarf_Addr& bias) {
    if (Dwarf_Die* const listed = ::dwfl_module_addrdie(module, at, &bias))
        return listed;
    for (Dwarf_Die* cu = nullptr; (cu = ::dwfl_module_nextcu(module, cu, &bias)) != nullptr;)
        if (::dwarf_haspc(cu, at - bias) > 0)
            return cu;
    return nullptr;
}

/// Out of the standard library's inlined functions, into the program's own: its name and its line.
void leave_system_headers(Dwarf_Die* cu, Dwarf_Addr at, trace::name& found) {
    // The scopes at an address go on where an inlined function was written; those around its scope
    // are the ones that it was inlined into.
    Dwarf_Die *innermost = nullptr, *scopes = nullptr;
    const bool is_known = ::dwarf_getscopes(cu, at, &innermost) > 0;
    const int count = is_known ? ::dwarf_getscopes_die(innermost, &scopes) : 0;
    std::free(innermost);
    for (int i = 0; i < count; ++i) {
        const int tag = ::dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
            continue;
        if (!is_system_header(found.file)) {
            if (std::string own = function_of(&scopes[i]);
                !own.empty() && tag == DW_TAG_inlined_subroutine)
                found.function = std::move(own);
            break;
        }
        if (tag == DW_TAG_inlined_subroutine)
            found.inlined.push_back(function_of(&scopes[i]));
        if (tag == DW_TAG_subprogram || !go_outward(cu, &scopes[i], found))
            break;
    }
    std::free(scopes);
}

char* no_debuginfo_path = nullptr;
const Dwfl_Callbacks callbacks{dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
                               dwfl_offline_section_address, &no_debuginfo_path};

} // namespace

struct symbols::files {
    struct one {
        Dwfl* session = nullptr;
        Dwfl_Module* module = nullptr;
        GElf_Addr bias = 0;
    };
    std::unordered_map<std::string, one> by_path;

    one& open(const trace::module& in) {
        const auto [found, is_new] = by_path.try_emplace(in.path + in.build_id);
        one& o = found->second;
        if (!is_new || in.path.empty() || in.path[0] != '/' || build_id_of(in.path) != in.build_id)
            return o;
        o.session = ::dwfl_begin(&callbacks);
        ::dwfl_report_begin(o.session);
        o.module = ::dwfl_report_offline(o.session, in.path.c_str(), in.path.c_str(), -1);
        ::dwfl_report_end(o.session, nullptr, nullptr);
        if (o.module != nullptr && ::dwfl_module_getelf(o.module, &o.bias) == nullptr)
            o.module = nullptr;
        return o;
    }
};

symbols::symbols() : files_{std::make_unique<files>()} {}
symbols::~symbols() {
    for (auto& [path, file] : files_->by_path)
        if (file.session != nullptr)
            ::dwfl_end(file.session);
}

trace::name symbols::look_up(const trace::module& in, std::uint64_t offset) {
    trace::name found;
    const files::one& file = files_->open(in);
    if (file.module == nullptr)
        return found;
    const GElf_Addr at = offset + file.bias;
    if (const char* symbol = ::dwfl_module_addrname(file.module, at))
        found.function = demangled(symbol);
    Dwarf_Addr bias = 0;
    Dwarf_Die* const cu = unit_of(file.module, at, bias);
    Dwarf_Line* const line = cu == nullptr ? nullptr : ::dwarf_getsrc_die(cu, at - bias);
    int number = 0;
    const char* const path = line == nullptr ? nullptr : ::dwarf_linesrc(line, nullptr, nullptr);
    if (path != nullptr && ::dwarf_lineno(line, &number) == 0) {
        found.file = path;
        found.line = static_cast<std::uint32_t>(number);
        leave_system_headers(cu, at - bias, found);
    }
    return found;
}

trace::name name_of(const trace::frame& f, const trace::tables& known, symbols& from) {
    const trace::module none;
    const trace::module& m = f.module < known.modules.size() ? known.modules[f.module] : none;
    trace::name n;
    if (const auto told = known.names.find(f); told != known.names.end())
        n = told->second;
    if (f.module != 0 && n.inlined.empty()) { // traces do not tell these
        trace::name here = from.look_up(m, f.offset);
        if (n.function.empty())
            n = std::move(here);
        else
            n.inlined = std::move(here.inlined);
    }
    if (n.function.empty())
        n.function = fmt::format("{}+{:#x}", m.path.empty() ? "?" : base_name(m.path), f.offset);
    return n;
}

bool is_offset(const std::string& name) {
    const std::size_t plus = name.rfind("+0x");
    return plus != std::string::npos &&
           name.find_first_not_of("0123456789abcdef", plus + 3) == std::string::npos;
}

std::string short_name(const std::string& full) {
    if (is_offset(full)) // in a file, whose name may hold anything
        return full;
    constexpr std::string_view anonymous = "(anonymous namespace)::";
    std::string function = full.substr(0, full.find(" [clone ")); // as the compiler numbers copies
    for (std::size_t at; (at = function.find(anonymous)) != std::string::npos;)
        function.erase(at, anonymous.size());
    // "operator<" and its like are words, not brackets.
    std::string text;
    int depth = 0;
    for (std::size_t i = 0; i < function.size(); ++i) {
        const char c = function[i];
        if (depth == 0 && text.ends_with("operator") && (c == '<' || c == '>' || c == '(')) {
            text += c;
            if (c == '(' && i + 1 < function.size())
                text += function[++i];
            continue;
        }
        if (c == '<' || c == '(')
            ++depth;
        else if ((c == '>' && function[i - (i > 0)] != '-') || c == ')')
            depth -= depth > 0;
        else if (depth == 0)
            text += c;
    }
    while (text.ends_with(" const") || text.ends_with(' '))
        text.resize(text.size() - (text.ends_with(' ') ? 1 : 6));
    if (const std::size_t space = text.rfind(' ');
        space != std::string::npos && text.find("operator") == std::string::npos)
        text.erase(0, space + 1); // what it returns
    if (text.empty())
        text = function;
    return text;
}

} // namespace arenite::advisor
