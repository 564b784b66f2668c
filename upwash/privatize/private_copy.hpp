// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Loads several copies of a program into one process. Each copy has its own variables; all share
// the program's libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "upwash/privatize/program_file.hpp"

namespace upwash::privatize {

/// Loads the libraries that the program links, once for all its copies, in the order in which its
/// start would search: LD_LIBRARY_PATH, its own folders, the system's. Throws `error`
/// (environment).
void load_libraries(const program_file& of);

/// One copy of a program. It stays as long as the process, because addresses of its functions may
/// be stored anywhere.
class private_copy {
 public:
  /// Loads a copy without running any of its code. Its libraries must be loaded. `name`: for
  /// debuggers. Throws `error` (system), with a remedy if thread-local variables do not fit.
  private_copy(const program_file& of, const char* name);
  private_copy(private_copy&&) noexcept = default;

  /// Redirects the program's own calls of a library function to `to`.
  void redirect(std::string_view function, const void* to) const;

  /// Run the parts of a process around main: constructors of static objects; main; then functions
  /// that the program registered for its exit, and destructors of static objects.
  void construct(int argc, char** argv, char** environment) const;
  [[nodiscard]] int run_main(int argc, char** argv, char** environment) const;
  void destruct() const;

  /// Returns the address of the copy's main, for lookups of the module that contains an address.
  [[nodiscard]] const void* program() const noexcept { return base_ + file_->main_offset(); }

 private:
  void write(std::uint64_t offset, const void* from, std::size_t bytes) const;

  const program_file* file_;
  std::byte* base_ = nullptr;
};

}  // namespace upwash::privatize
