// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// MPI in this process: compiled once with each MPI library.
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "upwash/conduit/foreign/plugin_end.hpp"
#include "upwash/conduit/mpi/mpi_engine.hpp"
#include "upwash/conduit/mpi/plugin/detail/calls.hpp"
#include "upwash/conduit/mpi/plugin/detail/gathering.hpp"
#include "upwash/conduit/mpi/plugin/detail/packet_transport.hpp"

namespace upwash::conduit::mpi {
namespace {

class engine final : public mpi_engine {
 public:
  [[nodiscard]] bool enter(std::string& why) noexcept override;
  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return size_; }
  [[nodiscard]] bool entered_by_program() const noexcept override { return by_program_; }
  [[nodiscard]] bool bears_threads() const noexcept override {
    return provided_ >= (by_program_ ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED);
  }
  [[nodiscard]] std::string version() const override;

  void begin_gather(std::span<const std::byte> mine, std::span<std::byte> all) noexcept override {
    gathering_->begin(mine, all);
  }
  [[nodiscard]] progress advance_gather(std::string& why) noexcept override {
    return gathering_->advance(why);
  }
  [[nodiscard]] std::vector<int> missing() const override { return gathering_->missing(); }

  [[nodiscard]] std::unique_ptr<wire::transport> make_transport(std::span<const int> ranks,
                                                                const transport_options& options,
                                                                std::string& why) noexcept override;

  [[noreturn]] void abort(int status) noexcept override;
  void at_end(void (*what)(void* argument), void* argument) noexcept override {
    foreign::at_the_end = {what, argument};
  }
  void leave() noexcept override {
    if (!by_program_) PMPI_Finalize();
  }

 private:
  int rank_ = 0;
  int size_ = 1;
  int provided_ = MPI_THREAD_SINGLE;
  bool by_program_ = false;
  std::optional<gathering> gathering_;
};

bool engine::enter(std::string& why) noexcept {
  int over = 0;
  PMPI_Finalized(&over);
  if (over != 0) {
    why = "the program has called MPI_Finalize";
    return false;
  }
  int initialized = 0;
  PMPI_Initialized(&initialized);
  by_program_ = initialized != 0;
  if (!by_program_) {
    // Less than asked for is enough, but for a progress thread.
    const int code = PMPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided_);
    if (code != MPI_SUCCESS) {
      why = text_of(code, "MPI_Init_thread");
      return false;
    }
  }
  PMPI_Query_thread(&provided_);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  PMPI_Comm_size(MPI_COMM_WORLD, &size_);
  gathering_.emplace(rank_, size_);
  return true;
}

std::string engine::version() const {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  PMPI_Get_library_version(text, &length);
  std::string all(text, static_cast<std::size_t>(length));
  all.resize(std::min(all.find_first_of(",\n"), all.size()));
  std::replace(all.begin(), all.end(), '\t', ' ');
  const std::string_view label = " Version:";  // MPICH says "MPICH Version: 4.0.2"
  if (const std::size_t at = all.find(label); at != std::string::npos) all.erase(at, label.size());
  return all;
}

std::unique_ptr<wire::transport> engine::make_transport(std::span<const int> ranks,
                                                        const transport_options& options,
                                                        std::string& why) noexcept {
  auto made = std::make_unique<packet_transport>(ranks, rank_, options);
  const int code = made->open();
  if (code == MPI_SUCCESS) return made;
  why = text_of(code, "opening communicators");
  return nullptr;
}

void engine::abort(int status) noexcept {
  int over = 0;
  PMPI_Finalized(&over);
  if (over == 0) PMPI_Abort(MPI_COMM_WORLD, status);
  _exit(status);
}

#ifdef OPEN_MPI
constexpr const char* library_name = "openmpi";
#else
constexpr const char* library_name = "mpich";
#endif

constexpr mpi_plugin exported{{wire::plugin_abi, library_name},
                              [] { return static_cast<mpi_engine*>(new engine); }};

}  // namespace
}  // namespace upwash::conduit::mpi

const upwash::conduit::wire::plugin_head* upwash_plugin() noexcept {
  return &upwash::conduit::mpi::exported;
}
