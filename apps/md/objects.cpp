// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/md/objects.hpp"

#include <algorithm>
#include <utility>

#include "apps/md/ewald.hpp"
#include "apps/md/mesh_part.hpp"
#include "apps/md/rank_part.hpp"

namespace md {
namespace {

/// Objects draw where they wander to by numbers of their own.
std::uint64_t draws_of(const rank_part& part, const compute_index& pair) {
  return static_cast<std::uint64_t>(part.what().in.number_of(first_of(pair)) + 1) * 1000 +
         static_cast<std::uint64_t>(pair[3]);
}

/// Forces of the pair for one of its cells, whichever way they travel.
struct force_message {
  cell_index to;
  std::int32_t slot;
  double potential;
  const std::vector<vec>& forces;
};

void send(rank_part& part, const compute& from, const force_message& what) {
  if (part.on().items != nullptr) {
    (*part.on().items)[what.to].send(what.slot, what.potential, std::span(what.forces));
  } else if (part.on().delegated) {
    const auto carried = upwash::object_view<compute>(from).with(part.on().by);
    carried.to(part.on().cells->view(), what.to)
        .send<&cell::take_forces>(what.slot, what.potential, what.forces);
  } else {
    (*part.on().cells)[what.to].send<&cell::take_forces>(what.slot, what.potential, what.forces);
  }
}

}  // namespace

bool compute::has_both(std::int32_t cell_number, const std::vector<vec>& positions) {
  const space& in = here().service<rank_part>().what().in;
  const int first = in.number_of(first_of(index()));
  const int second = in.number_of(in.second_of(index()));
  if (cell_number == first) first_ = positions;
  if (cell_number == second) second_ = positions;
  if (++came_ < (first == second ? 1 : 2)) return false;
  came_ = 0;
  return true;
}

void compute::take(std::int32_t cell_number, const std::vector<vec>& positions) {
  if (has_both(cell_number, positions)) work();
}

void compute::take_numbered(std::int32_t cell_number, const std::vector<vec>& positions,
                            const std::vector<std::int32_t>& numbers) {
  auto& part = here().service<rank_part>();
  const space& in = part.what().in;
  if (cell_number == in.number_of(first_of(index()))) first_numbers_ = numbers;
  if (cell_number == in.number_of(in.second_of(index()))) second_numbers_ = numbers;
  if (!has_both(cell_number, positions) || part.holds_back(index())) return;
  work();
}

void compute::work() {
  auto& part = here().service<rank_part>();
  const task& what = part.what();
  const lennard_jones by(what.in.cutoff);
  const pair_forces found =
      what.charged() ? compute_pair(by, what, index(), sites_of(what.kinds, first_, first_numbers_),
                                    sites_of(what.kinds, second_, second_numbers_))
                     : compute_pair(by, what.in, index(), first_, second_);
  part.begin_step(step_);
  part.charge(found.work.examined);
  send_forces(part, found);
  const int to = part.goes_to(draws_of(part, index()), step_++);
  if (to >= 0) migrate_to(to);
}

void compute::send_forces(rank_part& part, const pair_forces& found) {
  const auto brackets = upwash::object_view<compute>(*this).with(part.on().by);
  if (part.on().bracketed) brackets.begin();
  const space& in = part.what().in;
  const int slot = slot_of(index(), in.reach);
  send(part, *this, {first_of(index()), slot, found.work.potential, found.on_first});
  if (!is_self(index())) {
    send(part, *this, {in.second_of(index()), opposite(slot, in.reach), 0, found.on_second});
  }
  if (part.on().bracketed) brackets.end();
}

void cell::begin(std::vector<particle> of, upwash::object_section<compute> computes, int slots) {
  in_.begin(std::move(of), slots);
  computes_ = computes;
}

void cell::send_positions() {
  auto& part = here().service<rank_part>();
  const int number = part.what().in.number_of(index());
  if (part.what().charged()) {
    send_charges();
    part.on().computes->view()[computes_].send<&compute::take_numbered>(number, in_.positions(),
                                                                        in_.numbers());
  } else {
    part.on().computes->view()[computes_].send<&compute::take>(number, in_.positions());
  }
  const int to = part.goes_to(static_cast<std::uint64_t>(number), in_.step());
  if (to >= 0) migrate_to(to);
}

void cell::take_item(std::int32_t slot, double potential, std::span<const vec> forces) {
  if (in_.add(slot, potential, forces)) end_step();
}

void cell::send_charges() {
  auto& part = here().service<rank_part>();
  mesh_part& charges = *part.on().charges;
  const auto busy = charges.busy();
  const mesh& on = part.what().on;
  const region of = region_of(on, part.what().in, index());
  potentials_.assign(of.size(), 0);
  spread(on, of, sites_of(part.what().kinds, in_.particles()), potentials_);
  charges.charge_points(in_.particles().size());
  const int number = part.what().in.number_of(index());
  auto from = potentials_.begin();
  for (int plane = 0; plane < of.count[0]; ++plane) {
    const auto to = from + static_cast<std::ptrdiff_t>(of.plane_points());
    charges.gates()[(of.from[0] + plane) % on.points[0]].send_first<&gate::take>(
        mesh_part::urgent, number, std::vector<double>(from, to));
    from = to;
  }
}

void cell::take_potentials(const std::vector<double>& potentials, std::int32_t x) {
  auto& part = here().service<rank_part>();
  const task& what = part.what();
  const region of = region_of(what.on, what.in, index());
  std::ranges::copy(potentials,
                    potentials_.begin() + of.plane_at(x, what.on) * std::ssize(potentials));
  if (++planes_ < of.count[0]) return;
  planes_ = 0;
  const auto sites = sites_of(what.kinds, in_.particles());
  std::vector<vec> forces(sites.size());
  double energy = 0;
  {
    const auto busy = part.on().charges->busy();
    energy = gather(what.on, of, potentials_, sites, forces);
    part.on().charges->charge_points(sites.size());
  }
  energy += add_own_forces(what, sites, forces);
  if (in_.add(what.slots() - 1, energy, forces)) end_step();
}

void cell::end_step() {
  auto& part = here().service<rank_part>();
  const energies now = in_.end_step(part.what());
  if (part.on().chosen->wait_for_energies) {
    return contribute<together>(now, upwash::everyone<&cell::go_on>());
  }
  contribute<together>(now, upwash::member_at<&rank_part::hear_of>(0));
  if (part.goes_on(in_.step())) next_step();
}

void cell::go_on(const energies& of_all) {
  const bool first = index() == cell_index{};
  if (first) upwash::send<&rank_part::hear_of>(here(), 0, of_all);
  if (here().service<rank_part>().goes_on(in_.step())) next_step();
}

void cell::next_step() {
  auto& part = here().service<rank_part>();
  in_.move(part.what(), index());
  part.begin_step(in_.step());
  if (in_.step() % part.what().migrate == 0) return let_leave();
  send_positions();
}

void cell::let_leave() {
  auto& part = here().service<rank_part>();
  const leavers away = in_.part(part.what(), index());
  for (int slot = 0; slot < slots_of(1); ++slot) {
    if (slot == slots_of(1) / 2) continue;
    const cell_index to = part.what().in.neighbor_of(index(), offset_of(slot, 1));
    (*part.on().cells)[to].send<&cell::take_particles>(away[static_cast<std::size_t>(slot)]);
  }
  one_more_group();
}

void cell::take_particles(const std::vector<particle>& came) {
  came_.insert(came_.end(), came.begin(), came.end());
  one_more_group();
}

/// This cell's own leaving is one of them: those around may all be ahead of it.
void cell::one_more_group() {
  if (++groups_ < slots_of(1)) return;
  groups_ = 0;
  in_.join(came_);
  came_.clear();
  in_.settle();
  send_positions();
}

}  // namespace md
