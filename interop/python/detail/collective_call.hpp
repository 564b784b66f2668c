// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives as Python calls them: one description of a call, which blocks or starts.
#pragma once

#include <utility>

#include "interop/python/detail/buffers.hpp"
#include "interop/python/detail/fast_method.hpp"
#include "interop/python/detail/operations.hpp"
#include "upwash/collective/call.hpp"

namespace upwash::python {

/// A call whose arguments are checked.
struct prepared {
  collective::call wanted;
  collective::binding buffers;
  kept holds;
};

/// Blocks. The buffers are arguments of the call: its caller has them.
inline void perform(const team_handle& on, const char* call, prepared what) {
  what.wanted.site = on.of->place();
  on.of->drive(call, [&] { collective::run(on.members, what.wanted, what.buffers); });
}

[[nodiscard]] inline request_handle begin(const team_handle& on, const char* call, prepared what) {
  what.wanted.site = on.of->place();
  return start(*on.of, call, std::move(what.holds),
               [&] { return collective::start(on.members, what.wanted, what.buffers); });
}

/// Of a call that blocks, or of one that starts.
template <auto Make, literal Name, bool Starts, literal... Names>
struct collective_method {
  static constexpr std::array<const char*, sizeof...(Names)> names{Names.text.data()...};

  static PyObject* call(PyObject* self, PyObject* const* given, Py_ssize_t count,
                        PyObject* by_name) {
    try {
      std::array<PyObject*, sizeof...(Names)> sorted{};
      const auto named = by_name == nullptr ? 0 : PyTuple_GET_SIZE(by_name);
      sort_arguments(Name.text.data(), {given, static_cast<std::size_t>(count + named)}, by_name,
                     names, sorted);
      return run(held_by<team_handle>(self), sorted, Make,
                 std::make_index_sequence<sizeof...(Names)>());
    } catch (...) {
      return raise_current();
    }
  }

  /// On the way in, once a process.
  static void add_to(py::handle teams, const char* doc) {
    static const std::string text = [doc] {
      std::string all = std::string(Name.text.data()) + "(";
      for (const char* each : names) all += std::string(all.back() == '(' ? "" : ", ") + each;
      return all + ")\n\n" + (Starts ? "Starts this, and returns a Request: " : "") + doc;
    }();
    static PyMethodDef row;
    add_fast_method(teams, row, Name.text.data(), &call, text);
  }

 private:
  template <class... Arguments, std::size_t... I>
  static PyObject* run(const team_handle& on, const std::array<PyObject*, sizeof...(Names)>& sorted,
                       prepared (*make)(const team_handle&, Arguments...),
                       std::index_sequence<I...> /*i*/) {
    const char* const name = Name.text.data();
    return on.of->named(name, [&] {
      prepared what =
          make(on, argument<std::remove_cvref_t<Arguments>>::of(sorted[I], name, names[I])...);
      if constexpr (Starts) return py::cast(begin(on, name, std::move(what))).release().ptr();
      perform(on, name, std::move(what));
      return py::none().release().ptr();
    });
  }
};

/// Adds `Make`, which takes arguments of these names, as two methods of Team: one that blocks and
/// one that returns a Request.
template <auto Make, literal Blocking, literal Starting, literal... Names>
void define_collective(py::handle teams, const char* doc) {
  collective_method<Make, Blocking, false, Names...>::add_to(teams, doc);
  collective_method<Make, Starting, true, Names...>::add_to(teams, doc);
}

/// Python's IN_PLACE.
[[nodiscard]] bool is_in_place(py::handle given);

}  // namespace upwash::python
