// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What all parts of the plugin need of MPI's C interface. They call it by its second names, PMPI_:
// who stands before the first ones sees the program's calls only.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace upwash::conduit::mpi {

/// "MPI_Isend: MPI_ERR_OTHER: known error not in list"
[[nodiscard]] inline std::string text_of(int code, std::string_view call) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  std::string all(call);
  all += ": ";
  if (PMPI_Error_string(code, text, &length) != MPI_SUCCESS) return all + "unknown error";
  return all.append(text, static_cast<std::size_t>(length));
}

/// A duplicate of MPI_COMM_WORLD: nothing of the program's matches what travels on it, and errors
/// are told by the call that meets them. Made without blocking, and without keeping the processor
/// from those who have yet to come.
class own_communicator {
 public:
  own_communicator() = default;
  own_communicator(const own_communicator&) = delete;
  own_communicator& operator=(const own_communicator&) = delete;
  ~own_communicator() = default;  // freeing is collective: see `free`

  /// Collective. An MPI error code, as of all methods.
  [[nodiscard]] int begin() noexcept { return PMPI_Comm_idup(MPI_COMM_WORLD, &comm_, &making_); }
  /// Whether it can be used.
  [[nodiscard]] int advance(bool& made) noexcept {
    int over = 0;
    const int code = PMPI_Test(&making_, &over, MPI_STATUS_IGNORE);
    made = over != 0;
    if (code != MPI_SUCCESS || !made) return code;
    return PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  /// Collective.
  void free() noexcept {
    if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
  }

  [[nodiscard]] MPI_Comm get() const noexcept { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Request making_ = MPI_REQUEST_NULL;
};

}  // namespace upwash::conduit::mpi
