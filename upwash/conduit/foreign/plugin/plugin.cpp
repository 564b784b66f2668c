// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A process's place in its job by PMIx, of any server of it: srun --mpi=pmix, Open MPI's mpirun,
// PRRTE.
#include <pmix.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "upwash/conduit/foreign/plugin_end.hpp"
#include "upwash/conduit/foreign/pmix_plugin.hpp"

namespace upwash::conduit::foreign {
namespace {

std::string text_of(pmix_status_t status, std::string_view doing) {
  return std::string(doing) + ": " + PMIx_Error_string(status);
}

class engine final : public foreign_engine {
 public:
  [[nodiscard]] std::string_view title() const noexcept override { return "PMIx"; }
  [[nodiscard]] std::string_view entering() const noexcept override { return "PMIx_Init"; }
  [[nodiscard]] std::string version() const override;

  [[nodiscard]] bool enter(std::string& why) noexcept override;
  [[nodiscard]] int rank() const noexcept override { return static_cast<int>(self_.rank); }
  [[nodiscard]] int size() const noexcept override { return size_; }

  void begin_gather(std::span<const std::byte> mine, std::span<std::byte> all) noexcept override;
  [[nodiscard]] progress advance_gather(std::string& why) noexcept override;
  /// Nobody but the server knows.
  [[nodiscard]] std::vector<int> missing() const override { return {}; }

  [[noreturn]] void abort(int status) noexcept override;
  void at_end(void (*what)(void* argument), void* argument) noexcept override {
    at_the_end = {what, argument};
  }
  void leave() noexcept override { PMIx_Finalize(nullptr, 0); }

 private:
  /// On a thread of the library.
  static void fence_over(pmix_status_t status, void* self) {
    static_cast<engine*>(self)->fence_.store(status, std::memory_order_release);
  }
  [[nodiscard]] pmix_status_t begin();
  [[nodiscard]] pmix_status_t take_all() const;

  static constexpr pmix_status_t under_way = 1;  // its errors are negative

  pmix_proc_t self_{};
  pmix_proc_t everybody_{};
  int size_ = 1;
  int gathers_ = 0;
  std::string key_;
  std::string doing_;
  std::span<const std::byte> mine_;
  std::span<std::byte> all_;
  std::atomic<pmix_status_t> fence_ = PMIX_SUCCESS;
};

/// "OpenPMIx 4.2.2rc2 (PMIx Standard: ...)": the first two words, without a comma behind them.
std::string engine::version() const {
  const std::string all = PMIx_Get_version();
  const std::string known = all.substr(0, all.find_first_of(",("));
  return known.substr(0, known.find_last_not_of(' ') + 1);
}

bool engine::enter(std::string& why) noexcept {
  if (const pmix_status_t status = PMIx_Init(&self_, nullptr, 0); status != PMIX_SUCCESS) {
    why = text_of(status, "PMIx_Init");
    return false;
  }
  PMIX_LOAD_PROCID(&everybody_, self_.nspace, PMIX_RANK_WILDCARD);
  pmix_value_t* size = nullptr;
  const pmix_status_t status = PMIx_Get(&everybody_, PMIX_JOB_SIZE, nullptr, 0, &size);
  if (status != PMIX_SUCCESS) {
    why = text_of(status, "the size of the job");
    return false;
  }
  size_ = static_cast<int>(size->data.uint32);
  PMIX_VALUE_RELEASE(size);
  return true;
}

void engine::begin_gather(std::span<const std::byte> mine, std::span<std::byte> all) noexcept {
  mine_ = mine;
  all_ = all;
  fence_.store(under_way, std::memory_order_relaxed);
  if (const pmix_status_t status = begin(); status != PMIX_SUCCESS) fence_ = status;
}

/// What has no byte is no value: then the fence alone is wanted.
pmix_status_t engine::begin() {
  key_ = "upwash." + std::to_string(gathers_++);
  if (!mine_.empty()) {
    pmix_value_t value;
    PMIX_VALUE_CONSTRUCT(&value);
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo.bytes = reinterpret_cast<char*>(const_cast<std::byte*>(mine_.data()));
    value.data.bo.size = mine_.size();
    doing_ = "PMIx_Put";  // copies it
    if (const auto status = PMIx_Put(PMIX_GLOBAL, key_.c_str(), &value); status != PMIX_SUCCESS) {
      return status;
    }
    doing_ = "PMIx_Commit";
    if (const auto status = PMIx_Commit(); status != PMIX_SUCCESS) return status;
  }
  doing_ = "PMIx_Fence";
  bool collect = !mine_.empty();
  pmix_info_t how;
  PMIX_INFO_LOAD(&how, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
  return PMIx_Fence_nb(&everybody_, 1, &how, 1, &engine::fence_over, this);
}

progress engine::advance_gather(std::string& why) noexcept {
  pmix_status_t status = fence_.load(std::memory_order_acquire);
  if (status == under_way) return progress::under_way;
  if (status == PMIX_SUCCESS && !mine_.empty()) {
    doing_ = "PMIx_Get";
    status = take_all();
  }
  if (status == PMIX_SUCCESS) return progress::done;
  why = text_of(status, doing_);
  return progress::failed;
}

pmix_status_t engine::take_all() const {
  for (int r = 0; r < size_; ++r) {
    pmix_proc_t whose;
    PMIX_LOAD_PROCID(&whose, self_.nspace, static_cast<pmix_rank_t>(r));
    pmix_value_t* value = nullptr;
    if (const auto status = PMIx_Get(&whose, key_.c_str(), nullptr, 0, &value);
        status != PMIX_SUCCESS) {
      return status;
    }
    const bool fits = value->type == PMIX_BYTE_OBJECT && value->data.bo.size == mine_.size();
    if (fits) {
      std::memcpy(all_.data() + static_cast<std::size_t>(r) * mine_.size(), value->data.bo.bytes,
                  mine_.size());
    }
    PMIX_VALUE_RELEASE(value);
    if (!fits) return PMIX_ERR_TYPE_MISMATCH;
  }
  return PMIX_SUCCESS;
}

void engine::abort(int status) noexcept {
  if (PMIx_Initialized() != 0) PMIx_Abort(status, "", nullptr, 0);
  _exit(status);
}

constexpr pmix_plugin exported{{wire::plugin_abi, "pmix"},
                               [] { return static_cast<foreign_engine*>(new engine); }};

}  // namespace
}  // namespace upwash::conduit::foreign

const upwash::conduit::wire::plugin_head* upwash_plugin() noexcept {
  return &upwash::conduit::foreign::exported;
}
