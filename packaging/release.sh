#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

# Makes all that a release consists of in build/release: the sources of the last commit, the two packages of
# cpack, the single headers, the notes of this version from CHANGELOG.md, and checksums. A person looks at it,
# sets the tag and uploads it. `--dirty` allows changes that are not committed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
if [[ ${1:-} != --dirty && -n $(git status --porcelain) ]]; then
    echo "release: there are changes that are not committed" >&2
    exit 1
fi
version=$(sed -n 's/^project(arenite VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
to=$root/build/release
rm -rf "$to"
mkdir -p "$to"

# ---- notes: what CHANGELOG.md says of this version ----
awk -v version="$version" '/^## /{here = index($2, version) == 1} here' CHANGELOG.md > "$to/NOTES.md"
if [[ ! -s $to/NOTES.md ]]; then
    echo "release: CHANGELOG.md has no section ## $version" >&2
    exit 1
fi

git archive --prefix="arenite-$version/" --output="$to/arenite-$version.tar.gz" HEAD
python3 tools/single_header.py "$to/arenite_all.hpp"
python3 tools/single_header.py --only offset "$to/arenite_offset.hpp"

launcher=()
command -v ccache > /dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
cmake -S . -B build/release-packages "${launcher[@]}" -G Ninja -DCMAKE_BUILD_TYPE=Release -DARENITE_BUILD_TESTS=OFF \
    -DARENITE_BUILD_LAB=OFF -DARENITE_BUILD_ADVISOR=OFF -DARENITE_BUILD_EXAMPLES=OFF -DCMAKE_INSTALL_PREFIX=/usr > /dev/null
cmake --build build/release-packages -j "$(nproc)" > /dev/null
(cd build/release-packages && rm -f ./*.deb ./*.tar.gz && cpack > /dev/null && cp ./*.deb ./*.tar.gz "$to/")

(cd "$to" && sha256sum -- * > SHA256SUMS)
ls -l "$to"
echo "next, by a person: git tag v$version && git push --tags; then upload these files with NOTES.md as text"
