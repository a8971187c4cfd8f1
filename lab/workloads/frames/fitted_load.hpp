// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace arenite::lab {

/// The load of frames/vr that new and delete of the C++ library carry on this machine as it is now:
/// the largest that was tried at which they miss 5 % of the frames or fewer. Tried are 5, 8, 12,
/// 18, 27, 40, 60 and 90 %, until one misses more, then two between that and the one before; each
/// in three processes of two passes of 200 frames, of whose second passes the median counts.
///
/// Found once, by the first call of the process; turns that it starts later are told, and find
/// what it found. Where even the least misses more, that one is taken, and a warning printed.
[[nodiscard]] std::size_t fitted_load();

} // namespace arenite::lab
