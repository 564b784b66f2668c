// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which MPI library a process takes: the one that it is linked with already, else the one whose
// launcher started it. A process that takes another than its launcher's would be a job of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "upwash/base/function_ref.hpp"
#include "upwash/conduit/wire/plugin.hpp"

namespace upwash::conduit::mpi {

enum class library { openmpi, mpich };

/// "openmpi", as in the knob mpi_library.
[[nodiscard]] std::string_view name_of(library which) noexcept;
/// "Open MPI", for messages.
[[nodiscard]] std::string_view title_of(library which) noexcept;

/// Who started this process, as an MPI library would see it.
struct launcher {
  std::string_view name;          ///< for messages
  std::optional<library> starts;  ///< whose processes; none: nobody's
  std::string_view fix;           ///< what to do where it starts nobody's
  int rank = 0;
  int size = 1;
};

/// By the variables of mpirun of Open MPI, of Hydra and whoever else speaks PMI, and of srun.
[[nodiscard]] std::optional<launcher> find_launcher(
    function_ref<const char*(const char* name)> variable);

/// The library that this process is linked with.
[[nodiscard]] std::optional<library> linked_library();

/// Its plugin: `file` (the knob mpi_plugin), or libupwash_LIBRARY.so where plugins lie.
[[nodiscard]] wire::plugin_wanted plugin_of(library which, const std::string& file);

struct choice {
  library which = library::openmpi;
  std::string why;
};

/// `wanted`: the knob mpi_library. Throws `error` (environment) where nothing says which, or
/// where what says it contradicts itself; the text says what to do.
[[nodiscard]] choice choose_library(std::string_view wanted, std::optional<library> linked,
                                    const std::optional<launcher>& by);

}  // namespace upwash::conduit::mpi
