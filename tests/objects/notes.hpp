// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Objects that tests of checkpoints save and load, and where.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/control.hpp"
#include "upwash/objects/object_array.hpp"

namespace upwash::test {

namespace fs = std::filesystem;

struct note : object<int> {
  using object::object;
  note(const site& at, std::uint64_t seed) : object(at), value(random_bits(seed, 1, 0)) {
    const auto length = static_cast<std::size_t>(index() % 7);
    for (std::size_t i = 0; i < length; ++i) text.push_back(static_cast<char>('a' + i));
  }

  template <class A>
  void serialize(A& archive) {
    archive(value, text, marks);
  }
  void mark(int with) { marks.push_back(with); }
  void wander(int where) { migrate_to(where); }
  void end() { remove(); }
  void give() { contribute<sum>(1, object_at<&note::mark>(0)); }

  std::uint64_t value = 0;
  std::string text;
  std::vector<int> marks;
};

using notes = object_array<note>;

/// A folder of this job's, the same at all ranks; gone at its end.
class job_folder {
 public:
  explicit job_folder(job& here) : world_(here.world()) {
    std::array<char, 64> name{};
    if (here.rank() == 0) {
      const std::string made = (fs::temp_directory_path() / "upwash-ck-XXXXXX").string();
      EXPECT_LT(made.size(), name.size());
      std::copy(made.begin(), made.end(), name.begin());
      EXPECT_NE(mkdtemp(name.data()), nullptr);
    }
    control::broadcast_value(world_, 0, name);
    path_ = name.data();
  }
  ~job_folder() {
    if (world_.rank() != 0) return;
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  job_folder(const job_folder&) = delete;
  job_folder& operator=(const job_folder&) = delete;

  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& each : fs::directory_iterator(path_)) all.push_back(each.path().filename());
    std::ranges::sort(all);
    return all;
  }

 private:
  team world_;
  std::string path_;
};

inline std::vector<int> numbers(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = i;
  return all;
}

/// A sum over what objects are, wherever they are.
inline std::uint64_t sum_of(notes& all, const team& among) {
  std::uint64_t here = 0;
  all.for_each_here([&](note& one) {
    std::uint64_t hash = random_bits(one.value, static_cast<std::uint64_t>(one.index()), 0);
    for (const char each : one.text) hash = random_bits(hash, static_cast<unsigned char>(each), 1);
    for (const int each : one.marks) hash = random_bits(hash, static_cast<unsigned>(each), 2);
    here += hash;
  });
  return all_reduce<sum>(among, blocking, here);
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

template <class Array>
std::string said_by_load(Array& into, const std::string& path,
                         const checkpoint_options& options = {}) {
  try {
    into.load(path, options);
  } catch (const error& refused) {
    return refused.what();
  }
  return "no error";
}

inline std::string said_by_save(notes& of, const std::string& path,
                                const checkpoint_options& options = {}) {
  try {
    of.save(path, options);
  } catch (const error& refused) {
    return refused.what();
  }
  return "no error";
}

inline bool says(const std::string& said, std::string_view what) {
  return said.find(what) != std::string::npos;
}

}  // namespace upwash::test
