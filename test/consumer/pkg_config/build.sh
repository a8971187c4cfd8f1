#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT

# build.sh PKG_CONFIG PREFIX LIBDIR COMPILER CHECKS SCRATCH: a program with one plain command line,
# against the package moved to another place than it was installed to.
set -eu
pkg_config=$1 prefix=$2 libdir=$3 compiler=$4 checks=$5 scratch=$6

rm -rf "$scratch"
mkdir -p "$scratch"
cp -r "$prefix" "$scratch/moved"
export PKG_CONFIG_PATH="$scratch/moved/$libdir/pkgconfig"
flags=$("$pkg_config" --cflags --libs arenite)
case $flags in
    *"$prefix/"*) echo "arenite.pc names the place of installation: $flags"; exit 1 ;;
esac
echo "$compiler -std=c++20 program.cpp $flags"
$compiler -std=c++20 "-DEXPECTED_CHECKS=$checks" "$(dirname "$0")/../program.cpp" $flags -o "$scratch/program"
"$scratch/program"

# And one in C, linked as C.
echo "cc program.c $flags"
cc -std=c99 "$(dirname "$0")/../from_c/program.c" $flags -o "$scratch/program_in_c"
"$scratch/program_in_c"
