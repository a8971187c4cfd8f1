// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// SQLite with its memory in an affinity: a database in memory, and the methods by themselves.
#include <arenite/interop/sqlite.hpp>

#include "interop_test.hpp"

#include <sqlite3.h>

#include <climits>
#include <cstring>
#include <string>

using namespace interop_test;
using sqlite_memory = arenite::sqlite_memory<>;

namespace {

bool run(sqlite3* database, const std::string& text) {
    return sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

void a_database_works() {
    sqlite3_mem_methods methods;
    sqlite_memory::set(methods);
    EXPECT(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK);
    sqlite3* database = nullptr;
    EXPECT(sqlite3_open(":memory:", &database) == SQLITE_OK);
    EXPECT(run(database, "create table t (id integer primary key, name text, data blob)"));
    EXPECT(run(database, "begin"));
    for (int i = 0; i < 2000; ++i)
        EXPECT(run(database, "insert into t values (" + std::to_string(i) + ", 'n" +
                                 std::to_string(i) + "', zeroblob(200))"));
    EXPECT(run(database, "insert into t values (-1, 'large', zeroblob(3000000)); commit"));
    sqlite3_stmt* question = nullptr;
    EXPECT(sqlite3_prepare_v2(database, "select sum(id), sum(length(data)) from t", -1, &question,
                              nullptr) == SQLITE_OK);
    EXPECT(sqlite3_step(question) == SQLITE_ROW);
    EXPECT(sqlite3_column_int64(question, 0) == 1999 * 1000 - 1);
    EXPECT(sqlite3_column_int64(question, 1) == 2000 * 200 + 3'000'000);
    sqlite3_finalize(question);
    EXPECT(in_use<arenite::affinities::sqlite>() >=
           static_cast<std::size_t>(sqlite3_memory_used()));
    EXPECT(is_reported("SQLite"));
    EXPECT(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_MISUSE); // too late
    EXPECT(sqlite3_close(database) == SQLITE_OK);
    EXPECT(sqlite3_shutdown() == SQLITE_OK);
    EXPECT(in_use<arenite::affinities::sqlite>() == 0);
}

void the_methods_by_themselves() {
    sqlite3_mem_methods m;
    sqlite_memory::set(m);
    EXPECT(m.xMalloc(-1) == nullptr);
    EXPECT(m.xSize(nullptr) == 0);
    m.xFree(nullptr);
    void* p = m.xMalloc(0);
    EXPECT(p != nullptr && m.xSize(p) >= 1);
    EXPECT(m.xRealloc(p, -1) == nullptr);
    m.xFree(p);
    for (int bytes = 1; bytes < 100'000; bytes += bytes / 3 + 1) {
        const int rounded = m.xRoundup(bytes);
        EXPECT(rounded >= bytes && rounded % 8 == 0 && m.xRoundup(rounded) == rounded);
        p = m.xMalloc(rounded);
        EXPECT(m.xSize(p) >= rounded && (m.xSize(p) == rounded || bytes > 8192));
        std::memset(p, 1, static_cast<std::size_t>(m.xSize(p)));
        m.xFree(p);
    }
    EXPECT(m.xRoundup(0) > 0 && m.xRoundup(-1) > 0);
    EXPECT(m.xRoundup(INT_MAX) == INT_MAX - 7);
}

} // namespace

int main() {
    a_database_works();
    the_methods_by_themselves();
    return result();
}
