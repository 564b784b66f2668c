// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operations on what all ranks contribute.
#include <armci.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "interop/armci/detail/guard.hpp"
#include "interop/armci/detail/scope.hpp"
#include "upwash/collective/all_reduce.hpp"
#include "upwash/collective/broadcast.hpp"
#include "upwash/collective/operator_objects.hpp"
#include "upwash/collective/reduce.hpp"
#include "upwash/collective/reduction.hpp"

using namespace upwash::armci;  // NOLINT: of this file alone

namespace {

enum class operation {
  sum,
  product,
  least,
  most,
  least_absolute,
  most_absolute,
  any_bits,
  all_bits,
  any_true,
  all_true
};

operation operation_named(const char* name) {
  constexpr std::array<std::pair<std::string_view, operation>, 15> all{
      {{"+", operation::sum},
       {"*", operation::product},
       {"min", operation::least},
       {"max", operation::most},
       {"absmin", operation::least_absolute},
       {"absmax", operation::most_absolute},
       {"or", operation::any_bits},
       {"|", operation::any_bits},
       {"bor", operation::any_bits},
       {"&", operation::all_bits},
       {"band", operation::all_bits},
       {"||", operation::any_true},
       {"lor", operation::any_true},
       {"&&", operation::all_true},
       {"land", operation::all_true}}};
  const std::string_view text = name != nullptr ? name : "";
  const auto* found =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == text; });
  if (found == all.end()) {
    throw refusal(code::kind, fmt::format("no operation '{}'; there are + * min max absmin absmax "
                                          "or & | && ||",
                                          text));
  }
  return found->second;
}

template <class T>
T magnitude(T x) {
  if constexpr (std::is_integral_v<T>) {  // the least number has none: it stays
    return x < 0 ? static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(x)) : x;
  } else {
    return x < 0 ? -x : x;
  }
}

/// Operations on bits, and on truth: 1 for all that is not 0, made that before.
template <class T, class Use>
void with_bits(operation which, std::span<T> x, const Use& use) {
  if (which == operation::any_true || which == operation::all_true) {
    for (T& each : x) each = each != 0 ? 1 : 0;
  }
  if (which == operation::any_bits || which == operation::any_true) return use(upwash::bit_or{});
  use(upwash::bit_and{});
}

/// Calls `use` with the operator. What is compared by magnitude is made that before.
template <class T, class Use>
void with_operator(const char* name, std::span<T> x, const Use& use) {
  const operation which = operation_named(name);
  switch (which) {
    case operation::sum: return use(upwash::sum{});
    case operation::product: return use(upwash::product{});
    case operation::least: return use(upwash::least{});
    case operation::most: return use(upwash::most{});
    case operation::least_absolute:
    case operation::most_absolute:
      for (T& each : x) each = magnitude(each);
      return which == operation::least_absolute ? use(upwash::least{}) : use(upwash::most{});
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    with_bits(which, x, use);
  } else {
    throw refusal(code::kind, fmt::format("'{}' of numbers that are no integers", name));
  }
}

template <class T>
std::span<T> elements(void* x, int n) {
  if (n < 0) throw refusal(code::count, fmt::format("{} elements; give 0 or more", n));
  if (n > 0 && x == nullptr) throw refusal(code::address, "the elements are a null pointer");
  return {static_cast<T*>(x), static_cast<std::size_t>(n)};
}

template <class T>
void combine(const upwash::team* among, void* x, int n, const char* name) {
  const std::span<T> data = elements<T>(x, n);
  with_operator<T>(name, data, [&]<class Operator>(Operator) {
    if (among == nullptr || data.empty()) return;
    upwash::all_reduce<Operator>(*among, upwash::blocking, upwash::in_place, data);
  });
}

/// At the first member; elsewhere `x` stays.
template <class T>
void combine_at_first(const upwash::team* among, void* x, int n, const char* name) {
  const std::span<T> data = elements<T>(x, n);
  std::vector<T> mine(data.begin(), data.end());
  with_operator<T>(name, std::span(mine), [&]<class Operator>(Operator) {
    std::vector<T> result = mine;
    if (among != nullptr && !data.empty()) {
      upwash::reduce<Operator>(*among, upwash::blocking, 0, std::span<const T>(mine),
                               std::span(result));
    }
    if (among == nullptr || among->rank() == 0) {
      std::copy(result.begin(), result.end(), data.begin());
    }
  });
}

/// Calls `use` with a value of the type.
template <class Use>
void with_type(int type, const Use& use) {
  switch (type) {
    case ARMCI_INT: return use(int{});
    case ARMCI_LONG: return use(long{});
    case ARMCI_LONG_LONG: return use(static_cast<long long>(0));
    case ARMCI_FLOAT: return use(float{});
    case ARMCI_DOUBLE: return use(double{});
    default: throw refusal(code::kind, fmt::format("no type {} of elements", type));
  }
}

/// The first element of a contribution and who made it.
template <class T>
struct candidate {
  T key;
  int member;  ///< -1: none
};

template <class T, bool Least>
struct better {
  static constexpr bool commutes = true;
  candidate<T> operator()(const candidate<T>& a, const candidate<T>& b) const {
    if (a.member < 0 || b.member < 0) return a.member < 0 ? b : a;
    if (a.key == b.key) return a.member < b.member ? a : b;
    return (a.key < b.key) == Least ? a : b;
  }
};

template <class T, bool Least>
void select_by(const upwash::team* among, std::span<std::byte> x, bool contributes) {
  if (among == nullptr) return;
  candidate<T> best{};
  best.member = contributes ? among->rank() : -1;
  if (contributes) std::memcpy(&best.key, x.data(), sizeof(T));
  upwash::all_reduce<better<T, Least>>(*among, upwash::blocking, upwash::in_place,
                                       std::span(&best, 1));
  if (best.member >= 0) upwash::broadcast(*among, upwash::blocking, best.member, x);
}

template <class T>
void select_as(const upwash::team* among, void* x, int n, const char* name, bool contributes) {
  const std::span<std::byte> bytes = elements<std::byte>(x, n);
  if (bytes.size() < sizeof(T)) {
    throw refusal(code::count,
                  fmt::format("{} bytes, which have no first element of {} bytes", n, sizeof(T)));
  }
  switch (operation_named(name)) {
    case operation::least: return select_by<T, true>(among, bytes, contributes);
    case operation::most: return select_by<T, false>(among, bytes, contributes);
    default:
      throw refusal(code::kind, fmt::format("no selection '{}'; there are min and max", name));
  }
}

void select(session& own, int scope, void* x, int n, const char* name, int type, int contribute) {
  with_type(type,
            [&]<class T>(T) { select_as<T>(in_scope(own, scope), x, n, name, contribute != 0); });
}

template <class T>
void combine_all(const char* function, T* x, int n, const char* name) {
  must_in_job(function, [&](session& own) { combine<T>(&own.world, x, n, name); });
}

template <class T>
void combine_cluster(const char* function, T* x, int n, const char* name) {
  must_in_job(function, [&](session& own) { combine<T>(in_scope(own, SCOPE_NODE), x, n, name); });
}

template <class T>
void combine_group(const char* function, T* x, int n, const char* name, ARMCI_Group* group) {
  must(function, [&](session& own) { combine<T>(&own.groups.members(group), x, n, name); });
}

/// Each address is known to one member; the others have null there.
void exchange(const upwash::team& among, void** addresses, int n) {
  const auto words = elements<std::uintptr_t>(addresses, n);
  if (!words.empty()) {
    upwash::all_reduce<upwash::sum>(among, upwash::blocking, upwash::in_place, words);
  }
}

}  // namespace

extern "C" {

void armci_msg_gop_scope(int scope, void* x, int n, char* name, int type) {
  must_in_job("armci_msg_gop_scope", [&](session& own) {
    with_type(type, [&]<class T>(T) { combine<T>(in_scope(own, scope), x, n, name); });
  });
}

void armci_msg_group_gop_scope(int scope, void* x, int n, char* name, int type,
                               ARMCI_Group* group) {
  must("armci_msg_group_gop_scope", [&](session& own) {
    with_type(type, [&]<class T>(T) { combine<T>(in_scope(own, scope, group), x, n, name); });
  });
}

void armci_msg_reduce_scope(int scope, void* x, int n, char* name, int type) {
  must_in_job("armci_msg_reduce_scope", [&](session& own) {
    with_type(type, [&]<class T>(T) { combine_at_first<T>(in_scope(own, scope), x, n, name); });
  });
}

void armci_msg_reduce(void* x, int n, char* name, int type) {
  must_in_job("armci_msg_reduce", [&](session& own) {
    with_type(type, [&]<class T>(T) { combine_at_first<T>(&own.world, x, n, name); });
  });
}

void armci_msg_igop(int* x, int n, char* name) { combine_all("armci_msg_igop", x, n, name); }
void armci_msg_lgop(long* x, int n, char* name) { combine_all("armci_msg_lgop", x, n, name); }
void armci_msg_llgop(long long* x, int n, char* name) {
  combine_all("armci_msg_llgop", x, n, name);
}
void armci_msg_fgop(float* x, int n, char* name) { combine_all("armci_msg_fgop", x, n, name); }
void armci_msg_dgop(double* x, int n, char* name) { combine_all("armci_msg_dgop", x, n, name); }

void armci_msg_clus_igop(int* x, int n, char* name) {
  combine_cluster("armci_msg_clus_igop", x, n, name);
}
void armci_msg_clus_lgop(long* x, int n, char* name) {
  combine_cluster("armci_msg_clus_lgop", x, n, name);
}
void armci_msg_clus_llgop(long long* x, int n, char* name) {
  combine_cluster("armci_msg_clus_llgop", x, n, name);
}
void armci_msg_clus_fgop(float* x, int n, char* name) {
  combine_cluster("armci_msg_clus_fgop", x, n, name);
}
void armci_msg_clus_dgop(double* x, int n, char* name) {
  combine_cluster("armci_msg_clus_dgop", x, n, name);
}

void armci_msg_group_igop(int* x, int n, char* name, ARMCI_Group* group) {
  combine_group("armci_msg_group_igop", x, n, name, group);
}
void armci_msg_group_lgop(long* x, int n, char* name, ARMCI_Group* group) {
  combine_group("armci_msg_group_lgop", x, n, name, group);
}
void armci_msg_group_llgop(long long* x, int n, char* name, ARMCI_Group* group) {
  combine_group("armci_msg_group_llgop", x, n, name, group);
}
void armci_msg_group_fgop(float* x, int n, char* name, ARMCI_Group* group) {
  combine_group("armci_msg_group_fgop", x, n, name, group);
}
void armci_msg_group_dgop(double* x, int n, char* name, ARMCI_Group* group) {
  combine_group("armci_msg_group_dgop", x, n, name, group);
}

void armci_msg_sel(void* x, int n, char* name, int type, int contribute) {
  must_in_job("armci_msg_sel",
              [&](session& own) { select(own, SCOPE_ALL, x, n, name, type, contribute); });
}

void armci_msg_sel_scope(int scope, void* x, int n, char* name, int type, int contribute) {
  must_in_job("armci_msg_sel_scope",
              [&](session& own) { select(own, scope, x, n, name, type, contribute); });
}

void armci_exchange_address(void* addresses[], int n) {
  must_in_job("armci_exchange_address", [&](session& own) { exchange(own.world, addresses, n); });
}

void armci_exchange_address_grp(void* addresses[], int n, ARMCI_Group* group) {
  must("armci_exchange_address_grp",
       [&](session& own) { exchange(own.groups.members(group), addresses, n); });
}

}  // extern "C"
