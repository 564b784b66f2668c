// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Neighborhoods and their collectives.
#include "upwash/neighborhood/neighborhood.hpp"

#include <fmt/format.h>

#include "interop/python/detail/blocks.hpp"
#include "interop/python/detail/errors.hpp"
#include "interop/python/detail/fast_method.hpp"
#include "interop/python/detail/module.hpp"
#include "interop/python/detail/persistent.hpp"
#include "upwash/neighborhood/neighbor_all_gather.hpp"
#include "upwash/neighborhood/neighbor_all_gather_v.hpp"
#include "upwash/neighborhood/neighbor_all_to_all.hpp"
#include "upwash/neighborhood/neighbor_all_to_all_v.hpp"

namespace upwash::python {
namespace {

struct graph_part : job_part {
  std::optional<neighborhood> graph;
  void give_back() noexcept override { graph.reset(); }
};

/// A Neighborhood of Python.
class neighborhood_handle {
 public:
  /// `make()`, a neighborhood, as the rank. Collective.
  template <class Make>
  neighborhood_handle(team_handle on, const char* call, const Make& make)
      : on_(std::move(on)), part_(std::make_shared<graph_part>()) {
    on_.of->drop_complete();
    on_.of->drive(call, [&] { part_->graph.emplace(make()); });
    on_.of->own(part_);
  }
  neighborhood_handle(neighborhood_handle&&) noexcept = default;
  neighborhood_handle& operator=(neighborhood_handle&&) = delete;
  ~neighborhood_handle() {
    if (part_) on_.of->retire(part_);
  }

  [[nodiscard]] const team_handle& on() const noexcept { return on_; }
  [[nodiscard]] const neighborhood& graph() const {
    static_cast<void>(on_.of->here());
    return *part_->graph;
  }

 private:
  team_handle on_;
  std::shared_ptr<graph_part> part_;
};

std::vector<int> members_of(const py::object& given, const char* name) {
  if (!py::isinstance<py::iterable>(given)) {
    refuse(fmt::format("{} is {}: expected ranks of the team", name,
                       py::repr(given).cast<std::string>()));
  }
  std::vector<int> made;
  for (const py::handle each : given) {
    const std::int64_t rank = index_of(each, name);
    // What no rank can be is refused by all members, as ranks outside the team are.
    made.push_back(rank < 0 || rank > INT32_MAX ? -1 : static_cast<int>(rank));
  }
  return made;
}

grid grid_of(const py::object& sizes, const py::object& periodic) {
  std::vector<int> made;
  for (const py::handle each : py::iter(sizes)) {
    const std::int64_t size = index_of(each, "sizes");
    if (size < 1 || size > INT32_MAX) refuse(fmt::format("sizes has {}: expected 1 and up", size));
    made.push_back(static_cast<int>(size));
  }
  std::vector<bool> rings;
  if (!periodic.is_none()) {
    for (const py::handle each : py::iter(periodic))
      rings.push_back(py::bool_(py::reinterpret_borrow<py::object>(each)));
  }
  return grid(std::move(made), std::move(rings));
}

neighborhood_handle of_edges(const team_handle& on, const py::object& sources,
                             const py::object& destinations) {
  constexpr const char* name = "Create_dist_graph_adjacent";
  return on.of->named(name, [&] {
    const std::vector<int> from = members_of(sources, "sources");
    const std::vector<int> to = members_of(destinations, "destinations");
    return neighborhood_handle(
        on, name, [&] { return neighborhood(on.members, {.sources = from, .destinations = to}); });
  });
}

neighborhood_handle cartesian(const team_handle& on, const py::object& sizes,
                              const py::object& periodic) {
  return on.of->named("cartesian", [&] {
    const grid lies = grid_of(sizes, periodic);
    return neighborhood_handle(on, "cartesian",
                               [&] { return neighborhood::cartesian(on.members, lies); });
  });
}

neighborhood_handle moore(const team_handle& on, const py::object& sizes,
                          const py::object& periodic, int radius) {
  return on.of->named("moore", [&] {
    const grid lies = grid_of(sizes, periodic);
    return neighborhood_handle(on, "moore",
                               [&] { return neighborhood::moore(on.members, lies, radius); });
  });
}

/// A call whose arguments are checked: the arrays that it uses, and `call(form...)`.
template <class Call>
struct neighbor_call {
  kept holds;
  Call call;
};
template <class Call>
neighbor_call(kept, Call) -> neighbor_call<Call>;

auto all_gather(const neighborhood& on, const py::object& sent, const py::object& received,
                const py::object& /*count*/) {
  const elements in = read_from(sent, "sendbuf");
  const elements out = written_to(received, "recvbuf");
  check_same_type(in, out);
  check_counts(in, out, on.sources().size());
  return neighbor_call{kept{{in.owner, out.owner}}, [=, &on](const call_site& site, auto... form) {
                         return neighbor_all_gather(on, form..., in.input(), out.output(), {},
                                                    site);
                       }};
}

auto all_to_all(const neighborhood& on, const py::object& sent, const py::object& received,
                const py::object& count) {
  const elements in = read_from(sent, "sendbuf");
  const elements out = written_to(received, "recvbuf");
  check_same_type(in, out);
  neighbor_options how;
  if (!count.is_none()) {
    const std::int64_t items = index_of(count, "count");
    if (items < 0) refuse(fmt::format("count is {}: expected 0 and up", items));
    how.items = static_cast<std::size_t>(items) * in.item_bytes;
  } else if (on.destinations().empty() && on.sources().empty()) {
    refuse(
        "a member without neighbours may hand on blocks of others: give count, the elements of a "
        "block");
  } else {
    const bool sends = !on.destinations().empty();
    const elements& told = sends ? in : out;
    how.items = told.count / (sends ? on.destinations() : on.sources()).size() * told.item_bytes;
  }
  return neighbor_call{kept{{in.owner, out.owner}}, [=, &on](const call_site& site, auto... form) {
                         return neighbor_all_to_all(on, form..., in.input(), out.output(), how,
                                                    site);
                       }};
}

auto all_gather_v(const neighborhood& on, const py::object& sent, const py::object& received,
                  const py::object& /*count*/) {
  const elements in = read_from(sent, "sendbuf");
  const divided out = divide(received, true, "recvbuf", on.sources().size());
  check_same_type(in, out.all);
  return neighbor_call{kept{{in.owner, out.all.owner}},
                       [=, &on](const call_site& site, auto... form) {
                         return neighbor_all_gather_v(on, form..., in.input(), out.all.output(),
                                                      {out.bytes, out.offsets}, {}, site);
                       }};
}

auto all_to_all_v(const neighborhood& on, const py::object& sent, const py::object& received,
                  const py::object& /*count*/) {
  const divided in = divide(sent, false, "sendbuf", on.destinations().size());
  const divided out = divide(received, true, "recvbuf", on.sources().size());
  check_same_type(in.all, out.all);
  return neighbor_call{
      kept{{in.all.owner, out.all.owner}}, [=, &on](const call_site& site, auto... form) {
        return neighbor_all_to_all_v(on, form..., in.all.input(), {in.bytes, in.offsets},
                                     out.all.output(), {out.bytes, out.offsets}, {}, site);
      }};
}

using neighbor_class = py::class_<neighborhood_handle>;
using maker_arguments = const py::object&;

/// `Make` as three methods: one that blocks, one that returns a Request, and one that returns a
/// Persistent.
template <auto Make, literal Blocking, literal Starting>
void define(neighbor_class& to, const char* doc) {
  static constexpr auto setting_up = joined(Blocking, literal("_init"));
  static constexpr const char* blocks = Blocking.text.data();
  static constexpr const char* starts = Starting.text.data();
  static constexpr const char* prepares = setting_up.text.data();
  const auto sent = py::arg("sendbuf");
  const auto received = py::arg("recvbuf");
  const auto count = py::arg("count") = py::none();
  to.def(
      blocks,
      [](const neighborhood_handle& on, maker_arguments in, maker_arguments out,
         maker_arguments items) {
        session& of = *on.on().of;
        of.named(blocks, [&] {
          const auto made = Make(on.graph(), in, out, items);
          const call_site site = of.place();
          of.drive(blocks, [&] { made.call(site, blocking); });
        });
      },
      sent, received, count, doc);
  to.def(
      starts,
      [](const neighborhood_handle& on, maker_arguments in, maker_arguments out,
         maker_arguments items) {
        session& of = *on.on().of;
        return of.named(starts, [&] {
          auto made = Make(on.graph(), in, out, items);
          const call_site site = of.place();
          return start(of, starts, std::move(made.holds), [&] { return made.call(site); });
        });
      },
      sent, received, count, (std::string("Starts this, and returns a Request: ") + doc).c_str());
  to.def(
      prepares,
      [](const neighborhood_handle& on, maker_arguments in, maker_arguments out,
         maker_arguments items) {
        session& of = *on.on().of;
        return of.named(prepares, [&] {
          auto made = Make(on.graph(), in, out, items);
          const call_site site = of.place();
          return persistent_handle(on.on().of, prepares, std::move(made.holds), {},
                                   [&] { return made.call(site, persist); });
        });
      },
      sent, received, count,
      (std::string("Sets this up, and returns a Persistent: ") + doc).c_str());
}

std::vector<int> list(std::span<const int> members) { return {members.begin(), members.end()}; }

void add_calls(neighbor_class& to) {
  define<&all_gather, "Neighbor_allgather", "Ineighbor_allgather">(
      to,
      "`sendbuf` goes to all destinations; that of source i becomes block i of `recvbuf`. "
      "Collective over the team.");
  define<&all_to_all, "Neighbor_alltoall", "Ineighbor_alltoall">(
      to,
      "Block i of `sendbuf` goes to destination i; block i of `recvbuf` comes from source i. "
      "`count`, the elements of a block, is needed where a member has no neighbours. Collective "
      "over the team.");
  define<&all_gather_v, "Neighbor_allgatherv", "Ineighbor_allgatherv">(
      to,
      "As Neighbor_allgather with blocks of different lengths: `recvbuf` is [array, counts] or "
      "[array, counts, displacements], by source. Collective over the team.");
  define<&all_to_all_v, "Neighbor_alltoallv", "Ineighbor_alltoallv">(
      to,
      "As Neighbor_alltoall with blocks of different lengths: both are [array, counts] or "
      "[array, counts, displacements], by destination and by source. Collective over the team.");
}

}  // namespace

void add_neighborhoods(py::module_& to, py::class_<team_handle>& teams) {
  neighbor_class made(to, "Neighborhood",
                      "Whom a member of a team gets blocks from and sends blocks to.");
  made.def_property_readonly(
          "sources", [](const neighborhood_handle& n) { return list(n.graph().sources()); },
          "The members that send to this one, in the order of the blocks received.")
      .def_property_readonly(
          "destinations",
          [](const neighborhood_handle& n) { return list(n.graph().destinations()); },
          "The members that this one sends to, in the order of the blocks sent.")
      .def_property_readonly(
          "team", [](const neighborhood_handle& n) { return n.on(); }, "Whose members these are.");
  add_calls(made);
  teams.def("Create_dist_graph_adjacent", &of_edges, py::arg("sources"), py::arg("destinations"),
            "Every member names its own edges at both ends; members may repeat. Returns a "
            "Neighborhood. Collective, blocking.");
  teams.def("cartesian", &cartesian, py::arg("sizes"), py::arg("periodic") = py::none(),
            "The nearest on a grid whose last dimension varies fastest: for each dimension the one "
            "before and the one behind, as far as there are such. `periodic`: which dimensions "
            "close to a ring. Returns a Neighborhood. Collective, blocking.");
  teams.def("moore", &moore, py::arg("sizes"), py::arg("periodic") = py::none(),
            py::arg("radius") = 1,
            "All on a grid within `radius` in each dimension, but for the rank itself. Returns a "
            "Neighborhood. Collective, blocking.");
}

}  // namespace upwash::python
