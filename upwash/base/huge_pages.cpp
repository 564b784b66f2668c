// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/huge_pages.hpp"

#include <sys/mman.h>

namespace upwash {

void ask_for_huge_pages(void* memory, std::size_t bytes) noexcept {
  madvise(memory, bytes, MADV_HUGEPAGE);
}

}  // namespace upwash
