// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of a team's members that all can reach, as arrays.
#include "upwash/core/region.hpp"

#include <fmt/format.h>

#include "interop/python/detail/buffers.hpp"
#include "interop/python/detail/module.hpp"
#include "interop/python/detail/operations.hpp"
#include "upwash/core/atomic.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/memory_access.hpp"

namespace upwash::python {
namespace {

/// Elements of one type and shape at each member. Arrays of its memory hold `lent`.
struct region_handle {
  team_handle on;
  upwash::region memory;
  py::dtype type;
  std::vector<std::size_t> shape;
  std::size_t count = 1;
  std::shared_ptr<int> lent = std::make_shared<int>(0);

  [[nodiscard]] session& of() const { return *on.of; }
  [[nodiscard]] job& here() const {
    if (!memory) refuse("the region was freed");
    return of().here();
  }
  [[nodiscard]] std::size_t item_bytes() const { return static_cast<std::size_t>(type.itemsize()); }
};

std::vector<std::size_t> numbers_of(const py::object& given, const char* name) {
  std::vector<std::size_t> made;
  const auto add = [&](py::handle each) {
    const std::int64_t value = index_of(each, name);
    if (value < 0) refuse(fmt::format("{} has {}: expected 0 and up", name, value));
    made.push_back(static_cast<std::size_t>(value));
  };
  if (is_index(given)) {
    add(given);
  } else {
    for (const py::handle each : given) add(each);
  }
  return made;
}

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

/// Where `at` lies among the elements of a part: a number, or one for each dimension.
std::size_t element_of(const region_handle& region, const py::object& at) {
  if (is_index(at)) {
    const std::int64_t index = index_of(at, "at");
    if (index < 0 || static_cast<std::size_t>(index) > region.count) {
      refuse(fmt::format("at is {}: expected 0 to {}", index, region.count));
    }
    return static_cast<std::size_t>(index);
  }
  const std::vector<std::size_t> indices = numbers_of(at, "at");
  if (indices.size() != region.shape.size()) {
    refuse(fmt::format("at has {} numbers, and the region {} dimensions", indices.size(),
                       region.shape.size()));
  }
  std::size_t element = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= region.shape[i]) {
      refuse(fmt::format("at[{}] is {}: expected 0 to {}", i, indices[i], region.shape[i] - 1));
    }
    element = element * region.shape[i] + indices[i];
  }
  return element;
}

/// The elements from `at` on, as many as `data` has.
global_ptr<std::byte> target(const region_handle& region, int member, const py::object& at,
                             const elements& data) {
  static_cast<void>(region.here());
  if (member < 0 || member >= region.on.members.size()) {
    refuse(fmt::format("no member {} of a team of {}", member, region.on.members.size()));
  }
  const py::dtype given = type_of(data);
  if (!same_type(given, region.type)) {
    refuse(fmt::format("{} has dtype {}, and the region has dtype {}: they must be the same",
                       data.name, text_of(given), text_of(region.type)));
  }
  const std::size_t first = element_of(region, at);
  if (data.count > region.count - first) {
    refuse(fmt::format("{} elements at {} go beyond the region's {}", data.count, first,
                       region.count));
  }
  return region.memory.at(member, first * region.item_bytes());
}

void put(const region_handle& to, int member, const py::object& values, const py::object& at) {
  to.of().named("put", [&] {
    const elements data = values_of(values, to.type, "values");
    const auto place = target(to, member, at, data);
    const call_site site = to.of().place();
    to.of().drive("put", [&] { upwash::put(to.here(), place, data.input()).wait(site); });
  });
}

request_handle start_put(const region_handle& to, int member, const py::object& values,
                         const py::object& at) {
  return to.of().named("iput", [&] {
    const elements data = values_of(values, to.type, "values");
    const auto place = target(to, member, at, data);
    return start(to.of(), "iput", {{data.owner, {}}, {}},
                 [&] { return upwash::put(to.here(), place, data.input()); });
  });
}

void put_later(const region_handle& to, int member, const py::object& values,
               const py::object& at) {
  to.of().named("put_later", [&] {
    const elements data = values_of(values, to.type, "values");
    const auto place = target(to, member, at, data);
    to.of().drive("put_later", [&] { upwash::put(to.here(), place, data.input(), implicit); });
    to.of().keep_until_flush(data.owner);
  });
}

/// Into `into`, or a new array of `count` elements.
elements destination(const region_handle& region, const py::object& into, const py::object& count) {
  if (!into.is_none()) return written_to(into, "out");
  const std::size_t wanted = count.is_none() ? region.count : count.cast<std::size_t>();
  if (wanted > region.count) {
    refuse(fmt::format("count is {}, and the region has {} elements", wanted, region.count));
  }
  const py::object shape = count.is_none() ? py::cast(region.shape) : py::cast(wanted);
  return written_to(py::module_::import("numpy").attr("empty")(shape, region.type), "out");
}

py::object get(const region_handle& from, int member, const py::object& at, const py::object& count,
               const py::object& into) {
  return from.of().named("get", [&] {
    const elements data = destination(from, into, count);
    const auto place = target(from, member, at, data);
    const call_site site = from.of().place();
    from.of().drive("get", [&] { upwash::get(from.here(), place, data.output()).wait(site); });
    return py::object(data.owner);
  });
}

request_handle start_get(const region_handle& from, int member, const py::object& into,
                         const py::object& at) {
  return from.of().named("iget", [&] {
    const elements data = written_to(into, "out");
    const auto place = target(from, member, at, data);
    return start(from.of(), "iget", {{data.owner, {}}, {}},
                 [&] { return upwash::get(from.here(), place, data.output()); });
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
    elements one;
    one.name = "the element";
    one.owner = py::array(at.type, 1);
    one.count = 1;
    one.item_bytes = bytes;
    const auto place = target(at, member, where, one);
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
           "for each dimension. Blocks until they are there.");
  made.def("iput", &start_put, member, py::arg("values"), at,
           "Starts a put. `values` must not change until the Request is complete.");
  made.def("put_later", &put_later, member, py::arg("values"), at,
           "A put that `flush` or `fence` completes; `values` must not change until then.");
  made.def("get", &get, member, at, py::arg("count") = py::none(), py::arg("out") = py::none(),
           "Elements of a member's part from `at` on: into `out`, or `count` of them, else all, "
           "into a new array. Blocks. Returns the array.");
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
