#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""from_python.py LIBRARY: the shared library by the C interface, from a program that is neither C nor C++."""
import ctypes
import sys
import threading

library = ctypes.CDLL(sys.argv[1])


class Usage(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in
                ("bytes_in_use", "bytes_reserved", "high_water_bytes", "live_allocations")]


def function(name, result, *arguments):
    f = getattr(library, name)
    f.restype, f.argtypes = result, arguments
    return f


address, size = ctypes.c_void_p, ctypes.c_size_t
affinity = function("arenite_affinity", address, ctypes.c_char_p)
allocate = function("arenite_allocate", address, address, size)
reallocate = function("arenite_reallocate", address, address, address, size)
deallocate = function("arenite_deallocate", None, address)
affinity_of = function("arenite_affinity_of", address, address)
name_of = function("arenite_name", ctypes.c_char_p, address)
usage_of = function("arenite_usage_of", Usage, address)

heap = affinity(b"of Python")
assert heap == affinity(b"of Python") and name_of(heap) == b"of Python"
assert affinity(b"") is None and affinity(None) is None

made = []


def make():
    for bytes in range(1000):
        p = allocate(heap, bytes)
        ctypes.memset(p, 7, bytes)
        made.append((p, bytes))


threads = [threading.Thread(target=make) for _ in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len({p for p, _ in made}) == 3000
assert usage_of(heap).bytes_in_use >= sum(bytes for _, bytes in made)
for p, bytes in made:
    q = reallocate(None, p, 2 * bytes)
    assert affinity_of(q) == heap and ctypes.string_at(q, bytes) == b"\7" * bytes
    deallocate(q)
assert usage_of(heap).bytes_in_use == 0
assert allocate(heap, 2**64 - 1) is None
