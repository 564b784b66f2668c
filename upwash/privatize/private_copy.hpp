// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Copies of a program in one process: each has the program's variables for itself, all share its
// libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "upwash/privatize/program_file.hpp"

namespace upwash::privatize {

/// Loads what the program links, once for all its copies, as its start would: along
/// LD_LIBRARY_PATH, its own folders, and the system's. Throws `error` (environment).
void load_libraries(const program_file& of);

/// One copy; it stays as long as the process, since addresses of its functions may be anywhere.
class private_copy {
 public:
  /// Needs its libraries. Nothing of the program runs. `name`: the copy's, for debuggers. Throws
  /// `error` (system), which names what to do where variables of threads do not fit.
  private_copy(const program_file& of, const char* name);
  private_copy(private_copy&&) noexcept = default;

  /// The program's own calls of a function of a library go to `to` from now on.
  void redirect(std::string_view function, const void* to) const;

  /// What a process does around main: constructors of static objects; main; what the program
  /// registered for its end, and destructors of static objects.
  void construct(int argc, char** argv, char** environment) const;
  [[nodiscard]] int run_main(int argc, char** argv, char** environment) const;
  void destruct() const;

  /// Its main, or any address of it for whoever asks which module that lies in.
  [[nodiscard]] const void* program() const noexcept { return base_ + file_->main_offset(); }

 private:
  void write(std::uint64_t offset, const void* from, std::size_t bytes) const;

  const program_file* file_;
  std::byte* base_ = nullptr;
};

}  // namespace upwash::privatize
