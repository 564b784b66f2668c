// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that combine: upwash's operators on types of C, and operators of the program's.
#include "upwash/collective/reduction.hpp"

#include <new>

#include "interop/c/detail/collective_call.hpp"
#include "upwash/base/random.hpp"

using namespace upwash::c;  // NOLINT: of this file alone
using upwash::collective::kind;
using upwash::collective::reduction;

namespace {

/// What is combined, and by what.
struct combination {
  reduction by{};
  std::uint32_t element_bytes = 1;
  std::uint64_t name = 0;  ///< for checked runs
  bool commutes = true;
};

template <class T>
struct on_type {
  template <class Operator>
  static reduction by() {
    return upwash::reduction_of<T, Operator>();
  }
};

/// Sums and products of signed numbers wrap: by unsigned ones, whose bits are the same.
template <class T>
reduction reduction_on(upwash_operator op) {
  using wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                               std::type_identity<T>>::type;
  switch (op) {
    case UPWASH_SUM: return on_type<wrapping>::template by<upwash::sum>();
    case UPWASH_PRODUCT: return on_type<wrapping>::template by<upwash::product>();
    case UPWASH_LEAST: return on_type<T>::template by<upwash::least>();
    case UPWASH_MOST: return on_type<T>::template by<upwash::most>();
    case UPWASH_BIT_AND:
    case UPWASH_BIT_OR:
    case UPWASH_BIT_XOR: break;
    default:
      refuse(fmt::format("no operator {}: expected UPWASH_SUM to UPWASH_BIT_XOR",
                         static_cast<int>(op)));
  }
  if constexpr (std::is_integral_v<T>) {
    if (op == UPWASH_BIT_AND) return on_type<T>::template by<upwash::bit_and>();
    if (op == UPWASH_BIT_OR) return on_type<T>::template by<upwash::bit_or>();
    return on_type<T>::template by<upwash::bit_xor>();
  }
  refuse("operators on bits are for integers, and the type is a floating one");
}

template <class T>
combination combination_on(upwash_type type, upwash_operator op) {
  return {.by = reduction_on<T>(op),
          .element_bytes = sizeof(T),
          .name = upwash::random_bits(2, static_cast<std::uint64_t>(type),
                                      static_cast<std::uint64_t>(op))};
}

combination combination_of(upwash_type type, upwash_operator op) {
  switch (type) {
    case UPWASH_INT8: return combination_on<std::int8_t>(type, op);
    case UPWASH_UINT8: return combination_on<std::uint8_t>(type, op);
    case UPWASH_INT16: return combination_on<std::int16_t>(type, op);
    case UPWASH_UINT16: return combination_on<std::uint16_t>(type, op);
    case UPWASH_INT32: return combination_on<std::int32_t>(type, op);
    case UPWASH_UINT32: return combination_on<std::uint32_t>(type, op);
    case UPWASH_INT64: return combination_on<std::int64_t>(type, op);
    case UPWASH_UINT64: return combination_on<std::uint64_t>(type, op);
    case UPWASH_FLOAT: return combination_on<float>(type, op);
    case UPWASH_DOUBLE: return combination_on<double>(type, op);
    case UPWASH_FLOAT_COMPLEX:
    case UPWASH_DOUBLE_COMPLEX: refuse("complex types are for upwash_accumulate");
  }
  refuse(fmt::format("no type {}: expected UPWASH_INT8 to UPWASH_DOUBLE", static_cast<int>(type)));
}

/// A copy goes with the operation, so the program's own may go.
combination combination_of(const upwash_own_operator* own) {
  const upwash_own_operator& by = given(own, "by");
  if (by.combine == nullptr) refuse("by->combine is null");
  constexpr std::size_t most_bytes = 1 << 20;
  if (by.element_bytes == 0 || by.element_bytes > most_bytes) {
    refuse(fmt::format("by->element_bytes is {}: expected 1 to {}", by.element_bytes, most_bytes));
  }
  combination made{.element_bytes = static_cast<std::uint32_t>(by.element_bytes),
                   .name = upwash::random_bits(3, by.element_bytes, 0),
                   .commutes = by.commutes != 0};
  made.by.apply = [](const std::byte* left, const std::byte* right, std::byte* into,
                     std::size_t bytes, const void* state) {
    const auto& mine = *static_cast<const upwash_own_operator*>(state);
    mine.combine(left, right, into, bytes / mine.element_bytes, mine.context);
  };
  made.by.has_state = true;
  static_assert(sizeof by <= reduction::most_state_bytes);
  ::new (static_cast<void*>(made.by.state.data())) upwash_own_operator(by);
  return made;
}

/// The vectors of a reduction.
struct vectors {
  const void* mine;
  void* result;
  std::size_t count;
};

upwash::collective::call call_of(kind of, const combination& how, std::size_t bytes, bool same,
                                 int root = 0) {
  return {.what = {.of = of,
                   .bytes = bytes,
                   .element_bytes = how.element_bytes,
                   .root = root,
                   .in_place = same,
                   .commutative = how.commutes},
          .kind_of_reduction = how.name};
}

void combine(const upwash_team& team, kind of, const combination& how, const vectors& data,
             const outcome& to) {
  const std::size_t bytes = product(data.count, how.element_bytes, "count");
  const bool same = in_place(data.mine, data.result, bytes);
  perform(team, call_of(of, how, bytes, same),
          {.input = input(data.mine, same ? 0 : bytes, "mine"),
           .output = output(data.result, bytes, "result"),
           .combine = how.by},
          to);
}

void combine_at(const upwash_team& team, int root, const combination& how, const vectors& data,
                const outcome& to) {
  const std::size_t bytes = product(data.count, how.element_bytes, "count");
  const bool same = in_place(data.mine, data.result, bytes);
  const bool takes = same || team.members.rank() == root;
  perform(team, call_of(kind::reduce, how, bytes, same, root),
          {.input = input(data.mine, bytes, "mine"),
           .output = output(data.result, takes ? bytes : 0, "result"),
           .combine = how.by},
          to);
}

void reduce_scatter(const upwash_team& team, const combination& how, const void* blocks, void* mine,
                    std::size_t count, const outcome& to) {
  const std::size_t bytes = product(count, how.element_bytes, "count");
  const std::size_t all = product(static_cast<std::size_t>(team.members.size()), bytes, "count");
  const bool same = in_place(blocks, mine, bytes);
  perform(team, call_of(kind::reduce_scatter, how, bytes, same),
          {.input = input(blocks, same ? 0 : all, "blocks"),
           .output = output(mine, same ? all : bytes, "mine"),
           .combine = how.by},
          to);
}

}  // namespace

extern "C" {

int upwash_reduce(upwash_team* team, int root, const void* mine, void* result, size_t count,
                  upwash_type type, upwash_operator by, upwash_request** request) {
  return guarded_by(team, "upwash_reduce", [&] {
    combine_at(*team, root, combination_of(type, by), {mine, result, count}, {request});
  });
}
int upwash_reduce_prepare(upwash_team* team, int root, const void* mine, void* result, size_t count,
                          upwash_type type, upwash_operator by, upwash_persistent** made) {
  return prepared_by(team, "upwash_reduce_prepare", made, [&](const outcome& to) {
    combine_at(*team, root, combination_of(type, by), {mine, result, count}, to);
  });
}

int upwash_reduce_by(upwash_team* team, int root, const void* mine, void* result, size_t count,
                     const upwash_own_operator* by, upwash_request** request) {
  return guarded_by(team, "upwash_reduce_by", [&] {
    combine_at(*team, root, combination_of(by), {mine, result, count}, {request});
  });
}
int upwash_reduce_by_prepare(upwash_team* team, int root, const void* mine, void* result,
                             size_t count, const upwash_own_operator* by,
                             upwash_persistent** made) {
  return prepared_by(team, "upwash_reduce_by_prepare", made, [&](const outcome& to) {
    combine_at(*team, root, combination_of(by), {mine, result, count}, to);
  });
}

int upwash_all_reduce(upwash_team* team, const void* mine, void* result, size_t count,
                      upwash_type type, upwash_operator by, upwash_request** request) {
  return guarded_by(team, "upwash_all_reduce", [&] {
    combine(*team, kind::all_reduce, combination_of(type, by), {mine, result, count}, {request});
  });
}
int upwash_all_reduce_prepare(upwash_team* team, const void* mine, void* result, size_t count,
                              upwash_type type, upwash_operator by, upwash_persistent** made) {
  return prepared_by(team, "upwash_all_reduce_prepare", made, [&](const outcome& to) {
    combine(*team, kind::all_reduce, combination_of(type, by), {mine, result, count}, to);
  });
}

int upwash_all_reduce_by(upwash_team* team, const void* mine, void* result, size_t count,
                         const upwash_own_operator* by, upwash_request** request) {
  return guarded_by(team, "upwash_all_reduce_by", [&] {
    combine(*team, kind::all_reduce, combination_of(by), {mine, result, count}, {request});
  });
}
int upwash_all_reduce_by_prepare(upwash_team* team, const void* mine, void* result, size_t count,
                                 const upwash_own_operator* by, upwash_persistent** made) {
  return prepared_by(team, "upwash_all_reduce_by_prepare", made, [&](const outcome& to) {
    combine(*team, kind::all_reduce, combination_of(by), {mine, result, count}, to);
  });
}

int upwash_reduce_scatter(upwash_team* team, const void* blocks, void* mine, size_t count,
                          upwash_type type, upwash_operator by, upwash_request** request) {
  return guarded_by(team, "upwash_reduce_scatter", [&] {
    reduce_scatter(*team, combination_of(type, by), blocks, mine, count, {request});
  });
}
int upwash_reduce_scatter_prepare(upwash_team* team, const void* blocks, void* mine, size_t count,
                                  upwash_type type, upwash_operator by, upwash_persistent** made) {
  return prepared_by(team, "upwash_reduce_scatter_prepare", made, [&](const outcome& to) {
    reduce_scatter(*team, combination_of(type, by), blocks, mine, count, to);
  });
}

int upwash_scan(upwash_team* team, const void* mine, void* result, size_t count, upwash_type type,
                upwash_operator by, upwash_request** request) {
  return guarded_by(team, "upwash_scan", [&] {
    combine(*team, kind::scan, combination_of(type, by), {mine, result, count}, {request});
  });
}
int upwash_scan_prepare(upwash_team* team, const void* mine, void* result, size_t count,
                        upwash_type type, upwash_operator by, upwash_persistent** made) {
  return prepared_by(team, "upwash_scan_prepare", made, [&](const outcome& to) {
    combine(*team, kind::scan, combination_of(type, by), {mine, result, count}, to);
  });
}

int upwash_scan_by(upwash_team* team, const void* mine, void* result, size_t count,
                   const upwash_own_operator* by, upwash_request** request) {
  return guarded_by(team, "upwash_scan_by", [&] {
    combine(*team, kind::scan, combination_of(by), {mine, result, count}, {request});
  });
}
int upwash_scan_by_prepare(upwash_team* team, const void* mine, void* result, size_t count,
                           const upwash_own_operator* by, upwash_persistent** made) {
  return prepared_by(team, "upwash_scan_by_prepare", made, [&](const outcome& to) {
    combine(*team, kind::scan, combination_of(by), {mine, result, count}, to);
  });
}

int upwash_exclusive_scan(upwash_team* team, const void* mine, void* result, size_t count,
                          upwash_type type, upwash_operator by, upwash_request** request) {
  return guarded_by(team, "upwash_exclusive_scan", [&] {
    combine(*team, kind::exclusive_scan, combination_of(type, by), {mine, result, count},
            {request});
  });
}
int upwash_exclusive_scan_prepare(upwash_team* team, const void* mine, void* result, size_t count,
                                  upwash_type type, upwash_operator by, upwash_persistent** made) {
  return prepared_by(team, "upwash_exclusive_scan_prepare", made, [&](const outcome& to) {
    combine(*team, kind::exclusive_scan, combination_of(type, by), {mine, result, count}, to);
  });
}

}  // extern "C"
