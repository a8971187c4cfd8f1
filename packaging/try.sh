#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

# Makes every package of Arenite, installs each below build/package and builds a program against it:
#     packaging/try.sh [release] [single-header] [vcpkg] [conan] [newcomer]     all, if none is named
# Two of them at a time: each compiles the library as one file, which keeps one core busy.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
scratch=$root/build/package
mkdir -p "$scratch"
launcher=()
command -v ccache > /dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)

# consumer PREFIX NAME TYPE CHECKS [ARGUMENT...]: the program of test/consumer against a prefix.
consumer() {
    local folder=$scratch/consumer-$2
    rm -rf "$folder"
    cmake -S "$root/test/consumer/find_package" -B "$folder" -G Ninja --log-level=WARNING \
        -DCMAKE_PREFIX_PATH="$1" -DCMAKE_BUILD_TYPE="$3" -DEXPECTED_CHECKS="$4" \
        -DEXPECTED_TYPE=STATIC_LIBRARY "${@:5}" > /dev/null
    cmake --build "$folder" > "$folder/log" || { cat "$folder/log" && return 1; }
    "$folder/program"
    echo "$2: a $3 program has ARENITE_CHECKS=$4"
}

# All files of a release; the two packages of cpack are among them.
try_release() {
    "$root/packaging/release.sh" --dirty
    cd "$root/build/release"
    sha256sum --quiet -c SHA256SUMS
    local sources
    sources=$(printf '%s\n' *.tar.gz | grep -E '^arenite-[0-9.]+\.tar\.gz$')
    tar -tzf "$sources" "${sources%.tar.gz}/include/arenite/arenite.hpp" > /dev/null
    grep -q '^## ' NOTES.md
    grep -q ARENITE_IMPLEMENTATION arenite_all.hpp && grep -q ARENITE_IMPLEMENTATION arenite_offset.hpp
    rm -rf "$scratch/from-tar" "$scratch/from-deb"
    mkdir -p "$scratch/from-tar" "$scratch/from-deb"
    tar -xf arenite-*-*.tar.gz -C "$scratch/from-tar" --strip-components=1
    dpkg -x ./*.deb "$scratch/from-deb"
    cd "$root"
    consumer "$scratch/from-tar" tar Release 0
    consumer "$scratch/from-tar" tar Debug 1
    consumer "$scratch/from-deb/usr" deb Release 0
    consumer "$scratch/from-deb/usr" deb Debug 0 -DARENITE_CHECKS=OFF
    consumer "$scratch/from-deb/usr" deb Release 1 -DARENITE_TARGET=arenite::checked
}

try_single_header() {
    sh "$root/packaging/single_header.sh" "$scratch/single-g++" g++
    local clang
    clang=$(command -v clang++-16 || command -v clang++ || true)
    if [[ $clang ]]; then
        sh "$root/packaging/single_header.sh" "$scratch/single-clang" "$clang"
    else
        echo "no clang++: the single header is tried with g++ alone" >&2
    fi
}

# vcpkg itself is no package: what its files say is checked.
try_vcpkg() {
    python3 - "$root" <<'END'
import json, re, sys
from pathlib import Path
root = Path(sys.argv[1])
port = root / "packaging/vcpkg/ports/arenite"
manifest = json.loads((port / "vcpkg.json").read_text())
version = re.search(r"project\(arenite VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())[1]
assert manifest["version-semver"] == version, "vcpkg.json has another version than CMakeLists.txt"
text = (port / "portfile.cmake").read_text()
options = set(re.findall(r"ARENITE_\w+", text))
known = set(re.findall(r"(?:option|set)\((ARENITE_\w+)", (root / "CMakeLists.txt").read_text()))
assert options <= known, f"the port sets what is no option: {options - known}"
assert set(manifest["features"]) == set(re.findall(r"FEATURES (\w+)", text))
assert (port / "../../../.." / "LICENSE").resolve() == root / "LICENSE"
print(f"vcpkg: the port of {version} names {len(options)} options that there are")
END
}

try_conan() {
    [[ -x $scratch/venv/bin/conan ]] || {
        python3 -m venv "$scratch/venv"
        "$scratch/venv/bin/pip" -q install 'conan>=2,<3'
    }
    export CONAN_HOME=$scratch/conan
    [[ ${#launcher[@]} -eq 0 ]] || export CMAKE_CXX_COMPILER_LAUNCHER=ccache
    local conan=$scratch/venv/bin/conan
    "$conan" profile detect --exist-ok > /dev/null 2>&1
    "$conan" create "$root" --test-folder "$root/packaging/conan/test_package" \
        -s compiler.cppstd=20 -c tools.cmake.cmaketoolchain:generator=Ninja > "$scratch/conan.log" 2>&1 ||
        { tail -40 "$scratch/conan.log" && return 1; }
    echo "conan: $(grep -m 1 'bytes in use' "$scratch/conan.log")"
}

# The last commit, used as README.md and doc/packages.md say, word for word.
try_newcomer() {
    python3 "$root/packaging/newcomer.py" "$scratch/newcomer"
}

(($#)) || set -- vcpkg single-header release newcomer conan
if (($# == 1)); then
    "try_${1//-/_}"
else # 255 has xargs begin no further one
    printf '%s\n' "$@" | xargs -P 2 -I '{}' bash -c '
        status=0
        "$0" "$1" > "$2/$1.said" 2>&1 || status=255
        cat "$2/$1.said"
        exit $status' "$root/packaging/try.sh" '{}' "$scratch"
fi
