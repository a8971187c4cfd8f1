// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// malloc as a resource. Alignments above that of malloc ask aligned_alloc; on Windows, where such
// memory has a free of its own, all requests take the aligned call.
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/process_object.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/system_resource.hpp>

#include <cstdlib>

#if defined(_WIN32)
#include <malloc.h>
#endif

namespace arenite {
inline namespace ARENITE_ABI {

void* malloc_resource::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    ARENITE_ASSERT(is_alignment(alignment), "alignment must be a power of two");
    if (!is_alignment(alignment) || alignment > detail::max_object_bytes ||
        bytes > detail::max_object_bytes - alignment)
        return nullptr;
    // malloc(0) may be null, which would be a failure here.
    if (bytes == 0)
        bytes = 1;
#if defined(_WIN32)
    return _aligned_malloc(bytes, alignment);
#else
    if (alignment <= default_alignment)
        return std::malloc(bytes);
    // C11 wants a size that is a multiple of the alignment.
    return std::aligned_alloc(alignment, align_up(bytes, alignment));
#endif
}

void malloc_resource::deallocate(void* p, std::size_t, std::size_t) noexcept {
#if defined(_WIN32)
    _aligned_free(p);
#else
    std::free(p);
#endif
}

malloc_resource& system_resource() noexcept {
    return detail::process_object<malloc_resource>::get();
}

} // namespace ARENITE_ABI
} // namespace arenite
