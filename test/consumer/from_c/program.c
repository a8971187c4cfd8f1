/* SPDX-FileCopyrightText: 2026 The Arenite authors */
/* SPDX-License-Identifier: MIT */
#include <arenite/c.h>

#include <stdio.h>
#include <string.h>

int main(void) {
    arenite_heap* const h = arenite_affinity("of a consumer");
    char* const text = arenite_allocate(h, 32);
    if (text == NULL)
        return 1;
    strcpy(text, "consumer: right");
    puts(text);
    arenite_deallocate(text);
    return arenite_usage_of(h).bytes_in_use == 0 ? 0 : 1;
}
