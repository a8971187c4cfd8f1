/* SPDX-FileCopyrightText: 2026 The Arenite authors */
/* SPDX-License-Identifier: MIT */
#ifndef ARENITE_C_H
#define ARENITE_C_H

#include <stddef.h>

/*
 * Affinity heaps for C (C99), for C++ of any standard, and for what calls C: Rust, Zig, Python.
 *
 *     arenite_heap* nodes = arenite_affinity("nodes");
 *     struct node* n = arenite_allocate(nodes, sizeof *n);
 *     n = arenite_reallocate(nodes, n, 2 * sizeof *n);
 *     arenite_deallocate(n);
 *
 * An affinity is the memory of one kind of objects: they lie together, in address order, whatever
 * thread asks. It is known by its name, and C++ sees the same heap under it
 * (arenite/affinity/affinity_heap.hpp). All of it appears in the reports.
 *
 * Use when:  the caller is no C++20; C++20 takes affinity_heap, which inlines.
 * Cost:      affinity_heap's, and a call. Memory is freed without its size at no other cost.
 * Overhead:  none an object.
 * Limits:    4,096 affinities at once (256 where addresses have 32 bits); NULL for one more.
 * Misuse:    freeing memory that is no affinity's, or freeing it twice, ends the program with a
 *            message that says which, as in C++; so does reallocating or measuring what lies in an
 *            affinity and is no object's begin, or was freed. A checked library finds frees of
 *            pointers into an object and wrong sizes, too. All other arguments that make no sense
 *            get NULL, 0 or no effect, as each function says.
 * Threads:   any function from any thread, also before main, after it, and in a forked child; what
 *            one thread allocated another may free. None from a signal handler: it may interrupt a
 *            thread that is amid one.
 * Failure:   NULL; nothing has changed.
 *
 * A checked and an unchecked library have the same C interface.
 */
#if defined(ARENITE_PRIVATE) && ARENITE_PRIVATE && defined(__GNUC__) && !defined(_WIN32)
#define ARENITE_C_API __attribute__((visibility("hidden")))
#elif defined(__GNUC__) && !defined(_WIN32)
#define ARENITE_C_API __attribute__((visibility("default")))
#else
#define ARENITE_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct arenite_heap arenite_heap;

/* In bytes and counts; 0 where a figure is unknown. */
typedef struct arenite_usage {
    size_t bytes_in_use;
    size_t bytes_reserved;
    size_t high_water_bytes;
    size_t live_allocations;
} arenite_usage;

/* The affinity of this name, which is copied; made if it is new. NULL: the name is NULL, empty or
 * longer than 63 bytes, or there are 4,096 others (256 on 32 bits). A tag of C++ that asks for more
 * than the usual must come before the first allocation from it. Not quick: keep what it returns,
 * which is good until arenite_retire. */
ARENITE_C_API arenite_heap* arenite_affinity(const char* name);

/* Memory for objects of any type that is not over-aligned, as malloc gives it; 0 bytes count as 1.
 * NULL: there is none, or the heap is NULL. */
ARENITE_C_API void* arenite_allocate(arenite_heap* heap, size_t bytes);

/* The same at a multiple of the alignment; of 8 bytes, it saves memory where 24 or 40 bytes need
 * no 16. NULL also: the alignment is no power of two. */
ARENITE_C_API void* arenite_allocate_aligned(arenite_heap* heap, size_t bytes, size_t alignment);

/* The same for one object of which only the size is known: at the largest alignment that an object
 * of so many bytes can need, at most 16; the quickest of the three. */
ARENITE_C_API void* arenite_allocate_object(arenite_heap* heap, size_t bytes);

/* Gives back what any affinity gave. NULL is allowed. */
ARENITE_C_API void arenite_deallocate(void* p);

/* The same with what is known of it: the size as it was asked, and the alignment, which is 16 for
 * arenite_allocate (alignof(max_align_t)). A checked library compares the size. */
ARENITE_C_API void arenite_deallocate_sized(void* p, size_t bytes, size_t alignment);

/* Makes the memory at p larger or smaller, where it lies or elsewhere, and keeps the bytes that
 * both have; p stays in its affinity. A NULL p is allocated from `heap`, else that is not looked
 * at. 0 bytes count as 1. NULL: there is no memory, or p is no affinity's; then p is as it was.
 * What arenite_allocate_aligned gave is aligned like arenite_allocate's from now on. */
ARENITE_C_API void* arenite_reallocate(arenite_heap* heap, void* p, size_t bytes);

/* Bytes that may be used at p: at least those that were asked. 0 for NULL and for what is no
 * affinity's. */
ARENITE_C_API size_t arenite_size_of(const void* p);

/* Whose memory p points into, handed out or not; NULL for nobody's. */
ARENITE_C_API arenite_heap* arenite_affinity_of(const void* p);

/* 1 if p points into memory of this affinity, handed out or not; else 0. */
ARENITE_C_API int arenite_owns(const arenite_heap* heap, const void* p);

/* As it was given to arenite_affinity, or by a tag in C++. NULL for a NULL heap. */
ARENITE_C_API const char* arenite_name(const arenite_heap* heap);

/* Ends this affinity: its memory goes back, and its name is free for another. 1: done; no thread
 * may be using it, or come to. 0, and nothing changes: objects live in it, a tag of C++ has its
 * name, it was retired before, or the heap is NULL. */
ARENITE_C_API int arenite_retire(arenite_heap* heap);

/* Gives back all memory that holds nothing, and says how many bytes that were; other threads do so
 * at their next slow call. Of all affinities for NULL. */
ARENITE_C_API size_t arenite_trim(arenite_heap* heap);

/* Exact while nobody allocates or frees; else of a moment ago. Of all affinities for NULL. */
ARENITE_C_API arenite_usage arenite_usage_of(const arenite_heap* heap);

#ifdef __cplusplus
}
#endif

#endif
