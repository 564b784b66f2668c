// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/md/particles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <fstream>
#include <numbers>
#include <string_view>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"

namespace md {
namespace {

constexpr int atoms_of_a_unit = 4;

int units_along(double side, double density) {
  return std::max(1, static_cast<int>(std::lround(side * std::cbrt(density / atoms_of_a_unit))));
}

double wrapped(double at, double box) {
  const double inside = at - box * std::floor(at / box);
  return inside < box ? inside : 0;
}

/// The lines of one file, and errors that say where.
class pdb_lines {
 public:
  explicit pdb_lines(const std::string& path) : path_(path), in_(path) {
    if (!in_) refuse("cannot be opened; expected a PDB file");
  }

  bool next() {
    ++number_;
    return static_cast<bool>(std::getline(in_, line_));
  }
  [[nodiscard]] bool is(std::string_view record) const { return line_.starts_with(record); }
  /// Columns as the format counts them, from 1; none where the line is shorter.
  [[nodiscard]] std::string_view columns(std::size_t first, std::size_t last) const {
    if (line_.size() < first) return {};
    std::string_view part = std::string_view(line_).substr(first - 1, last - first + 1);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ') || part.ends_with('\r')) part.remove_suffix(1);
    return part;
  }
  [[nodiscard]] double value(std::size_t first, std::size_t last) const {
    const std::string_view text = columns(first, last);
    double read = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), read);
    if (failed == std::errc{} && end == text.data() + text.size() && std::isfinite(read)) {
      return read;
    }
    refuse_line(fmt::format("columns {} to {} hold '{}', which is no number", first, last, text));
  }

  [[noreturn]] void refuse_line(const std::string& why) const {
    throw upwash::error(upwash::error_kind::configuration,
                        fmt::format("{}:{}: {}", path_, number_, why));
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw upwash::error(upwash::error_kind::configuration, fmt::format("{}: {}", path_, why));
  }

 private:
  std::string path_;
  std::ifstream in_;
  std::string line_;
  int number_ = 0;
};

vec box_of(const pdb_lines& at, double sigma) {
  for (const std::size_t angle : {34U, 41U, 48U}) {
    if (std::abs(at.value(angle, angle + 6) - 90) > 1e-6) {
      at.refuse_line("the box is not rectangular; expected angles of 90");
    }
  }
  const vec box{at.value(7, 15) / sigma, at.value(16, 24) / sigma, at.value(25, 33) / sigma};
  if (box.x > 0 && box.y > 0 && box.z > 0) return box;
  at.refuse_line("a side of the box is not positive");
}

/// The water molecules of a file, one site after the other.
class water_sites {
 public:
  explicit water_sites(double sigma) : model_(sigma) {}

  [[nodiscard]] bool open() const noexcept { return sites_ != 0; }
  /// What the next site is, by the name of its atom.
  kind next(const pdb_lines& at) {
    const bool oxygen = at.columns(13, 16).starts_with('O');
    if (oxygen != (sites_ == 0)) {
      at.refuse_line("water is not O, H and H in this order; expected three atoms of each HOH");
    }
    kind is = oxygen ? model_.oxygen : model_.hydrogen;
    is.behind = sites_;
    sites_ = (sites_ + 1) % 3;
    return is;
  }
  [[nodiscard]] std::vector<spring> springs() const {
    return {model_.springs.begin(), model_.springs.end()};
  }

 private:
  water_model model_;
  std::int32_t sites_ = 0;  ///< of the molecule so far
};

/// The first of each molecule inside the box, the others beside it.
void wrap(population& made) {
  vec away;
  for (particle& each : made.all) {
    if (made.kinds.of(each.id).behind == 0) {
      const vec inside{wrapped(each.at.x, made.box.x), wrapped(each.at.y, made.box.y),
                       wrapped(each.at.z, made.box.z)};
      away = each.at - inside;
      each.at = inside;
    } else {
      each.at -= away;
    }
  }
}

}  // namespace

population lattice(const vec& box, double density) {
  const int nx = units_along(box.x, density);
  const int ny = units_along(box.y, density);
  const int nz = units_along(box.z, density);
  constexpr vec places[] = {
      {0.25, 0.25, 0.25}, {0.75, 0.75, 0.25}, {0.75, 0.25, 0.75}, {0.25, 0.75, 0.75}};
  population made{box, {}};
  for (int x = 0; x < nx; ++x) {
    for (int y = 0; y < ny; ++y) {
      for (int z = 0; z < nz; ++z) {
        for (const vec& place : places) {
          const vec at{box.x * (x + place.x) / nx, box.y * (y + place.y) / ny,
                       box.z * (z + place.z) / nz};
          made.all.push_back({at, {}, static_cast<std::int64_t>(made.all.size())});
        }
      }
    }
  }
  return made;
}

population salt(const vec& box, double density, double charge) {
  const auto along = [&](double side) {
    return 2 * std::max(1, static_cast<int>(std::lround(side * std::cbrt(density) / 2)));
  };
  const int nx = along(box.x);
  const int ny = along(box.y);
  const int nz = along(box.z);
  population made{box, {}};
  for (int x = 0; x < nx; ++x) {
    for (int y = 0; y < ny; ++y) {
      for (int z = 0; z < nz; ++z) {
        const vec at{box.x * (x + 0.5) / nx, box.y * (y + 0.5) / ny, box.z * (z + 0.5) / nz};
        made.all.push_back({at, {}, static_cast<std::int64_t>(made.all.size())});
        made.kinds.add({.charge = (x + y + z) % 2 == 0 ? charge : -charge});
      }
    }
  }
  return made;
}

population read_pdb(const std::string& path, double sigma, water as) {
  population made;
  water_sites molecules(sigma);
  std::string residue;
  pdb_lines lines(path);
  while (lines.next()) {
    if (lines.is("CRYST1")) made.box = box_of(lines, sigma);
    if (!lines.is("ATOM  ") && !lines.is("HETATM")) continue;
    const bool site = as == water::sites && lines.columns(18, 20) == "HOH";
    if (!site && molecules.open()) lines.refuse_line("water ends before its third atom");
    const auto now = fmt::format("{}/{}", lines.columns(18, 20), lines.columns(22, 27));
    const bool another = now != residue || site;
    if (!another && lines.columns(13, 16) != "CA") continue;
    residue = now;
    if (another) {
      made.all.push_back({{}, {}, static_cast<std::int64_t>(made.all.size())});
      if (as == water::sites) made.kinds.add(site ? molecules.next(lines) : kind{});
    }
    made.all.back().at = {lines.value(31, 38) / sigma, lines.value(39, 46) / sigma,
                          lines.value(47, 54) / sigma};
  }
  if (molecules.open()) lines.refuse("ends before the third atom of its last water");
  if (made.box.x == 0) lines.refuse("has no CRYST1 line, which says how large the box is");
  if (made.all.empty()) lines.refuse("has no atoms; expected ATOM or HETATM lines");
  if (as == water::sites) made.springs = molecules.springs();
  wrap(made);
  return made;
}

void heat(std::vector<particle>& all, double temperature, std::uint64_t seed,
          const topology& kinds) {
  vec mean;
  double mass_of_all = 0;
  for (particle& each : all) {
    upwash::random_stream draws(seed, static_cast<std::uint64_t>(each.id));
    const auto normal = [&] {
      const double radius = std::sqrt(-2 * std::log(1 - draws.fraction()));
      return radius * std::cos(2 * std::numbers::pi * draws.fraction());
    };
    each.speed.x = normal();
    each.speed.y = normal();
    each.speed.z = normal();
    const double mass = 1 / kinds.of(each.id).inverse_mass;
    each.speed = each.speed * std::sqrt(1 / mass);
    mean += each.speed * mass;
    mass_of_all += mass;
  }
  if (all.size() < 2) return;
  mean = mean * (1 / mass_of_all);
  double squares = 0;
  for (particle& each : all) {
    each.speed -= mean;
    squares += dot(each.speed, each.speed) / kinds.of(each.id).inverse_mass;
  }
  const double wanted = 3 * static_cast<double>(all.size() - 1) * temperature;
  for (particle& each : all) each.speed = each.speed * std::sqrt(wanted / squares);
}

std::uint64_t mark_of(const std::vector<particle>& all) noexcept {
  std::uint64_t mark = 0;
  for (const particle& each : all) {
    std::uint64_t one = static_cast<std::uint64_t>(each.id);
    for (const double value :
         {each.at.x, each.at.y, each.at.z, each.speed.x, each.speed.y, each.speed.z}) {
      one = upwash::random_bits(one, std::bit_cast<std::uint64_t>(value), 0);
    }
    mark += one;
  }
  return mark;
}

}  // namespace md
