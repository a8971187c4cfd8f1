/* SPDX-FileCopyrightText: 2026 The Arenite authors */
/* SPDX-License-Identifier: MIT */

/* The C interface as C99 sees it: what each function promises, and what bad input gets. */
#include <arenite/c.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            ++failures;                                                                            \
        }                                                                                          \
    } while (0)

static int is_filled(const unsigned char* p, size_t bytes, unsigned char value) {
    for (size_t i = 0; i < bytes; ++i)
        if (p[i] != value)
            return 0;
    return 1;
}

static void an_affinity_is_known_by_its_name(void) {
    char text[] = "of c";
    arenite_heap* const h = arenite_affinity(text);
    EXPECT(h != NULL);
    text[0] = 'x'; /* the name was copied */
    EXPECT(arenite_affinity("of c") == h);
    EXPECT(arenite_affinity("of d") != h);
    EXPECT(strcmp(arenite_name(h), "of c") == 0);
    EXPECT(arenite_name(NULL) == NULL);
}

static void a_name_that_can_be_none_gets_null(void) {
    char name[65];
    memset(name, 'n', sizeof name);
    name[64] = '\0';
    EXPECT(arenite_affinity(name) == NULL);
    name[63] = '\0';
    EXPECT(arenite_affinity(name) != NULL);
    EXPECT(arenite_affinity("") == NULL);
    EXPECT(arenite_affinity(NULL) == NULL);
}

static void memory_is_aligned_distinct_and_ones_own(void) {
    arenite_heap* const h = arenite_affinity("of c");
    enum { count = 200 };
    static unsigned char* all[count];
    for (size_t i = 0; i < count; ++i) {
        all[i] = arenite_allocate(h, i * i);
        EXPECT(all[i] != NULL && (uintptr_t)all[i] % 16 == 0);
        EXPECT(arenite_size_of(all[i]) >= i * i && arenite_size_of(all[i]) >= 1);
        EXPECT(arenite_affinity_of(all[i]) == h && arenite_owns(h, all[i]) == 1);
        memset(all[i], (int)i, i * i);
    }
    for (size_t i = 0; i < count; ++i) {
        EXPECT(is_filled(all[i], i * i, (unsigned char)i));
        if (i % 2 == 0)
            arenite_deallocate(all[i]);
        else
            arenite_deallocate_sized(all[i], i * i, 16);
    }
    EXPECT(arenite_usage_of(h).bytes_in_use == 0);
}

static void any_alignment_that_is_a_power_of_two(void) {
    arenite_heap* const h = arenite_affinity("of c");
    for (size_t alignment = 1; alignment <= ((size_t)1 << 21); alignment *= 2) {
        void* const p = arenite_allocate_aligned(h, 40, alignment);
        EXPECT(p != NULL && (uintptr_t)p % alignment == 0);
        memset(p, 1, 40);
        if (alignment % 3 == 1)
            arenite_deallocate(p);
        else
            arenite_deallocate_sized(p, 40, alignment);
    }
    EXPECT(arenite_allocate_aligned(h, 40, 0) == NULL);
    EXPECT(arenite_allocate_aligned(h, 40, 24) == NULL);
    EXPECT(arenite_allocate_aligned(h, 40, SIZE_MAX) == NULL);
    EXPECT(arenite_allocate_aligned(h, 40, SIZE_MAX / 2 + 1) == NULL);
    EXPECT(arenite_usage_of(h).bytes_in_use == 0);
}

static void an_object_is_aligned_as_one_of_its_size_can_need(void) {
    arenite_heap* const h = arenite_affinity("of c");
    for (size_t bytes = 0; bytes <= 2100; ++bytes) {
        void* const p = arenite_allocate_object(h, bytes);
        const size_t most = bytes % 16 == 0 ? 16 : bytes & (~bytes + 1);
        EXPECT(p != NULL && (uintptr_t)p % (bytes == 0 ? 1 : most) == 0);
        EXPECT(arenite_size_of(p) >= bytes);
        arenite_deallocate(p);
    }
    EXPECT(arenite_allocate_object(NULL, 8) == NULL);
    EXPECT(arenite_allocate_object(h, SIZE_MAX) == NULL);
    EXPECT(arenite_usage_of(h).bytes_in_use == 0);
}

static void what_is_too_large_gets_null(void) {
    arenite_heap* const h = arenite_affinity("of c");
    const size_t huge[] = {SIZE_MAX, SIZE_MAX - 15, SIZE_MAX / 2 + 1, SIZE_MAX / 2, SIZE_MAX / 4};
    unsigned char* const p = arenite_allocate(h, 100);
    memset(p, 7, 100);
    for (size_t i = 0; i < sizeof huge / sizeof *huge; ++i) {
        EXPECT(arenite_allocate(h, huge[i]) == NULL);
        EXPECT(arenite_allocate_aligned(h, huge[i], 4096) == NULL);
        EXPECT(arenite_reallocate(h, NULL, huge[i]) == NULL);
        EXPECT(arenite_reallocate(h, p, huge[i]) == NULL);
        EXPECT(is_filled(p, 100, 7)); /* nothing has changed */
    }
    arenite_deallocate(p);
}

static void reallocating_keeps_what_fits(void) {
    arenite_heap* const h = arenite_affinity("of c");
    arenite_heap* const other = arenite_affinity("of d");
    size_t bytes = 1;
    unsigned char* p = arenite_reallocate(h, NULL, bytes);
    memset(p, 3, bytes);
    while (bytes < 3000000) { /* from slots to objects with pages of their own */
        const size_t more = bytes + bytes / 2 + 1;
        p = arenite_reallocate(other, p, more); /* stays where it belongs */
        EXPECT(p != NULL && is_filled(p, bytes, 3));
        EXPECT((uintptr_t)p % 16 == 0 && arenite_affinity_of(p) == h);
        memset(p, 3, more);
        bytes = more;
    }
    while (bytes > 1) {
        bytes = bytes * 2 / 3;
        p = arenite_reallocate(NULL, p, bytes);
        EXPECT(p != NULL && is_filled(p, bytes, 3));
    }
    p = arenite_reallocate(h, p, 0); /* is no free */
    EXPECT(p != NULL && arenite_size_of(p) >= 1);
    arenite_deallocate_sized(p, 1, 16);

    p = arenite_allocate_aligned(h, 24, 8);
    memset(p, 9, 24);
    p = arenite_reallocate(h, p, 500);
    EXPECT((uintptr_t)p % 16 == 0 && is_filled(p, 24, 9));
    arenite_deallocate(p);
    EXPECT(arenite_usage_of(h).bytes_in_use == 0 && arenite_usage_of(other).bytes_in_use == 0);
}

static void null_and_what_is_nobodys(void) {
    static char mine[64];
    char* const of_malloc = malloc(64);
    void* const nobodys[] = {NULL, mine, of_malloc + 16, (void*)(uintptr_t)16,
                             (void*)UINTPTR_MAX};
    arenite_heap* const h = arenite_affinity("of c");
    for (size_t i = 0; i < sizeof nobodys / sizeof *nobodys; ++i) {
        EXPECT(arenite_size_of(nobodys[i]) == 0);
        EXPECT(arenite_affinity_of(nobodys[i]) == NULL);
        EXPECT(arenite_owns(h, nobodys[i]) == 0);
        EXPECT(arenite_owns(NULL, nobodys[i]) == 0);
        if (nobodys[i] != NULL)
            EXPECT(arenite_reallocate(h, nobodys[i], 10) == NULL);
    }
    free(of_malloc);
    arenite_deallocate(NULL);
    arenite_deallocate_sized(NULL, 10, 16);
    EXPECT(arenite_allocate(NULL, 10) == NULL);
    EXPECT(arenite_allocate_aligned(NULL, 10, 16) == NULL);
    EXPECT(arenite_reallocate(NULL, NULL, 10) == NULL);
}

static void a_pointer_into_an_object_tells_whose_it_is(void) {
    arenite_heap* const h = arenite_affinity("of c");
    char* const p = arenite_allocate(h, 1000);
    char* const large = arenite_allocate(h, 1000000);
    EXPECT(arenite_affinity_of(p + 999) == h && arenite_owns(h, p + 999) == 1);
    EXPECT(arenite_affinity_of(large + 999999) == h);
    arenite_deallocate(p);
    arenite_deallocate(large);
}

static void what_is_free_goes_back(void) {
    arenite_heap* const h = arenite_affinity("of c, trimmed");
    void* const kept = arenite_allocate(h, 10);
    void* const p = arenite_allocate(h, 5000000);
    memset(p, 1, 5000000);
    EXPECT(arenite_usage_of(h).bytes_in_use >= 5000010);
    EXPECT(arenite_usage_of(NULL).bytes_in_use >= arenite_usage_of(h).bytes_in_use);
    arenite_deallocate(p);
    const size_t reserved = arenite_usage_of(h).bytes_reserved;
    const size_t gone = arenite_trim(h);
    EXPECT(arenite_usage_of(h).bytes_reserved + gone == reserved);
    EXPECT(arenite_usage_of(h).bytes_reserved < 5000000);
    arenite_deallocate(kept);
    EXPECT(arenite_trim(NULL) > 0);
    EXPECT(arenite_retire(NULL) == 0);
    arenite_heap* const document = arenite_affinity("a document in c");
    void* const page = arenite_allocate(document, 100);
    EXPECT(arenite_retire(document) == 0);
    arenite_deallocate(page);
    EXPECT(arenite_retire(document) == 1);
    EXPECT(arenite_retire(document) == 0);
    EXPECT(arenite_usage_of(h).bytes_reserved == 0);
}

static void one_affinity_too_many_is_null(void) {
    const int most = sizeof(void*) == 8 ? 4096 : 256;
    char name[32];
    int made = 0;
    for (int i = 0; i < most + 44; ++i) {
        snprintf(name, sizeof name, "one of many %d", i);
        made += arenite_affinity(name) != NULL;
    }
    EXPECT(made > 0 && made < most);
    EXPECT(arenite_affinity("of c") != NULL);
    EXPECT(arenite_affinity("one of many 0") != NULL);
}

int main(void) {
    an_affinity_is_known_by_its_name();
    a_name_that_can_be_none_gets_null();
    memory_is_aligned_distinct_and_ones_own();
    any_alignment_that_is_a_power_of_two();
    an_object_is_aligned_as_one_of_its_size_can_need();
    what_is_too_large_gets_null();
    reallocating_keeps_what_fits();
    null_and_what_is_nobodys();
    a_pointer_into_an_object_tells_whose_it_is();
    what_is_free_goes_back();
    one_affinity_too_many_is_null();
    return failures == 0 ? 0 : 1;
}
