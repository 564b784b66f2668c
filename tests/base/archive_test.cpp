// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The archive with what cereal serializes.
#include "upwash/base/archive.hpp"

#include <gtest/gtest.h>

#include <cereal/types/map.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "upwash/base/random.hpp"
#include "upwash/base/serialize_cereal.hpp"

namespace {

using namespace upwash;

/// As programs write them for cereal: with names, a base's version, functions outside.
struct particle {
  double charge = 0;
  std::string kind;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(charge), cereal::make_nvp("what", kind));
  }
  friend bool operator==(const particle&, const particle&) = default;
};

struct tagged {
  std::unique_ptr<int> number;
};
template <class Archive>
void save(Archive& archive, const tagged& from) {
  archive(from.number);
}
template <class Archive>
void load(Archive& archive, tagged& into) {
  archive(into.number);
}

template <class T>
std::vector<std::byte> written(const T& value) {
  std::vector<std::byte> bytes;
  archive_writer write(bytes);
  write(value, 42);
  return bytes;
}

template <class T>
T read_back(std::span<const std::byte> bytes) {
  T value;
  int behind = 0;
  archive_reader read(bytes);
  read(value, behind);
  EXPECT_EQ(behind, 42);
  EXPECT_TRUE(read.rest().empty());
  return value;
}

TEST(archive, takes_what_cereal_serializes) {
  using table = std::map<std::string, std::vector<int>>;
  const table map{{"one", {1}}, {"many", {1, 2, 3}}, {"", {}}};
  EXPECT_EQ(read_back<table>(written(map)), map);
  const std::vector<particle> particles{{1.5, "proton"}, {-1.5, ""}};
  EXPECT_EQ(read_back<std::vector<particle>>(written(particles)), particles);
  EXPECT_EQ(*read_back<tagged>(written(tagged{std::make_unique<int>(7)})).number, 7);
  EXPECT_EQ(read_back<tagged>(written(tagged{})).number, nullptr);
}

TEST(archive, writes_a_span_as_the_vector_that_it_is_read_as) {
  const std::vector<int> numbers{3, 1, 4, 1, 5};
  const std::vector<std::string> words{"to", "and", "fro"};
  std::vector<std::byte> by_span, by_vector;
  archive_writer one(by_span);
  one(std::span<const int>(numbers), std::span<const std::string>(words));
  archive_writer other(by_vector);
  other(numbers, words);
  EXPECT_EQ(by_span, by_vector);
}

TEST(archive, says_where_bytes_end_early) {
  const std::map<std::string, std::vector<int>> map{{"one", {1}}, {"many", {1, 2, 3}}};
  const std::vector<std::byte> whole = written(map);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    std::map<std::string, std::vector<int>> value;
    int behind = 0;
    archive_reader read{std::span(whole).first(length)};
    EXPECT_THROW(read(value, behind), error) << length;
  }
}

}  // namespace
