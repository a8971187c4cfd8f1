/* SPDX-FileCopyrightText: 2026 The Arenite authors */
/* SPDX-License-Identifier: MIT */

/* Forks of a program with a library whose handlers of forks, which allocate, were registered before
 * the preloaded malloc began. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int handlers_called(void);

int main(void) {
    alarm(60);
    for (int i = 0; i < 20; ++i) {
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            free(malloc(100));
            _exit(handlers_called() != 2 * i + 2);
        }
        int status = 1;
        if (waitpid(child, &status, 0) != child || status != 0)
            return 1;
    }
    return handlers_called() != 40;
}
