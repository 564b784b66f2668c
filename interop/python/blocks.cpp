// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/python/detail/blocks.hpp"

#include <fmt/format.h>

#include <numeric>

#include "interop/python/detail/errors.hpp"

namespace upwash::python {
namespace {

std::vector<std::uint64_t> numbers(py::handle given, std::size_t members, const char* name,
                                   const char* what) {
  std::vector<std::uint64_t> made;
  if (!py::isinstance<py::iterable>(given) || py::isinstance<py::str>(given)) {
    refuse(fmt::format("{}: {} is {}: expected a number for each of {} members", name, what,
                       py::repr(given).cast<std::string>(), members));
  }
  for (const py::handle each : given) {
    if (!is_index(each)) {
      refuse(fmt::format("{}: {}[{}] is {}: expected a whole number", name, what, made.size(),
                         py::repr(each).cast<std::string>()));
    }
    const Py_ssize_t value = PyNumber_AsSsize_t(each.ptr(), nullptr);
    if (value < 0) refuse(fmt::format("{}: {}[{}] is {}", name, what, made.size(), value));
    made.push_back(static_cast<std::uint64_t>(value));
  }
  if (made.size() != members) {
    refuse(fmt::format("{}: {} {} for {} members", name, made.size(), what, members));
  }
  return made;
}

}  // namespace

divided divide(const py::object& given, bool written, const char* name, std::size_t members) {
  if (!(py::isinstance<py::tuple>(given) || py::isinstance<py::list>(given)) ||
      py::len(given) < 2 || py::len(given) > 3) {
    refuse(
        fmt::format("{}: expected [array, counts] or [array, counts, displacements], with a "
                    "count for each member",
                    name));
  }
  const auto parts = py::reinterpret_borrow<py::sequence>(given);
  const py::object array = parts[0];
  divided made{written ? written_to(array, name) : read_from(array, name), {}, {}};
  made.bytes = numbers(py::object(parts[1]), members, name, "counts");
  if (py::len(given) == 3) {
    made.offsets = numbers(py::object(parts[2]), members, name, "displacements");
  } else {
    made.offsets.resize(members);
    std::exclusive_scan(made.bytes.begin(), made.bytes.end(), made.offsets.begin(),
                        std::uint64_t{0});
  }
  for (std::size_t i = 0; i < members; ++i) {
    if (made.bytes[i] > made.all.count || made.offsets[i] > made.all.count - made.bytes[i]) {
      refuse(fmt::format("{}: {} elements at {} for member {} go beyond its {} elements", name,
                         made.bytes[i], made.offsets[i], i, made.all.count));
    }
    made.bytes[i] *= made.all.item_bytes;
    made.offsets[i] *= made.all.item_bytes;
  }
  return made;
}

}  // namespace upwash::python
