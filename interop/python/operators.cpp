// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operators on the types of numpy.
#include <fmt/format.h>

#include <complex>
#include <type_traits>

#include "interop/python/detail/errors.hpp"
#include "interop/python/detail/module.hpp"
#include "interop/python/detail/reductions.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/reduction.hpp"

namespace upwash::python {
namespace {

using collective::reduction;

struct logical_and {
  static constexpr bool commutes = true;
  template <class T>
  constexpr T operator()(const T& left, const T& right) const {
    return static_cast<T>(left != T{} && right != T{});
  }
};
struct logical_or {
  static constexpr bool commutes = true;
  template <class T>
  constexpr T operator()(const T& left, const T& right) const {
    return static_cast<T>(left != T{} || right != T{});
  }
};
struct logical_xor {
  static constexpr bool commutes = true;
  template <class T>
  constexpr T operator()(const T& left, const T& right) const {
    return static_cast<T>((left != T{}) != (right != T{}));
  }
};

/// A class of numpy's types, by what can be done with them.
enum class family { integer, truth, real, complex };

template <class T>
bool add_arithmetic(op_kind kind, reduction& into) {
  // Sums and products of signed numbers wrap: by unsigned ones, whose bits are the same.
  using wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                               std::type_identity<T>>::type;
  switch (kind) {
    case op_kind::sum: into = reduction_of<wrapping, upwash::sum>(); return true;
    case op_kind::product: into = reduction_of<wrapping, upwash::product>(); return true;
    default: return false;
  }
}

template <class T>
bool add_order(op_kind kind, reduction& into) {
  switch (kind) {
    case op_kind::least: into = reduction_of<T, upwash::least>(); return true;
    case op_kind::most: into = reduction_of<T, upwash::most>(); return true;
    default: return false;
  }
}

template <class T>
bool add_bits(op_kind kind, reduction& into) {
  switch (kind) {
    case op_kind::bit_and: into = reduction_of<T, upwash::bit_and>(); return true;
    case op_kind::bit_or: into = reduction_of<T, upwash::bit_or>(); return true;
    case op_kind::bit_xor: into = reduction_of<T, upwash::bit_xor>(); return true;
    case op_kind::logical_and: into = reduction_of<T, logical_and>(); return true;
    case op_kind::logical_or: into = reduction_of<T, logical_or>(); return true;
    case op_kind::logical_xor: into = reduction_of<T, logical_xor>(); return true;
    default: return false;
  }
}

template <class T, family Of>
bool find(op_kind kind, reduction& into) {
  if constexpr (Of == family::truth) return add_order<T>(kind, into) || add_bits<T>(kind, into);
  if (add_arithmetic<T>(kind, into)) return true;
  if constexpr (Of == family::complex) return false;
  if constexpr (Of == family::integer || Of == family::real) {
    if (add_order<T>(kind, into)) return true;
  }
  if constexpr (Of == family::integer) return add_bits<T>(kind, into);
  return false;
}

template <template <std::size_t> class Of, family Class>
bool find_by_size(std::size_t bytes, op_kind kind, reduction& into) {
  switch (bytes) {
    case 1: return find<typename Of<1>::type, Class>(kind, into);
    case 2: return find<typename Of<2>::type, Class>(kind, into);
    case 4: return find<typename Of<4>::type, Class>(kind, into);
    case 8: return find<typename Of<8>::type, Class>(kind, into);
    default: return false;
  }
}

template <std::size_t Bytes>
struct signed_of {
  using type = std::conditional_t<
      Bytes == 1, std::int8_t,
      std::conditional_t<Bytes == 2, std::int16_t,
                         std::conditional_t<Bytes == 4, std::int32_t, std::int64_t>>>;
};
template <std::size_t Bytes>
struct unsigned_of {
  using type = std::make_unsigned_t<typename signed_of<Bytes>::type>;
};

bool find_by_type(char kind_of_type, std::size_t bytes, op_kind kind, reduction& into) {
  switch (kind_of_type) {
    case 'i': return find_by_size<signed_of, family::integer>(bytes, kind, into);
    case 'u': return find_by_size<unsigned_of, family::integer>(bytes, kind, into);
    case 'b': return bytes == 1 && find<std::uint8_t, family::truth>(kind, into);
    case 'f':
      if (bytes == sizeof(float)) return find<float, family::real>(kind, into);
      if (bytes == sizeof(double)) return find<double, family::real>(kind, into);
      return bytes == sizeof(long double) && find<long double, family::real>(kind, into);
    case 'c':
      if (bytes == 8) return find<std::complex<float>, family::complex>(kind, into);
      return bytes == 16 && find<std::complex<double>, family::complex>(kind, into);
    default: return false;
  }
}

constexpr op operators[] = {{op_kind::sum, "SUM"},        {op_kind::product, "PROD"},
                            {op_kind::least, "MIN"},      {op_kind::most, "MAX"},
                            {op_kind::bit_and, "BAND"},   {op_kind::bit_or, "BOR"},
                            {op_kind::bit_xor, "BXOR"},   {op_kind::logical_and, "LAND"},
                            {op_kind::logical_or, "LOR"}, {op_kind::logical_xor, "LXOR"}};

}  // namespace

combination combination_of(const elements& what, const op& by) {
  const py::dtype type = type_of(what);
  const char order = type.byteorder();
  combination made{{}, static_cast<std::uint32_t>(what.item_bytes), 0};
  const bool native = order == '=' || order == '|';
  if (!native || !find_by_type(type.kind(), what.item_bytes, by.kind, made.by)) {
    refuse(
        fmt::format("{} does not combine elements of dtype {} ({}): SUM and PROD are for "
                    "integers, floats and complex numbers, MIN and MAX for integers, floats and "
                    "bool, the others for integers and bool, all in this machine's byte order",
                    by.name, text_of(type), what.name));
  }
  made.name =
      random_bits(4, static_cast<std::uint64_t>(type.num()), static_cast<std::uint64_t>(by.kind));
  return made;
}

void add_operators(py::module_& to) {
  const py::class_<op> ops(to, "Op", "An operator of reductions, as SUM.");
  for (const op& each : operators) to.attr(each.name) = each;
  py::class_<op>(ops).def_property_readonly(
      "name", [](const op& of) { return of.name; }, "As SUM.");
  py::class_<op>(ops).def("__repr__",
                          [](const op& of) { return fmt::format("upwash.{}", of.name); });
}

}  // namespace upwash::python
