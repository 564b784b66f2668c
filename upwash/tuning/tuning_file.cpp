// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finding the tuning file, and adding to it while others do.
#include "upwash/tuning/tuning_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "upwash/base/data_folders.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/output_file.hpp"

namespace upwash::tuning {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_text = std::uintmax_t{64} << 20U;
constexpr double patience_seconds = 10;

/// Held by the job that changes a tuning file. The kernel releases it when its holder dies, and no
/// file is left of it otherwise.
class file_lock {
 public:
  explicit file_lock(std::string path) : path_(std::move(path)) {
    const duration begin = steady_now();
    // The holder before may have removed the file that was opened here.
    do {
      open_file();
      while (flock(file_, LOCK_EX | LOCK_NB) != 0) {
        const int why = errno;
        if (why == EWOULDBLOCK && (steady_now() - begin).seconds() < patience_seconds) {
          usleep(10'000);
          continue;
        }
        close(file_);
        throw system_error(fmt::format("the tuning file's lock {} (another job holds it?)", path_),
                           why);
      }
    } while (!is_named());
  }
  ~file_lock() {
    unlink(path_.c_str());
    close(file_);
  }
  file_lock(const file_lock&) = delete;
  file_lock& operator=(const file_lock&) = delete;

 private:
  void open_file() {
    if (file_ >= 0) close(file_);
    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file_ < 0) throw system_error("the tuning file's lock " + path_, errno);
  }
  [[nodiscard]] bool is_named() const noexcept {
    struct stat named {};
    struct stat locked {};
    return stat(path_.c_str(), &named) == 0 && fstat(file_, &locked) == 0 &&
           named.st_ino == locked.st_ino && named.st_dev == locked.st_dev;
  }

  std::string path_;
  int file_ = -1;
};

[[noreturn]] void complain(const std::string& path, std::string_view what) {
  throw error(error_kind::configuration, fmt::format("the tuning file {} {}", path, what));
}

/// A device or a FIFO cannot be read back.
void refuse_other_than_file(const std::string& path) {
  std::error_code failed;
  if (fs::exists(path, failed) && !fs::is_regular_file(path, failed)) complain(path, "is no file");
}

std::string named(std::string_view folder, std::string_view name) {
  return fmt::format("{}/{}.json", folder, name);
}

/// Each build of a program has its own: where there are many, those of other builds than the one
/// that has just priced something go.
void forget_old_prices(knowledge& all, const knowledge& added) {
  constexpr std::size_t many = 1024;
  if (all.prices().size() <= many || added.prices().empty()) return;
  all.keep_prices_of(added.prices().front().build);
}

}  // namespace

std::optional<std::string> read_tuning_text(const std::string& path) {
  std::error_code failed;
  if (!fs::exists(path, failed)) return std::nullopt;
  refuse_other_than_file(path);
  if (fs::file_size(path, failed) > most_text) complain(path, "is larger than 64 MiB");
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) complain(path, "cannot be read");
  return text;
}

void add_to_file(const std::string& named, const knowledge& known, const origin& from,
                 const collective::registry& algorithms) {
  const std::string path = link_target(named);  // jobs that use another name of it lock the same
  const fs::path folder = fs::path(path).parent_path();
  std::error_code failed;
  if (!folder.empty()) fs::create_directories(folder, failed);
  if (failed) throw system_error("the tuning file's folder " + folder.string(), failed.value());
  refuse_other_than_file(path);
  const file_lock held(path + ".lock");
  knowledge all = known;
  if (const auto text = read_tuning_text(path)) {
    try {
      all.merge(parse_tuning(*text, path, from, algorithms));
    } catch (const error& wrong) {
      throw error(
          error_kind::configuration,
          fmt::format("{}; it is left as it is: move it away, or name another file", wrong.what()));
    }
  }
  forget_old_prices(all, known);
  output_file file(path);
  file.write(text_of(all, from));
  file.keep_safe();
  file.finish();
}

std::string tuning_name(std::string_view conduit, std::string_view simulated) {
  if (simulated.empty()) return std::string(conduit);
  return fmt::format("{}-{}", conduit, fs::path(simulated).stem().string());
}

origin origin_of(std::string_view conduit, std::string_view simulated) {
  if (simulated.empty()) return {machine_fingerprint(), std::string(conduit)};
  return {fmt::format("simulated {}", fs::path(simulated).stem().string()), std::string(conduit)};
}

std::string own_tuning_file(std::string_view name) {
  const std::string folder = user_folder();
  return folder.empty() ? std::string() : named(folder + "/tuning", name);
}

std::string own_machine_file() {
  const std::string folder = user_folder();
  return folder.empty() ? std::string() : folder + "/machines/measured.json";
}

tuning_source find_tuning_file(std::string_view asked, std::string_view name) {
  if (asked == "none") return {};
  if (!asked.empty()) return {std::string(asked), true};
  for (const std::string& folder : data_folders("tuning")) {
    std::error_code ignored;
    if (fs::exists(named(folder, name), ignored)) return {named(folder, name), false};
  }
  return {};
}

}  // namespace upwash::tuning
