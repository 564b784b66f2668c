// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/privatize/private_copy.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "upwash/base/error.hpp"

namespace upwash::privatize {
namespace {

namespace fs = std::filesystem;

/// As the dynamic linker has it: folders between colons, of which some begin with $ORIGIN.
void add_folders(std::vector<std::string>& to, std::string_view list, const std::string& origin) {
  while (!list.empty()) {
    std::string folder(list.substr(0, list.find(':')));
    list.remove_prefix(std::min(folder.size() + 1, list.size()));
    for (const std::string_view word : {"${ORIGIN}", "$ORIGIN"}) {
      if (folder.starts_with(word)) folder.replace(0, word.size(), origin);
    }
    if (!folder.empty()) to.push_back(std::move(folder));
  }
}

std::vector<std::string> search_path(const program_file& of) {
  std::vector<std::string> folders;
  std::error_code ignored;
  const std::string origin = fs::canonical(of.path(), ignored).parent_path().string();
  if (const char* first = std::getenv("LD_LIBRARY_PATH")) add_folders(folders, first, origin);
  for (const std::string& list : of.folders()) add_folders(folders, list, origin);
  return folders;
}

std::string place_of(const std::string& library, const std::vector<std::string>& folders) {
  if (library.find('/') != std::string::npos) return library;
  for (const std::string& folder : folders) {
    std::string at = (fs::path(folder) / library).string();
    if (access(at.c_str(), R_OK) == 0) return at;
  }
  return library;
}

/// A file in memory that keeps its number: the dynamic linker takes two of one name for one.
int file_in_memory(const program_file& of, const char* name) {
#if defined(MFD_EXEC)
  int file = memfd_create(name, MFD_CLOEXEC | MFD_EXEC);
  if (file < 0 && errno == EINVAL) file = memfd_create(name, MFD_CLOEXEC);
#else
  const int file = memfd_create(name, MFD_CLOEXEC);
#endif
  const auto bytes = of.copy();
  std::size_t done = 0;
  while (file >= 0 && done < bytes.size()) {
    const ssize_t part = write(file, bytes.data() + done, bytes.size() - done);
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) break;
    done += static_cast<std::size_t>(part);
  }
  if (file < 0 || done < bytes.size()) {
    throw system_error(fmt::format("--privatize: no room for a copy of {} ({} bytes; use fewer "
                                   "ranks a process, or raise ulimit -n)",
                                   of.path(), bytes.size()),
                       errno);
  }
  return file;
}

[[noreturn]] void refuse_load(const program_file& of, const std::string& why) {
  std::string_view advice;
  if (why.find("static TLS") != std::string::npos) {
    advice =
        "; its thread_local variables must not be initial-exec (-ftls-model=global-dynamic), or "
        "give them room: GLIBC_TUNABLES=glibc.rtld.optional_static_tls=BYTES";
  }
  throw error(error_kind::system,
              fmt::format("--privatize: cannot load a copy of {}: {}{}", of.path(), why, advice));
}

}  // namespace

void load_libraries(const program_file& of) {
  const auto folders = search_path(of);
  for (const std::string& library : of.libraries()) {
    if (dlopen(place_of(library, folders).c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
      throw error(error_kind::environment,
                  fmt::format("--privatize: {} links {}, which does not load: {}", of.path(),
                              library, dlerror()));
    }
  }
}

private_copy::private_copy(const program_file& of, const char* name) : file_(&of) {
  const int file = file_in_memory(of, name);
  const std::string path = fmt::format("/proc/{}/fd/{}", getpid(), file);
  void* loaded = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) {
    const std::string why = dlerror();
    close(file);
    refuse_load(of, why);
  }
  link_map* entry = nullptr;
  if (dlinfo(loaded, RTLD_DI_LINKMAP, static_cast<void*>(&entry)) != 0) refuse_load(of, dlerror());
  base_ = reinterpret_cast<std::byte*>(entry->l_addr);
  // The dynamic linker passes over this process's executable, which may have the live one.
  for (const copied_variable& one : of.copied()) {
    const void* live = dlsym(RTLD_DEFAULT, std::string(one.name).c_str());
    if (live != nullptr && one.bytes > 0) write(one.offset, live, one.bytes);
  }
}

void private_copy::write(std::uint64_t offset, const void* from, std::size_t bytes) const {
  // The dynamic linker may have made it read-only; it stays writable, as in lazily bound programs.
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto at = reinterpret_cast<std::uintptr_t>(base_ + offset);
  const std::uintptr_t begin = at / page * page;
  if (mprotect(reinterpret_cast<void*>(begin), at + bytes - begin, PROT_READ | PROT_WRITE) != 0) {
    throw system_error("--privatize: the program's tables stay read-only", errno);
  }
  std::memcpy(base_ + offset, from, bytes);
}

void private_copy::redirect(std::string_view function, const void* to) const {
  for (const call_slot& slot : file_->slots()) {
    if (slot.function == function) write(slot.offset, &to, sizeof to);
  }
}

void private_copy::construct(int argc, char** argv, char** environment) const {
  using constructor = void (*)(int, char**, char**);
  const auto* all = reinterpret_cast<const constructor*>(base_ + file_->constructors().offset);
  for (std::size_t i = 0; i < file_->constructors().count; ++i) all[i](argc, argv, environment);
}

int private_copy::run_main(int argc, char** argv, char** environment) const {
  using main_function = int (*)(int, char**, char**);
  return reinterpret_cast<main_function>(base_ + file_->main_offset())(argc, argv, environment);
}

void private_copy::destruct() const {
  using destructor = void (*)();
  const auto* all = reinterpret_cast<const destructor*>(base_ + file_->destructors().offset);
  for (std::size_t i = file_->destructors().count; i > 0; --i) all[i - 1]();
}

}  // namespace upwash::privatize
