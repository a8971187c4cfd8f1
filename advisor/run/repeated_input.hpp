// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

namespace arenite::advisor {

/// Standard input of a program that is run several times: each run reads it from where it stands
/// when this is made.
///
/// A pipe or a socket is read to its end and kept in a file without a name, which takes its place
/// as the standard input of this process and of those that it starts. A file is read where it is.
/// A terminal, and any other device, is as it was: each run reads on.
///
/// Failure: bad_input, where a pipe cannot be read or kept, or gives nothing for ten seconds and
///          does not end either, as one that nobody writes to.
class repeated_input {
public:
    repeated_input();

    /// To be called before each run.
    void begin_anew() const;

private:
    off_t begin_ = 0;
};

} // namespace arenite::advisor
