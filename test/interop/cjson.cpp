// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// cJSON with its memory in an affinity: a document is read, printed and deleted.
#include <arenite/interop/cjson.hpp>

#include "interop_test.hpp"

#include <cjson/cJSON.h>

#include <string>

using namespace interop_test;
using memory = arenite::cjson_memory<>;

int main() {
    cJSON_Hooks hooks{};
    memory::set(hooks);
    cJSON_InitHooks(&hooks);
    std::string text = "[";
    for (int i = 0; i < 5000; ++i) {
        if (i != 0)
            text += ',';
        text.append("{\"name\":\"n").append(std::to_string(i)).append("\",\"at\":[1,2,3]}");
    }
    text += "]";
    cJSON* const document = cJSON_Parse(text.c_str());
    EXPECT(cJSON_GetArraySize(document) == 5000);
    EXPECT(in_use<arenite::affinities::cjson>() >= 5000 * 6 * sizeof(cJSON));
    EXPECT(is_reported("cJSON"));
    char* const printed = cJSON_PrintUnformatted(document);
    EXPECT(text == printed);
    cJSON_free(printed);
    cJSON_Delete(document);
    EXPECT(cJSON_Parse("[{\"cut") == nullptr); // what was made until there is given back
    EXPECT(in_use<arenite::affinities::cjson>() == 0);

    EXPECT(hooks.malloc_fn(SIZE_MAX) == nullptr);
    hooks.free_fn(hooks.malloc_fn(0));
    hooks.free_fn(nullptr);
    return result();
}
