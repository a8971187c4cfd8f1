#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

# single_header.sh SCRATCH COMPILER [EXAMPLE...]: makes the single header, compiles it as the library, and
# the examples (all of them, or those named) with nothing else; runs them.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$1 compiler=$2
shift 2
[ $# -gt 0 ] || set -- "$root"/example/*.cpp
mkdir -p "$scratch"
cd "$scratch"
python3 "$root/tools/single_header.py" arenite_all.hpp
# What an example includes by folder is the same file.
for header in $(cd "$root/include" && find arenite -name '*.hpp' ! -path '*/interop/*'); do
    mkdir -p "shim/$(dirname "$header")"
    echo '#include <arenite_all.hpp>' > "shim/$header"
done
printf '#define ARENITE_IMPLEMENTATION\n#include <arenite_all.hpp>\n' > arenite.cpp
$compiler -std=c++20 -O0 -Wall -Wextra -Wshadow -Werror -I. -c arenite.cpp -o arenite.o

# offset/ alone.
python3 "$root/tools/single_header.py" --only offset arenite_offset.hpp
cat > offset.cpp << 'END'
#define ARENITE_IMPLEMENTATION
#include <arenite_offset.hpp>
int main() {
    arenite::offset_allocator gpu{1024};
    arenite::memory_slots slots{1024};
    return gpu.try_allocate(100, 36) && slots.reserve(100) ? 0 : 1;
}
END
$compiler -std=c++20 -O0 -Wall -Wextra -Wshadow -Werror -I. offset.cpp -o offset
./offset

# The header compiled once; the examples several at a time.
$compiler -std=c++20 -O0 -pthread -w -x c++-header arenite_all.hpp -o arenite_all.hpp.gch
for example; do
    if grep -q 'arenite/interop\|arenite/c\.h' "$example"; then
        continue # which are not part of it
    fi
    echo "$example"
done > examples
export compiler
xargs -P "$(nproc)" -I '{}' sh -euc '
    program=./$(basename "$1" .cpp)
    echo "$compiler ${1##*/}"
    $compiler -std=c++20 -O0 -pthread -include arenite_all.hpp -I. -Ishim "$1" arenite.o -o "$program"
    "$program" > /dev/null
' sh '{}' < examples
