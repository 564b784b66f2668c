// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/reductions.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstring>
#include <utility>

#include "upwash/base/error.hpp"

namespace upwash::mpi {
namespace {

using combine = void (*)(const std::byte*, const std::byte*, std::byte*, std::size_t, const void*);

/// A value and its place, as they travel.
template <class Value, class Place>
struct pair {};

/// LOGICAL and bool: 0 is false, and all else true.
template <class Number>
struct truth {};

struct bits {};

template <class T, class Combine>
void each_element(const std::byte* left, const std::byte* right, std::byte* into, std::size_t bytes,
                  const Combine& of) {
  const auto* a = reinterpret_cast<const T*>(left);
  const auto* b = reinterpret_cast<const T*>(right);
  auto* to = reinterpret_cast<T*>(into);
  for (std::size_t i = 0; i < bytes / sizeof(T); ++i) to[i] = of(a[i], b[i]);
}

/// Sums and products of signed integers wrap, as those of MPI libraries do.
template <class T>
constexpr auto wide(T number) {
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    return static_cast<std::make_unsigned_t<T>>(number);
  } else {
    return number;
  }
}

template <operation Op, class T>
constexpr T combined(const T& a, const T& b) {
  using enum operation;
  if constexpr (Op == max) return a < b ? b : a;
  if constexpr (Op == min) return b < a ? b : a;
  if constexpr (Op == sum) return static_cast<T>(wide(a) + wide(b));
  if constexpr (Op == prod && std::is_integral_v<T> && sizeof(T) < sizeof(int)) {
    return static_cast<T>(static_cast<unsigned>(a) * static_cast<unsigned>(b));
  } else if constexpr (Op == prod) {
    return static_cast<T>(wide(a) * wide(b));
  }
  if constexpr (Op == land) return static_cast<T>(a != T{} && b != T{});
  if constexpr (Op == lor) return static_cast<T>(a != T{} || b != T{});
  if constexpr (Op == lxor) return static_cast<T>((a != T{}) != (b != T{}));
  if constexpr (Op == band) return static_cast<T>(a & b);
  if constexpr (Op == bor) return static_cast<T>(a | b);
  if constexpr (Op == bxor) return static_cast<T>(a ^ b);
}

constexpr bool is_logical(operation op) {
  return op == operation::land || op == operation::lor || op == operation::lxor;
}
constexpr bool is_bitwise(operation op) {
  return op == operation::band || op == operation::bor || op == operation::bxor;
}
constexpr bool is_place(operation op) { return op == operation::maxloc || op == operation::minloc; }

template <class T>
struct rules {
  template <operation Op>
  static constexpr bool defined =
      !is_place(Op) && (std::is_integral_v<T> || (!is_logical(Op) && !is_bitwise(Op)));
  template <operation Op>
  static void apply(const std::byte* left, const std::byte* right, std::byte* into,
                    std::size_t bytes, const void* /*state*/) {
    each_element<T>(left, right, into, bytes,
                    [](const T& a, const T& b) { return combined<Op>(a, b); });
  }
};

template <class T>
struct rules<std::complex<T>> {
  template <operation Op>
  static constexpr bool defined = Op == operation::sum || Op == operation::prod;
  /// As written out: a product of C++ looks for infinities, which libraries in C do not.
  template <operation Op>
  static void apply(const std::byte* left, const std::byte* right, std::byte* into,
                    std::size_t bytes, const void* /*state*/) {
    each_element<std::complex<T>>(
        left, right, into, bytes, [](const std::complex<T>& a, const std::complex<T>& b) {
          if constexpr (Op == operation::sum) return a + b;
          return std::complex<T>(a.real() * b.real() - a.imag() * b.imag(),
                                 a.real() * b.imag() + a.imag() * b.real());
        });
  }
};

template <class Number>
struct rules<truth<Number>> {
  template <operation Op>
  static constexpr bool defined = is_logical(Op);
  template <operation Op>
  static void apply(const std::byte* left, const std::byte* right, std::byte* into,
                    std::size_t bytes, const void* state) {
    rules<Number>::template apply<Op>(left, right, into, bytes, state);
  }
};

template <>
struct rules<bits> {
  template <operation Op>
  static constexpr bool defined = is_bitwise(Op);
  template <operation Op>
  static void apply(const std::byte* left, const std::byte* right, std::byte* into,
                    std::size_t bytes, const void* state) {
    rules<std::uint8_t>::apply<Op>(left, right, into, bytes, state);
  }
};

/// Of equal values the lower place. Elements lie at any address.
template <class Value, class Place>
struct rules<pair<Value, Place>> {
  template <operation Op>
  static constexpr bool defined = is_place(Op);
  /// Of an element on its way; a long double takes its padding along.
  static constexpr std::size_t size = sizeof(Value) + sizeof(Place);

  template <operation Op>
  static void apply(const std::byte* left, const std::byte* right, std::byte* into,
                    std::size_t bytes, const void* /*state*/) {
    for (std::size_t at = 0; at + size <= bytes; at += size) {
      Value a{};
      Value b{};
      Place of_a{};
      Place of_b{};
      std::memcpy(&a, left + at, sizeof a);
      std::memcpy(&b, right + at, sizeof b);
      std::memcpy(&of_a, left + at + sizeof a, sizeof of_a);
      std::memcpy(&of_b, right + at + sizeof b, sizeof of_b);
      const bool better = Op == operation::maxloc ? b > a : b < a;
      const bool takes_right = better || (a == b && of_b < of_a);
      std::memmove(into + at, (takes_right ? right : left) + at, size);
    }
  }
};

template <class T, operation Op>
constexpr combine function_of() {
  if constexpr (!std::is_void_v<T>) {
    if constexpr (rules<T>::template defined<Op>) return &rules<T>::template apply<Op>;
  }
  return nullptr;
}

template <class T, std::size_t... Op>
constexpr std::array<combine, number_of_operations> row(std::index_sequence<Op...> /*all*/) {
  return {function_of<T, static_cast<operation>(Op)>()...};
}

template <class... T>
constexpr std::array<std::array<combine, number_of_operations>, sizeof...(T)> table() {
  return {row<T>(std::make_index_sequence<number_of_operations>())...};
}

/// In the order of `element`.
constexpr auto all =
    table<void, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
          std::int64_t, std::uint64_t, float, double, long double, std::complex<float>,
          std::complex<double>, std::complex<long double>, truth<std::uint8_t>, truth<std::int32_t>,
          bits, pair<float, int>, pair<double, int>, pair<long double, int>, pair<long, int>,
          pair<short, int>, pair<int, int>, pair<float, float>, pair<double, double>>();
static_assert(all.size() == number_of_elements);

/// What a reduction by the program's operator gets.
struct by_program {
  MPI_Op op;
  MPI_Datatype type;
  std::uint64_t element_bytes;
};

/// MPI's order: what goes in is on the left, where the result comes on the right.
void apply_of_program(const std::byte* left, const std::byte* right, std::byte* into,
                      std::size_t bytes, const void* context) {
  const auto& by = *static_cast<const by_program*>(context);
  constexpr std::size_t most_at_once = std::size_t{1} << 16U;
  alignas(std::max_align_t) std::array<std::byte, most_at_once> kept;
  const std::size_t part = most_at_once / by.element_bytes * by.element_bytes;
  for (std::size_t done = 0; done < bytes; done += part) {
    const std::size_t now = std::min(part, bytes - done);
    const std::byte* from = left + done;
    if (into == left) {  // it would be overwritten
      std::memcpy(kept.data(), from, now);
      from = kept.data();
    }
    if (into != right) std::memmove(into + done, right + done, now);
    const int code = PMPI_Reduce_local(from, into + done, static_cast<int>(now / by.element_bytes),
                                       by.type, by.op);
    if (code != MPI_SUCCESS) {
      throw error(error_kind::fault, "MPI_Reduce_local refuses the program's operator");
    }
  }
}

}  // namespace

std::optional<operation> predefined(MPI_Op op) noexcept {
  if (op == MPI_SUM) return operation::sum;
  if (op == MPI_MAX) return operation::max;
  if (op == MPI_MIN) return operation::min;
  if (op == MPI_PROD) return operation::prod;
  if (op == MPI_LAND) return operation::land;
  if (op == MPI_BAND) return operation::band;
  if (op == MPI_LOR) return operation::lor;
  if (op == MPI_BOR) return operation::bor;
  if (op == MPI_LXOR) return operation::lxor;
  if (op == MPI_BXOR) return operation::bxor;
  if (op == MPI_MAXLOC) return operation::maxloc;
  if (op == MPI_MINLOC) return operation::minloc;
  return std::nullopt;
}

collective::reduction reduction_of(operation op, element of) noexcept {
  collective::reduction made;
  made.built_in = true;
  made.apply = all[static_cast<std::size_t>(of)][static_cast<std::size_t>(op)];
  return made;
}

bool is_of_program(MPI_Op op) noexcept {
  return op != MPI_OP_NULL && op != MPI_REPLACE && op != MPI_NO_OP && !predefined(op);
}

collective::reduction reduction_of_program(MPI_Op op, MPI_Datatype type,
                                           const type_facts& facts) noexcept {
  const by_program what{op, type, facts.bytes};
  collective::reduction made;
  made.apply = &apply_of_program;
  made.has_state = true;
  static_assert(sizeof what <= collective::reduction::most_state_bytes);
  std::memcpy(made.state.data(), &what, sizeof what);
  return made;
}

}  // namespace upwash::mpi
