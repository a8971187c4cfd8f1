// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/clock.hpp"
#include "../workload.hpp"
#include "programs/program.hpp"

#include <arenite/interop/sqlite.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <sqlite3.h>
#include <stdexcept>
#include <string_view>

// programs/sqlite: a database in memory of SQLite 3, whose memory is taken by SQLITE_CONFIG_MALLOC.
//
// `rounds` times a table is made, and of it:
// `insert`    1,000 rows of a number, a text and a blob are inserted by a prepared statement
// `select`    1,000 rows are found by number, 200 by a text with an index
// `parse`     1,000 selects whose text SQLite must parse first
// `update`    every third row gets a longer text; then the table is dropped
// `close`     the database is closed
//
// Ours is the hook of interop/sqlite.hpp as users plug it in. The others are SQLite's own functions
// over their malloc, realloc, free and malloc_usable_size.

namespace arenite::lab {
namespace {

struct sqlite_workload_memory {
    static constexpr std::string_view name = "lab: SQLite";
};

constexpr int sqlite_rows = 1000;

void must(int result, sqlite3* database) {
    if (result != SQLITE_OK && result != SQLITE_ROW && result != SQLITE_DONE)
        throw std::runtime_error{database == nullptr ? "SQLite refused its memory"
                                                     : sqlite3_errmsg(database)};
}

class sqlite_statement {
public:
    sqlite_statement(sqlite3* database, const char* text) : database_{database} {
        must(sqlite3_prepare_v2(database, text, -1, &statement_, nullptr), database);
    }
    ~sqlite_statement() { sqlite3_finalize(statement_); }
    sqlite_statement(const sqlite_statement&) = delete;
    sqlite_statement& operator=(const sqlite_statement&) = delete;

    void number(int place, int value) {
        must(sqlite3_bind_int(statement_, place, value), database_);
    }
    void text(int place, const char* value) {
        must(sqlite3_bind_text(statement_, place, value, -1, SQLITE_TRANSIENT), database_);
    }
    /// Runs it to its end; the sum of the first column.
    std::int64_t run() {
        std::int64_t sum = 0;
        int result = sqlite3_step(statement_);
        for (; result == SQLITE_ROW; result = sqlite3_step(statement_))
            sum += sqlite3_column_int64(statement_, 0);
        must(result, database_);
        must(sqlite3_reset(statement_), database_);
        return sum;
    }

private:
    sqlite3* database_;
    sqlite3_stmt* statement_ = nullptr;
};

struct programs_sqlite {
    static workload_info info() {
        return program_info("programs/sqlite", "a database in memory of SQLite 3", "50",
                            "tables of 1,000 rows, one after the other");
    }

    template <class S>
    static constexpr bool accepts = runs_programs<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t) : rounds_{t.integer("rounds")} {
            sqlite3_mem_methods methods{};
            if constexpr (of_an_affinity<S>)
                sqlite_memory<sqlite_workload_memory>::set(methods);
            else
                set(methods);
            must(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods), nullptr);
        }
        ~on() { sqlite3_shutdown(); }
        on(const on&) = delete;
        on& operator=(const on&) = delete;

        void pass(turn& t) {
            sqlite3* database = nullptr;
            must(sqlite3_open(":memory:", &database), database);
            std::int64_t sum = 0;
            double inserting = 0;
            double selecting = 0;
            double parsing = 0;
            double updating = 0;
            for (std::int64_t round = 0; round < rounds_; ++round) {
                run(database, "create table t (id integer primary key, name text, data blob)");
                run(database, "create index by_name on t (name)");
                inserting += timed(sum, [&] { return insert(database); });
                selecting += timed(sum, [&] { return select(database); });
                parsing += timed(sum, [&] { return parse(database); });
                updating += timed(sum, [&] {
                    run(database, "update t set name = name || ' is now longer' where id % 3 = 0");
                    run(database, "drop table t");
                    return 0;
                });
            }
            const auto rows = static_cast<double>(rounds_) * sqlite_rows;
            t.record("insert", "ns/row", inserting / rows);
            t.record("select", "ns/row", selecting / rows);
            t.record("parse", "ns/select", parsing / rows);
            t.record("update", "ns/row", updating / rows);
            t.checksum(static_cast<std::uint64_t>(sum));
            const stopwatch closing;
            sqlite3_close(database);
            t.record("close", "us", closing.nanoseconds() / 1e3);
        }

    private:
        static void set(sqlite3_mem_methods& methods) noexcept {
            methods.xMalloc = [](int bytes) {
                return heap().allocate(std::size_t(bytes), default_alignment);
            };
            methods.xFree = [](void* p) { S::deallocate_any(p); };
            methods.xRealloc = [](void* p, int bytes) {
                return heap().reallocate(p, std::size_t(bytes));
            };
            methods.xSize = [](void* p) { return static_cast<int>(S::usable_bytes(p)); };
            methods.xRoundup = [](int bytes) { return (bytes + 7) & ~7; };
            methods.xInit = [](void*) { return SQLITE_OK; };
            methods.xShutdown = [](void*) {};
        }
        static S& heap() noexcept {
            static S only;
            return only;
        }

        template <class F>
        static double timed(std::int64_t& sum, F f) {
            const stopwatch running;
            sum += f();
            return running.nanoseconds();
        }
        static void run(sqlite3* database, const char* text) {
            must(sqlite3_exec(database, text, nullptr, nullptr, nullptr), database);
        }
        static std::int64_t insert(sqlite3* database) {
            run(database, "begin");
            sqlite_statement insert{database,
                                    "insert into t values (?, ?, zeroblob(100 + ? % 7 * 60))"};
            for (int i = 0; i < sqlite_rows; ++i) {
                insert.number(1, i);
                insert.text(2, name_of(i));
                insert.number(3, i);
                insert.run();
            }
            run(database, "commit");
            return sqlite_rows;
        }
        static std::int64_t select(sqlite3* database) {
            std::int64_t sum = 0;
            sqlite_statement by_id{database, "select length(data), name from t where id = ?"};
            for (int i = 0; i < sqlite_rows; ++i) {
                by_id.number(1, i * 7 % sqlite_rows);
                sum += by_id.run();
            }
            sqlite_statement by_name{database, "select count(*) from t where name = ?"};
            for (int i = 0; i < sqlite_rows / 5; ++i) {
                by_name.text(1, name_of(i));
                sum += by_name.run();
            }
            return sum;
        }
        static std::int64_t parse(sqlite3* database) {
            std::int64_t sum = 0;
            char text[160];
            for (int i = 0; i < sqlite_rows; ++i) {
                std::snprintf(text, sizeof text,
                              "select count(*), max(name) from t where id between %d and %d "
                              "and name like '%%%d%%' order by name",
                              i, i + 3, i % 10);
                sum += sqlite_statement{database, text}.run();
            }
            return sum;
        }
        static const char* name_of(int i) {
            static char text[40];
            std::snprintf(text, sizeof text, "the name of number %d", i % 97);
            return text;
        }

        std::int64_t rounds_;
    };
};

ARENITE_LAB_WORKLOAD(programs_sqlite);

} // namespace
} // namespace arenite::lab
