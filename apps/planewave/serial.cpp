// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/planewave/serial.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace planewave {
namespace {

std::size_t at(int index) noexcept { return static_cast<std::size_t>(index); }

/// All planes of all states, and what a step makes of them.
class whole {
 public:
  explicit whole(const box& of) : in_(of), compute_(of) {
    for (int state = 0; state < of.states; ++state) {
      states_.emplace_back();
      for (int k = 0; k < compute_.wave_planes(); ++k) {
        states_.back().push_back(compute_.begin(state, k));
      }
    }
  }

  step_result orthonormalise() {
    step_result found;
    for (int pair = 0; pair < in_.pairs(); ++pair) {
      const bool alone = 2 * pair + 1 == in_.states;
      auto& first = states_[at(2 * pair)];
      std::vector<waves> none(first.size());
      auto& second = alone ? none : states_[at(2 * pair + 1)];
      overlap sums;
      for (std::size_t k = 0; k < first.size(); ++k) {
        const overlap more = kernel::overlap_of(first[k], second[k]);
        sums.first += more.first;
        sums.second += more.second;
        sums.both += more.both;
      }
      for (std::size_t k = 0; k < first.size(); ++k) {
        if (!alone) kernel::normalise_second(sums, first[k], second[k]);
        kernel::normalise_first(sums, first[k]);
      }
      found.overlaps.push_back(sums);
    }
    return found;
  }

  density_sums step() {
    std::vector<std::vector<waves>> real;
    for (const auto& state : states_) real.push_back(to_real(state));
    density_sums all;
    for (int z = 0; z < in_.planes; ++z) {
      field density(at(in_.plane_points()));
      for (const auto& state : real) {
        const field more = compute_.density_of(state[at(z)]);
        for (std::size_t i = 0; i < density.size(); ++i) density[i] += more[i];
      }
      const density_sums sums = compute_.to_potential(density);
      all.charge += sums.charge;
      all.energy += sums.energy;
      for (auto& state : real) compute_.apply(density, state[at(z)]);
    }
    for (int state = 0; state < in_.states; ++state) descend(state, real[at(state)]);
    return all;
  }

  [[nodiscard]] waves marks() const {
    waves all(states_.size());
    for (int state = 0; state < in_.states; ++state) {
      for (int k = 0; k < compute_.wave_planes(); ++k) {
        all[at(state)] += compute_.mark_of(state, k, states_[at(state)][at(k)]);
      }
    }
    return all;
  }

 private:
  [[nodiscard]] std::vector<waves> to_real(const std::vector<waves>& state) {
    std::vector<waves> real(at(in_.planes), waves(at(in_.plane_points())));
    for (int k = 0; k < compute_.wave_planes(); ++k) {
      const waves columns = compute_.to_columns(k, state[at(k)]);
      for (int z = 0; z < in_.planes; ++z) {
        compute_.add_row(k, compute_.piece_for(k, columns, z), real[at(z)]);
      }
    }
    for (waves& plane : real) compute_.end_real(plane);
    return real;
  }

  void descend(int state, std::vector<waves>& real) {
    for (int k = 0; k < compute_.wave_planes(); ++k) {
      waves columns(at(compute_.plane(k).count() * in_.planes));
      for (int z = 0; z < in_.planes; ++z) {
        compute_.keep(compute_.piece_back(k, real[at(z)]), z, columns);
      }
      compute_.descend(k, columns, states_[at(state)][at(k)]);
    }
  }

  box in_;
  kernel compute_;
  std::vector<std::vector<waves>> states_;  ///< by plane
};

bool near(complex one, complex other, double scale) {
  return std::abs(one - other) <= 1e-10 * scale;
}

bool agree(const step_result& one, const step_result& other) {
  const auto same = [](const overlap& a, const overlap& b) {
    const double scale = a.first + a.second;
    return near(a.first, b.first, scale) && near(a.second, b.second, scale) &&
           near(a.both, b.both, scale);
  };
  return near(one.density.charge, other.density.charge, std::abs(other.density.charge)) &&
         near(one.density.energy, other.density.energy, std::abs(other.density.energy)) &&
         std::ranges::equal(one.overlaps, other.overlaps, same);
}

}  // namespace

result run_serially(const box& of, int steps) {
  whole all(of);
  result found;
  found.steps.push_back(all.orthonormalise());
  for (int step = 1; step <= steps; ++step) {
    const density_sums density = all.step();
    found.steps.push_back(all.orthonormalise());
    found.steps.back().density = density;
  }
  found.marks = all.marks();
  return found;
}

bool agree(const result& one, const result& other) {
  const auto steps = [](const step_result& a, const step_result& b) { return agree(a, b); };
  const auto marks = [](complex a, complex b) { return near(a, b, 1 + std::abs(b)); };
  return std::ranges::equal(one.steps, other.steps, steps) &&
         std::ranges::equal(one.marks, other.marks, marks);
}

}  // namespace planewave
