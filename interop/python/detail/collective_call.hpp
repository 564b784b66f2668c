// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives as Python calls them: one description of a call, which blocks, starts, or is set up
// to be started often.
#pragma once

#include <utility>

#include "interop/python/detail/buffers.hpp"
#include "interop/python/detail/fast_method.hpp"
#include "interop/python/detail/operations.hpp"
#include "interop/python/detail/persistent.hpp"
#include "upwash/collective/call.hpp"

namespace upwash::python {

/// A call whose arguments are checked.
struct prepared {
  collective::call wanted;
  collective::binding buffers;
  kept holds;
  fresh_copy before{};  ///< done already, for this call
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

[[nodiscard]] inline persistent_handle prepare(const team_handle& on, const char* call,
                                               prepared what) {
  what.wanted.site = on.of->place();
  return {on.of, call, std::move(what.holds), what.before,
          [&] { return collective::prepare(on.members, what.wanted, what.buffers); }};
}

enum class call_form : std::uint8_t { blocks, starts, prepares };

template <auto Make, literal Name, call_form Form, literal... Names>
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
      all += ")\n\n";
      if (Form == call_form::starts) all += "Starts this, and returns a Request: ";
      if (Form == call_form::prepares) all += "Sets this up, and returns a Persistent: ";
      return all + doc;
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
      if constexpr (Form == call_form::starts) {
        return py::cast(begin(on, name, std::move(what))).release().ptr();
      } else if constexpr (Form == call_form::prepares) {
        return py::cast(prepare(on, name, std::move(what))).release().ptr();
      } else {
        perform(on, name, std::move(what));
        return py::none().release().ptr();
      }
    });
  }
};

/// Adds `Make`, which takes arguments of these names, as three methods of Team: one that blocks,
/// one that returns a Request, and NAME_init.
template <auto Make, literal Blocking, literal Starting, literal... Names>
void define_collective(py::handle teams, const char* doc) {
  collective_method<Make, Blocking, call_form::blocks, Names...>::add_to(teams, doc);
  collective_method<Make, Starting, call_form::starts, Names...>::add_to(teams, doc);
  collective_method<Make, joined(Blocking, literal("_init")), call_form::prepares,
                    Names...>::add_to(teams, doc);
}

/// `made`, whose input is a copy of elements of `all` from `first` on: a start copies them again.
[[nodiscard]] prepared copying(prepared made, const elements& all, std::size_t first = 0);

/// Python's IN_PLACE.
[[nodiscard]] bool is_in_place(py::handle given);

}  // namespace upwash::python
