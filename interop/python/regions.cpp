// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of a team's members that all can reach, as arrays.
#include "interop/python/detail/regions.hpp"

#include <fmt/format.h>

#include "interop/python/detail/module.hpp"
#include "interop/python/detail/operations.hpp"
#include "upwash/core/atomic.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/onesided/transfer.hpp"

namespace upwash::python {
namespace {

region_handle allocate(const team_handle& on, const py::object& shape, const py::object& type) {
  return on.of->named("allocate", [&] {
    region_handle made{on, {}, py::dtype::from_args(type), numbers_of(shape, "shape")};
    if ((made.type.flags() & 1) != 0)
      refuse("a region of Python objects: they have no meaning elsewhere");
    std::size_t bytes = made.item_bytes();
    for (const std::size_t each : made.shape) {
      if (__builtin_mul_overflow(bytes, each, &bytes)) refuse("the shape is more than memory has");
      made.count *= each;
    }
    const call_site site = on.of->place();
    on.of->drive("allocate", [&] {
      made.memory =
          upwash::allocate(on.members, bytes, atomicity::automatic, atomic_set::all(), site);
    });
    return made;
  });
}

void free_region(region_handle& region) {
  region.of().named("free", [&] {
    static_cast<void>(region.here());
    if (*region.lent > 0) {
      refuse(
          fmt::format("{} arrays lie in the region's memory: let go of them first (del), or keep "
                      "copies",
                      *region.lent));
    }
    const call_site site = region.of().place();
    region.of().drive("free", [&] { upwash::free(region.memory, site); });
    region.memory = {};
  });
}

/// An array of the own part. Its base counts it as long as it, or a view of it, is there.
py::array local(const region_handle& region) {
  return region.of().named("local", [&] {
    static_cast<void>(region.here());
    struct loan {
      std::shared_ptr<session> of;
      std::shared_ptr<int> lent;
    };
    auto* const mine = new loan{region.on.of, region.lent};
    ++*mine->lent;
    mine->of->lease();
    const py::capsule base(mine, [](void* held) {
      const std::unique_ptr<loan> back(static_cast<loan*>(held));
      --*back->lent;
      back->of->give_back_lease();
    });
    return py::array(region.type, region.shape, region.memory.mine().data(), base);
  });
}

/// A put by `more`, as upwash::put takes it.
template <class... More>
auto put_by(job& here, const transfer& what, const More&... more) {
  const std::span<const std::byte> from = what.local;
  return what.runs ? upwash::put(here, what.remote, from, *what.runs, more...)
                   : upwash::put(here, what.remote, from, more...);
}

request get_by(job& here, const transfer& what) {
  return what.runs ? upwash::get(here, what.remote, what.local, *what.runs)
                   : upwash::get(here, what.remote, what.local);
}

void put(const region_handle& to, int member, const py::object& values, const py::object& at) {
  to.of().named("put", [&] {
    const transfer what = put_of(to, member, values, at);
    const call_site site = to.of().place();
    to.of().drive("put", [&] { put_by(to.here(), what).wait(site); });
  });
}

request_handle start_put(const region_handle& to, int member, const py::object& values,
                         const py::object& at) {
  return to.of().named("iput", [&] {
    const transfer what = put_of(to, member, values, at);
    return start(to.of(), "iput", {.buffers = {what.owner}},
                 [&] { return put_by(to.here(), what); });
  });
}

void put_later(const region_handle& to, int member, const py::object& values,
               const py::object& at) {
  to.of().named("put_later", [&] {
    const transfer what = put_of(to, member, values, at);
    to.of().drive("put_later", [&] { put_by(to.here(), what, implicit); });
    to.of().keep_until_flush(what.owner);
  });
}

py::object get(const region_handle& from, int member, const py::object& at, const py::object& count,
               const py::object& into) {
  return from.of().named("get", [&] {
    const transfer what = get_of(from, member, into, at, count);
    const call_site site = from.of().place();
    from.of().drive("get", [&] { get_by(from.here(), what).wait(site); });
    return what.owner;
  });
}

request_handle start_get(const region_handle& from, int member, const py::object& into,
                         const py::object& at) {
  return from.of().named("iget", [&] {
    if (into.is_none()) refuse("out is None: give the array that is written to");
    const transfer what = get_of(from, member, into, at, py::none());
    return start(from.of(), "iget", {.buffers = {what.owner}},
                 [&] { return get_by(from.here(), what); });
  });
}

void flush(const region_handle& of) {
  of.of().named("flush", [&] {
    const call_site site = of.of().place();
    of.of().drive("flush", [&] { of.here().quiet(site); });
    of.of().release_later();
  });
}

void fence(const region_handle& of) {
  of.of().named("fence", [&] {
    const call_site site = of.of().place();
    of.of().drive("fence", [&] {
      of.here().quiet(site);
      control::barrier(of.on.members, site);
    });
    of.of().release_later();
  });
}

template <class Word>
Word word_of(const py::object& given, const py::dtype& type) {
  try {
    return given.cast<Word>();
  } catch (const py::cast_error&) {
    refuse(fmt::format("{} is no {}", py::str(given).cast<std::string>(), text_of(type)));
  }
}

/// One element, as the integer that it is.
template <class Word>
py::object run_atomic(const region_handle& at, global_ptr<std::byte> place, atomic_kind kind,
                      const py::object& operand, const py::object& compare) {
  const Word by = word_of<Word>(operand, at.type);
  const Word with = word_of<Word>(compare, at.type);
  Word old{};
  at.of().drive("atomic", [&] { old = atomic(at.here(), place.as<Word>(), kind, by, with); });
  return py::int_(old);
}

struct atomic_call {
  const char* name;
  atomic_kind of_signed, of_unsigned;
};

py::object atomic_on(const region_handle& at, const atomic_call& what, int member,
                     const py::object& where, const py::object& operand,
                     const py::object& compare) {
  return at.of().named(what.name, [&]() -> py::object {
    const char kind = at.type.kind();
    const std::size_t bytes = at.item_bytes();
    if ((kind != 'i' && kind != 'u') || (bytes != 4 && bytes != 8)) {
      refuse(fmt::format("the region has dtype {}: atomics are for int32, uint32, int64, uint64",
                         text_of(at.type)));
    }
    const auto place = place_of(at, member, where);
    const bool is_signed = kind == 'i';
    const atomic_kind chosen = is_signed ? what.of_signed : what.of_unsigned;
    const auto run = bytes == 4
                         ? (is_signed ? &run_atomic<std::int32_t> : &run_atomic<std::uint32_t>)
                         : (is_signed ? &run_atomic<std::int64_t> : &run_atomic<std::uint64_t>);
    return run(at, place, chosen, operand, compare);
  });
}

void define_atomic(py::class_<region_handle>& to, const atomic_call& what, const char* text) {
  to.def(
      what.name,
      [what](const region_handle& at, int member, const py::object& value,
             const py::object& where) {
        return atomic_on(at, what, member, where, value, py::int_(0));
      },
      py::arg("member"), py::arg("value"), py::arg("at") = 0, text);
}

void add_atomics(py::class_<region_handle>& to) {
  using kind = atomic_kind;
  define_atomic(to, {"fetch_add", kind::fetch_add, kind::fetch_add},
                "Adds to an element of a member's part, at once for all, and returns what it was. "
                "For integers of 4 and 8 bytes. Blocks.");
  define_atomic(to, {"fetch_and", kind::fetch_and, kind::fetch_and}, "As fetch_add, by and.");
  define_atomic(to, {"fetch_or", kind::fetch_or, kind::fetch_or}, "As fetch_add, by or.");
  define_atomic(to, {"fetch_xor", kind::fetch_xor, kind::fetch_xor}, "As fetch_add, by xor.");
  define_atomic(to, {"fetch_min", kind::fetch_min_signed, kind::fetch_min_unsigned},
                "As fetch_add, the least of both.");
  define_atomic(to, {"fetch_max", kind::fetch_max_signed, kind::fetch_max_unsigned},
                "As fetch_add, the most of both.");
  define_atomic(to, {"swap", kind::swap, kind::swap}, "Stores `value`; returns what was there.");
  to.def(
      "compare_swap",
      [](const region_handle& at, int member, const py::object& expected, const py::object& value,
         const py::object& where) {
        return atomic_on(at, {"compare_swap", kind::compare_swap, kind::compare_swap}, member,
                         where, value, expected);
      },
      py::arg("member"), py::arg("expected"), py::arg("value"), py::arg("at") = 0,
      "Stores `value` where `expected` is; returns what was there.");
}

}  // namespace

void add_regions(py::module_& to, py::class_<team_handle>& teams) {
  teams.def("allocate", &allocate, py::arg("shape"), py::arg("dtype") = py::str("f8"),
            "Memory of all members that all can reach: an array of that shape and dtype at each, "
            "zeroed. Collective, blocking. Returns a Region.");
  py::class_<region_handle> made(
      to, "Region", "Memory that a team allocated: an array at each member, which all can reach.");
  made.def_property_readonly("local", &local, "The own part, as an array of that memory.")
      .def_property_readonly(
          "shape", [](const region_handle& r) { return py::tuple(py::cast(r.shape)); },
          "Shape of each member's part.")
      .def_property_readonly(
          "dtype", [](const region_handle& r) { return r.type; }, "Type of its elements.")
      .def_property_readonly(
          "team", [](const region_handle& r) { return r.on; }, "Who allocated it.");
  const auto member = py::arg("member");
  const auto at = py::arg("at") = 0;
  made.def("put", &put, member, py::arg("values"), at,
           "Copies `values` into the part of a member, from element `at` on: a number, or an index "
           "for each dimension. Where `at` has slices (numpy.s_[2:8, ::2]): into the elements that "
           "it selects, whose shape `values` has. Blocks until they are there.");
  made.def("iput", &start_put, member, py::arg("values"), at,
           "Starts a put. `values` must not change until the Request is complete.");
  made.def("put_later", &put_later, member, py::arg("values"), at,
           "A put that `flush` or `fence` completes; `values` must not change until then.");
  made.def(
      "get", &get, member, at, py::arg("count") = py::none(), py::arg("out") = py::none(),
      "Elements of a member's part from `at` on: into `out`, or `count` of them, else all that "
      "are there, into a new array. Where `at` has slices: those that it selects, also into an "
      "`out` that "
      "is a view with gaps. Blocks. Returns the array.");
  made.def("iget", &start_get, member, py::arg("out"), at,
           "Starts a get into `out`, which is upwash's until the Request is complete.");
  made.def("flush", &flush, "Blocks until the own put_later are complete at their targets.");
  made.def("fence", &fence,
           "As flush at all members: what anyone has put is seen by all. Collective.");
  made.def("free", &free_region,
           "Gives the memory back. Collective. Raises while arrays of it (`local`) are there.");
  add_atomics(made);
}

}  // namespace upwash::python
