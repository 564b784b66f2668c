// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A schedule as a page on which one steps through it.
#pragma once

#include <string>

#include "upwash/schedule/draw.hpp"

namespace upwash::tools {

/// The HTML of the page. Throws what drawn_steps throws.
[[nodiscard]] std::string schedule_page(const schedule::drawing& of,
                                        function_ref<schedule::generator(int rank)> schedule_of);

}  // namespace upwash::tools
