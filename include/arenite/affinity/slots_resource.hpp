// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// The former place of slots_resource.
#include <arenite/predecessor/slots_resource.hpp>
