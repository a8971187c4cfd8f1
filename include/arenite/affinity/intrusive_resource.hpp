// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// The former place of intrusive_resource.
#include <arenite/predecessor/intrusive_resource.hpp>
