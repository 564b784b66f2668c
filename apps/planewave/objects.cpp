// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/planewave/objects.hpp"

#include <cstddef>

#include "apps/planewave/rank_part.hpp"
#include "upwash/core/active_message.hpp"

namespace planewave {
namespace {

std::size_t at(int index) noexcept { return static_cast<std::size_t>(index); }

/// Sums over planes.
struct together {
  static constexpr bool commutes = true;
  overlap operator()(const overlap& a, const overlap& b) const noexcept {
    return {a.first + b.first, a.second + b.second, a.both + b.both};
  }
};

bool is_second(int state) { return state % 2 == 1; }

/// Calls of `Method` from `from`, of objects of `to`, between begin and end where that is asked.
template <auto Method, class From, class To>
class calls {
 public:
  calls(const From& from, upwash::object_array<To>& to, const carrier& by)
      : from_(from), to_(to), by_(by) {
    if (by_.bracketed) from_.with(by_.by).begin();
  }
  void send(const plane_index& index, std::int32_t tag, const waves& piece) {
    if (by_.delegated) {
      from_.with(by_.by).to(to_.view(), index).template send<Method>(tag, piece);
    } else {
      to_[index].template send<Method>(tag, piece);
    }
  }
  void end() {
    if (by_.bracketed) from_.with(by_.by).end();
  }

 private:
  upwash::object_view<From> from_;
  upwash::object_array<To>& to_;
  const carrier& by_;
};

}  // namespace

void g_plane::start() {
  auto& part = here().service<rank_part>();
  if (part.computes()) {
    of_ = part.compute().begin(index()[0], index()[1]);
  } else {
    of_.resize(part.compute().plane(index()[1]).waves());
  }
  meet_partner();
}

/// Phase I, its first half.
void g_plane::send_pieces() {
  auto& part = here().service<rank_part>();
  const int number = index()[1];
  const int planes = part.chosen().in.planes;
  columns_ = waves(at(part.compute().plane(number).count() * planes));
  if (part.computes()) columns_ = part.compute().to_columns(number, of_);
  part.charge(part.compute().columns_work(number));
  calls<&r_plane::take_row, g_plane, r_plane> out(*this, *part.on().r_planes, part.on().to_real);
  for (std::int32_t z = 0; z < planes; ++z) {
    out.send({index()[0], z}, number, part.compute().piece_for(number, columns_, z));
  }
  out.end();
  const int to = part.goes_to(index(), false, step_);
  if (to >= 0) migrate_to(to);
}

void g_plane::take_forces(std::int32_t z, const waves& piece) {
  auto& part = here().service<rank_part>();
  const int number = index()[1];
  part.compute().keep(piece, z, columns_);
  part.charge(2.0 * static_cast<double>(piece.size()));
  if (++came_ < part.chosen().in.planes) return;
  came_ = 0;
  if (part.computes()) part.compute().descend(number, columns_, of_);
  part.charge(part.compute().columns_work(number) + part.compute().wave_work(number, 10));
  columns_ = {};
  ++step_;
  meet_partner();
}

/// Phase VII: the second of a pair finds what both have in common.
void g_plane::meet_partner() {
  auto& part = here().service<rank_part>();
  const auto [state, number] = index();
  if (is_second(state)) return one_more_of_pair();
  std::vector<overlap> own(at(part.chosen().in.pairs()));
  if (state + 1 == part.chosen().in.states) {
    own.back() = kernel::overlap_of(of_, {});
  } else {
    (*part.on().g_planes)[{state + 1, number}].send<&g_plane::take_partner>(of_);
  }
  contribute<upwash::elementwise<together>>(own, upwash::everyone<&g_plane::take_overlaps>());
}

void g_plane::take_partner(const waves& first) {
  partner_ = first;
  one_more_of_pair();
}

void g_plane::one_more_of_pair() {
  if (++of_pair_ < 2) return;
  of_pair_ = 0;
  auto& part = here().service<rank_part>();
  std::vector<overlap> own(at(part.chosen().in.pairs()));
  if (part.computes()) own[at(index()[0] / 2)] = kernel::overlap_of(partner_, of_);
  part.charge(part.compute().wave_work(index()[1], 16));
  contribute<upwash::elementwise<together>>(own, upwash::everyone<&g_plane::take_overlaps>());
}

void g_plane::take_overlaps(const std::vector<overlap>& of_all) {
  auto& part = here().service<rank_part>();
  const overlap& sums = of_all[at(index()[0] / 2)];
  if (part.computes()) {
    is_second(index()[0]) ? kernel::normalise_second(sums, partner_, of_)
                          : kernel::normalise_first(sums, of_);
  }
  part.charge(part.compute().wave_work(index()[1], is_second(index()[0]) ? 10 : 2));
  if (index() == plane_index{}) upwash::send<&rank_part::hear_overlaps>(here(), 0, step_, of_all);
  if (step_ < part.chosen().steps) send_pieces();
}

void g_plane::report() {
  auto& part = here().service<rank_part>();
  waves marks(at(part.chosen().in.states));
  marks[at(index()[0])] = part.compute().mark_of(index()[0], index()[1], of_);
  contribute<upwash::elementwise<upwash::sum>>(marks, upwash::member_at<&rank_part::hear_marks>(0));
}

void r_plane::join(const section& sums, const section& others) {
  sums_ = sums;
  others_ = others;
}

bool r_plane::owns_density(const box& in) const { return owner_of(in, index()[1]) == index()[0]; }

/// Phase I, its second half: rows are transformed as they come.
void r_plane::take_row(std::int32_t number, const waves& piece) {
  auto& part = here().service<rank_part>();
  kernel& compute = part.compute();
  if (part.computes()) {
    if (came_ == 0) real_ = waves(at(compute.in().plane_points()));
    compute.add_row(number, piece, real_);
  }
  part.charge(compute.row_work(number));
  if (++came_ < compute.wave_planes()) return;
  came_ = 0;
  ++step_;
  if (part.computes()) compute.end_real(real_);
  part.charge(compute.real_work());
  give_density(part);
}

void r_plane::give_density(rank_part& part) {
  const kernel& compute = part.compute();
  field own(at(compute.in().plane_points()));
  if (part.computes()) own = compute.density_of(real_);
  part.charge(compute.plane_work(4));
  const plane_index owner{owner_of(compute.in(), index()[1]), index()[1]};
  contribute<upwash::elementwise<upwash::sum>>(sums_, own,
                                               upwash::object_at<&r_plane::take_density>(owner));
  if (!part.on().multicast.bracketed || owns_density(compute.in())) return;
  const auto none = upwash::object_view<r_plane>(*this).with(part.on().multicast.by);
  none.begin();
  none.end();
}

void r_plane::take_density(field density) {
  auto& part = here().service<rank_part>();
  density_sums sums;
  if (part.computes()) sums = part.compute().to_potential(density);
  part.charge(part.compute().plane_work(20));
  upwash::send<&rank_part::hear_density>(here(), 0, step_, sums);
  const upwash::object_view<r_plane> all(*this);
  const carrier& by = part.on().multicast;
  if (by.bracketed) {
    const auto carried = all.with(by.by);
    carried.begin();
    carried[others_].send<&r_plane::take_potential>(density);
    carried.end();
  } else {
    all[others_].send<&r_plane::take_potential>(density);
  }
}

/// Phase VI, its first half.
void r_plane::take_potential(const field& potential) {
  auto& part = here().service<rank_part>();
  if (part.computes()) part.compute().apply(potential, real_);
  part.charge(part.compute().real_work() + part.compute().plane_work(2));
  send_pieces(part);
  real_ = {};
  const int to = part.goes_to(index(), true, step_);
  if (to >= 0) migrate_to(to);
}

void r_plane::send_pieces(rank_part& part) {
  kernel& compute = part.compute();
  calls<&g_plane::take_forces, r_plane, g_plane> back(*this, *part.on().g_planes,
                                                      part.on().to_waves);
  for (std::int32_t number = 0; number < compute.wave_planes(); ++number) {
    waves piece(at(compute.plane(number).count()));
    if (part.computes()) piece = compute.piece_back(number, real_);
    part.charge(compute.row_work(number));
    back.send({index()[0], number}, index()[1], piece);
  }
  back.end();
}

}  // namespace planewave
