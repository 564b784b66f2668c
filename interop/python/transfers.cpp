// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where puts and gets go: from an element on, or by slices as numpy has them.
#include <fmt/format.h>

#include <algorithm>

#include "interop/python/detail/regions.hpp"

namespace upwash::python {
namespace {

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
      refuse(
          fmt::format("at[{}] is {}, and the region has {} there", i, indices[i], region.shape[i]));
    }
    element = element * region.shape[i] + indices[i];
  }
  return element;
}

void check_member(const region_handle& region, int member) {
  static_cast<void>(region.here());
  if (member >= 0 && member < region.on.members.size()) return;
  refuse(fmt::format("no member {} of a team of {}", member, region.on.members.size()));
}

void check_type(const region_handle& region, const py::dtype& given, const char* name) {
  if (same_type(given, region.type)) return;
  refuse(fmt::format("{} has dtype {}, and the region has dtype {}: they must be the same", name,
                     text_of(given), text_of(region.type)));
}

transfer from_element(const region_handle& region, int member, const py::object& at,
                      const elements& data) {
  check_member(region, member);
  check_type(region, type_of(data), data.name);
  const std::size_t first = element_of(region, at);
  if (data.count > region.count - first) {
    refuse(fmt::format("{} elements at {} go beyond the region's {}", data.count, first,
                       region.count));
  }
  return {data.owner, data.output(), region.memory.at(member, first * region.item_bytes())};
}

bool has_slices(const py::object& at) {
  const auto is_slice = [](py::handle each) { return py::isinstance<py::slice>(each); };
  if (!py::isinstance<py::tuple>(at)) return is_slice(at);
  const auto parts = py::reinterpret_borrow<py::tuple>(at);
  return std::any_of(parts.begin(), parts.end(), is_slice);
}

/// What an index selects of a part: its shape, and where that lies, in elements.
struct selection {
  std::vector<py::ssize_t> shape, strides;
  py::ssize_t first = 0;
};

/// One dimension of `size` elements, which are `stride` apart.
void select(selection& made, py::handle by, std::size_t dimension, py::ssize_t size,
            py::ssize_t stride) {
  if (!py::isinstance<py::slice>(by)) {
    const std::int64_t index = index_of(by, fmt::format("at[{}]", dimension));
    if (index < 0 || index >= size) {
      refuse(fmt::format("at[{}] is {}, and the region has {} there", dimension, index, size));
    }
    made.first += index * stride;
    return;
  }
  py::ssize_t start = 0;
  py::ssize_t stop = 0;
  py::ssize_t step = 0;
  if (PySlice_Unpack(by.ptr(), &start, &stop, &step) != 0) throw py::error_already_set();
  if (step < 1) refuse(fmt::format("at[{}] has step {}: expected 1 and up", dimension, step));
  made.shape.push_back(PySlice_AdjustIndices(size, &start, &stop, step));
  made.strides.push_back(step * stride);
  made.first += start * stride;
}

selection selected(const region_handle& region, const py::object& at) {
  const py::tuple parts =
      py::isinstance<py::tuple>(at) ? py::reinterpret_borrow<py::tuple>(at) : py::make_tuple(at);
  if (parts.size() > region.shape.size()) {
    refuse(fmt::format("at has {} parts, and the region {} dimensions", parts.size(),
                       region.shape.size()));
  }
  selection made;
  auto stride = static_cast<py::ssize_t>(region.count);
  for (std::size_t i = 0; i < region.shape.size(); ++i) {
    const auto size = static_cast<py::ssize_t>(region.shape[i]);
    stride = size == 0 ? 0 : stride / size;
    const py::object by = i < parts.size() ? py::object(parts[i]) : py::slice(0, size, 1);
    select(made, by, i, size, stride);
  }
  return made;
}

py::tuple tuple_of(const selection& of) { return py::tuple(py::cast(of.shape)); }

std::string text_of_shape(const py::object& array) {
  return py::str(array.attr("shape")).cast<std::string>();
}

/// Elements of `local`, which has the selection's shape, and those that are selected.
transfer between(const region_handle& region, int member, const selection& at,
                 const py::array& local) {
  transfer made{local, {}, region.memory.at(member, 0)};
  if (local.size() == 0) return made;
  const auto item = static_cast<std::int64_t>(region.item_bytes());
  made.remote = region.memory.at(member, static_cast<std::size_t>(at.first * item));
  strided& runs = made.runs.emplace();
  runs.bytes = item;
  for (std::size_t i = at.shape.size(); i-- > 0;) {
    if (at.shape[i] == 1) continue;
    if (runs.levels == strided::most_levels) {
      refuse(fmt::format("at selects in more than {} dimensions: put or get parts of it",
                         strided::most_levels));
    }
    runs.level[static_cast<std::size_t>(runs.levels++)] = {
        at.shape[i], local.strides(static_cast<py::ssize_t>(i)), at.strides[i] * item};
  }
  footprint taken;
  if (!measure(runs, taken)) refuse(problem_of(runs));
  made.local = {static_cast<std::byte*>(const_cast<void*>(local.data())),
                static_cast<std::size_t>(taken.local_extent)};
  return made;
}

bool goes_back(const py::array& array) {
  return std::any_of(array.strides(), array.strides() + array.ndim(),
                     [](py::ssize_t each) { return each < 0; });
}

py::array broadcast(const py::object& values, const selection& to) {
  const py::module_ numpy = py::module_::import("numpy");
  try {
    return numpy.attr("broadcast_to")(values, tuple_of(to));
  } catch (const py::error_already_set& raised) {
    if (!raised.matches(PyExc_ValueError)) throw;
    refuse(fmt::format("values has shape {}, and at selects {}", text_of_shape(values),
                       py::str(tuple_of(to)).cast<std::string>()));
  }
}

/// A new array of so many elements; None: all from `at` on, or like the part.
py::object room_for(const region_handle& region, const py::object& at, const py::object& count) {
  const py::object empty = py::module_::import("numpy").attr("empty");
  if (count.is_none()) {
    const std::size_t first = element_of(region, at);
    if (first != 0) return empty(region.count - first, region.type);
    return empty(py::tuple(py::cast(region.shape)), region.type);
  }
  const std::int64_t wanted = index_of(count, "count");
  if (wanted < 0 || static_cast<std::size_t>(wanted) > region.count) {
    refuse(fmt::format("count is {}, and the region has {} elements", wanted, region.count));
  }
  return empty(wanted, region.type);
}

}  // namespace

std::vector<std::size_t> numbers_of(const py::object& given, const char* name) {
  std::vector<std::size_t> made;
  const auto add = [&](py::handle each) {
    const std::int64_t value = index_of(each, name);
    if (value < 0) refuse(fmt::format("{} has {}: expected 0 and up", name, value));
    made.push_back(static_cast<std::size_t>(value));
  };
  if (is_index(given)) {
    add(given);
  } else if (py::isinstance<py::iterable>(given)) {
    for (const py::handle each : given) add(each);
  } else {
    refuse(fmt::format("{} is {}: expected a whole number, or several", name,
                       py::repr(given).cast<std::string>()));
  }
  return made;
}

transfer put_of(const region_handle& to, int member, const py::object& values,
                const py::object& at) {
  if (!has_slices(at)) {
    return from_element(to, member, at, values_of(values, to.type, "values"));
  }
  check_member(to, member);
  const selection where = selected(to, at);
  py::object given = values;
  if (!py::isinstance<py::array>(values)) given = values_of(values, to.type, "values").owner;
  check_type(to, py::reinterpret_borrow<py::array>(given).dtype(), "values");
  py::array local = broadcast(given, where);
  if (goes_back(local)) local = local.attr("copy")();
  return between(to, member, where, local);
}

transfer get_of(const region_handle& from, int member, const py::object& out, const py::object& at,
                const py::object& count) {
  if (!has_slices(at)) {
    const py::object into = out.is_none() ? room_for(from, at, count) : out;
    return from_element(from, member, at, written_to(into, "out"));
  }
  check_member(from, member);
  if (!count.is_none()) refuse("count and slices: give one of them");
  const selection where = selected(from, at);
  if (out.is_none()) {
    return between(from, member, where,
                   py::module_::import("numpy").attr("empty")(tuple_of(where), from.type));
  }
  const py::array local = array_written(out, "out");
  check_type(from, local.dtype(), "out");
  const auto ndim = static_cast<std::size_t>(local.ndim());
  if (!std::equal(where.shape.begin(), where.shape.end(), local.shape(), local.shape() + ndim)) {
    refuse(fmt::format("out has shape {}, and at selects {}", text_of_shape(local),
                       py::str(tuple_of(where)).cast<std::string>()));
  }
  if (goes_back(local)) refuse("out goes backwards in memory: give a view of it that does not");
  return between(from, member, where, local);
}

global_ptr<std::byte> place_of(const region_handle& in, int member, const py::object& at) {
  check_member(in, member);
  const std::size_t element = element_of(in, at);
  if (element == in.count) refuse(fmt::format("at is {}: expected 0 to {}", element, in.count - 1));
  return in.memory.at(member, element * in.item_bytes());
}

}  // namespace upwash::python
