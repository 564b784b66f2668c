// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/matching/store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "upwash/base/error.hpp"
#include "upwash/matching/engines/adaptive.hpp"
#include "upwash/matching/engines/arrays.hpp"
#include "upwash/matching/engines/fingerprints.hpp"
#include "upwash/matching/engines/hash.hpp"
#include "upwash/matching/engines/vectors.hpp"
#include "upwash/matching/partitions/clustered.hpp"
#include "upwash/matching/partitions/partitioned.hpp"
#include "upwash/matching/partitions/simple.hpp"
#include "upwash/matching/partitions/unified.hpp"

namespace upwash::matching {
namespace {

template <class Engine, class Router>
class store_of final : public store {
 public:
  store_of(side which, const shape& s) : held_(which, s) {}

  void insert(entry& e) override {
    ++size_;
    held_.insert(e);
  }
  entry* find(const envelope& wanted) override { return held_.find(wanted); }
  entry* take(const envelope& wanted) override {
    entry* e = held_.take(wanted);
    if (e != nullptr) --size_;
    return e;
  }
  void erase(entry& e) override {
    --size_;
    held_.erase(e);
  }
  [[nodiscard]] costs spent() const noexcept override { return held_.spent(); }
  [[nodiscard]] division describe() const override { return held_.describe(); }

 private:
  partitioned<Engine, Router> held_;
};

using maker = std::unique_ptr<store> (*)(side, const shape&);

template <class Engine, class Router>
std::unique_ptr<store> make(side which, const shape& s) {
  return std::make_unique<store_of<Engine, Router>>(which, s);
}

constexpr std::array<std::string_view, 10> partitions = {
    "single",          "per_source",     "rank4d",          "bins",    "clustered_sum",
    "clustered_means", "partner_static", "partner_dynamic", "unified", "switching"};

struct row {
  std::string_view name;
  std::array<maker, partitions.size()> makers;  ///< in the order of `partitions`
};

template <class Engine>
constexpr row row_of(std::string_view name) {
  return {
      name,
      {&make<Engine, single>, &make<Engine, per_source>, &make<Engine, rank4d>, &make<Engine, bins>,
       &make<Engine, clustered_sum>, &make<Engine, clustered_means>, &make<Engine, partner_static>,
       &make<Engine, partner_dynamic>, &make<Engine, unified>, &make<Engine, switching>}};
}

constexpr std::array rows = {
    row_of<list>("list"),
    row_of<arrays_line>("arrays_line"),
    row_of<arrays>("arrays"),
    row_of<arrays_l1>("arrays_l1"),
    row_of<vectors>("vectors"),
    row_of<vectors_wide>("vectors_wide"),
    row_of<fingerprints>("fingerprints"),
    row_of<hash>("hash"),
    row_of<classes>("classes"),
    row_of<adaptive>("adaptive"),
};

constexpr auto engines = [] {
  std::array<std::string_view, rows.size()> names{};
  for (std::size_t i = 0; i < rows.size(); ++i) names[i] = rows[i].name;
  return names;
}();

std::size_t index_of(std::string_view what, std::string_view name,
                     std::span<const std::string_view> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return i;
  }
  throw error(error_kind::argument, fmt::format("matching: no {} \"{}\"; there are {}", what, name,
                                                fmt::join(names, ", ")));
}

}  // namespace

std::span<const std::string_view> engine_names() { return engines; }
std::span<const std::string_view> partition_names() { return partitions; }

namespace {

/// Engines that compare by vectors are compiled for a newer processor than the rest.
void check_processor(std::string_view engine) {
#if defined(__x86_64__)
  if (!engine.starts_with("vectors") && engine != "fingerprints") return;
  if (__builtin_cpu_supports("sse4.2")) return;
  throw error(error_kind::configuration,
              fmt::format("matching: engine {} needs SSE4.2, which this processor has not; choose "
                          "adaptive",
                          engine));
#else
  static_cast<void>(engine);
#endif
}

}  // namespace

std::unique_ptr<store> make_store(std::string_view engine, std::string_view partition, side which,
                                  const shape& s) {
  if (s.ranks < 1 || s.bins < 1 || s.clusters < 1) {
    throw error(error_kind::argument,
                fmt::format("matching: a store of {} ranks, {} bins, {} clusters; each must be at "
                            "least 1",
                            s.ranks, s.bins, s.clusters));
  }
  const std::size_t column = index_of("partition", partition, partitions);
  check_processor(engine);
  return rows[index_of("engine", engine, engines)].makers[column](which, s);
}

}  // namespace upwash::matching
