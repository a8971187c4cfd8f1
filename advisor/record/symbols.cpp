// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "symbols.hpp"

#include "program.hpp"

#include <cstdlib>
#include <cxxabi.h>
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
    if (Dwfl_Line* line = ::dwfl_module_getsrc(file.module, at)) {
        int number = 0;
        if (const char* path = ::dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr)) {
            found.file = path;
            found.line = static_cast<std::uint32_t>(number);
        }
    }
    return found;
}

trace::name name_of(const trace::frame& f, const trace::tables& known, symbols& from) {
    const trace::module none;
    const trace::module& m = f.module < known.modules.size() ? known.modules[f.module] : none;
    trace::name n;
    if (const auto told = known.names.find(f); told != known.names.end())
        n = told->second;
    else if (f.module != 0)
        n = from.look_up(m, f.offset);
    if (n.function.empty())
        n.function = fmt::format("{}+{:#x}", m.path.empty() ? "?" : base_name(m.path), f.offset);
    return n;
}

std::string short_name(const std::string& full) {
    constexpr std::string_view anonymous = "(anonymous namespace)::";
    std::string function = full;
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
