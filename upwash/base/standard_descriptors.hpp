// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Standard input, output and error of a process that was started without them.
#pragma once

namespace upwash {

/// Opens /dev/null in place of each of the descriptors 0, 1 and 2 that is closed. Otherwise the
/// next file or pipe would get its number, and printed text would go into it. Before a process
/// makes any descriptor.
void open_standard_descriptors() noexcept;

}  // namespace upwash
