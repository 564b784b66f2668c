// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reads and checks the file of a program with several copies in one process, and prepares the
// contents of a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upwash::privatize {

/// Functions that a process calls around main, by offset in the loaded program.
struct function_array {
  std::uint64_t offset = 0;
  std::size_t count = 0;
};

/// A slot that the dynamic linker fills with the address of a function.
struct call_slot {
  std::uint64_t offset = 0;
  std::string_view function;
};

/// A library's variable with storage in the program.
struct copied_variable {
  std::uint64_t offset = 0;
  std::size_t bytes = 0;
  std::string_view name;
};

class program_file {
 public:
  /// Finds the program as a shell does, reads it and checks it. Throws `error` (argument), with the
  /// defect and the way to build the program.
  explicit program_file(const std::string& name);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Returns the contents of a copy's file: the program's, with two changes. The dynamic linker
  /// neither refuses it nor calls its constructors and destructors. Variables of one name are one
  /// variable in each copy.
  [[nodiscard]] std::span<const std::byte> copy() const noexcept { return bytes_; }

  [[nodiscard]] const std::vector<std::string>& libraries() const noexcept { return libraries_; }
  /// Returns the folders that are searched first for libraries.
  [[nodiscard]] const std::vector<std::string>& folders() const noexcept { return folders_; }

  [[nodiscard]] std::uint64_t main_offset() const noexcept { return main_; }
  [[nodiscard]] function_array constructors() const noexcept { return constructors_; }
  [[nodiscard]] function_array destructors() const noexcept { return destructors_; }
  [[nodiscard]] std::span<const call_slot> slots() const noexcept { return slots_; }
  [[nodiscard]] std::span<const copied_variable> copied() const noexcept { return copied_; }

 private:
  void read();
  void check_kind();
  void take_dynamic();
  void take_symbols();
  void take_relocations();
  [[noreturn]] void refuse(const std::string& why) const;

  std::string path_;
  std::vector<std::byte> bytes_;
  std::vector<std::string> libraries_;
  std::vector<std::string> folders_;
  std::uint64_t main_ = 0;
  function_array constructors_;
  function_array destructors_;
  std::vector<call_slot> slots_;
  std::vector<copied_variable> copied_;
};

}  // namespace upwash::privatize
