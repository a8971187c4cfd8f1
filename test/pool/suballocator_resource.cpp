// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/pool/suballocator_resource.hpp>

#include <arenite/core/concepts.hpp>

using namespace arenite;

static_assert(Allocating<suballocator_resource>);
static_assert(Owning<suballocator_resource>);
static_assert(Trimmable<suballocator_resource>);
static_assert(Measurable<suballocator_resource>);
static_assert(Mappable<suballocator_resource>);
