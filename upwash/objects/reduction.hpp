// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operators and targets of reductions over objects: `contribute<sum>(heat,
// everyone<&cell::know>())`.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "upwash/collective/reduction.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/objects/detail/method_message.hpp"

namespace upwash {

/// Applies the operator to each element of a std::array, or of vectors of equal length.
template <class Operator>
struct elementwise {
  static constexpr bool commutes = upwash::commutes<Operator>();

  template <class T, std::size_t N>
  std::array<T, N> operator()(const std::array<T, N>& left, const std::array<T, N>& right) const {
    std::array<T, N> all;
    for (std::size_t i = 0; i < N; ++i) all[i] = Operator{}(left[i], right[i]);
    return all;
  }
  template <class T>
  std::vector<T> operator()(const std::vector<T>& left, const std::vector<T>& right) const {
    if (left.size() != right.size()) objects::refuse_lengths(left.size(), right.size());
    std::vector<T> all(left.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = Operator{}(left[i], right[i]);
    return all;
  }
};

/// Sends the result to `(object.*Method)(result)` of every object of the array, as a broadcast
/// does.
template <auto Method>
struct everyone {
  /// Called by the library at the rank with the result.
  template <class Value>
  void give(objects::array_core& of, const Value& result) const {
    of.broadcast(std::make_unique<typename objects::method_message<Method>::call_of_all>(
        objects::envelope{}, typename objects::method_message<Method>::values(result)));
  }
  template <class Archive>
  void serialize(Archive& /*archive*/) {}
};

/// Sends the result to one object of the array.
template <auto Method>
struct object_at {
  using message = objects::method_message<Method>;
  using index_type = typename message::index_type;

  object_at() = default;
  /// The object of this index.
  explicit object_at(const index_type& of) : index(of) {}

  /// Called by the library at the rank with the result.
  template <class Value>
  void give(objects::array_core& of, const Value& result) const {
    const auto key = objects::object_key::of(index);
    of.call(std::make_unique<typename message::call>(of.begin_call_of_rank(key), key,
                                                     typename message::values(result)));
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(index);
  }

  index_type index{};
};

/// Sends the result to the handler `void Handler(incoming&, result)` on a member of the array's
/// team, as an active message (active_message.hpp).
template <auto Handler>
struct member_at {
  member_at() = default;
  /// The member with this number.
  explicit member_at(int of) : member(of) {}

  /// Called by the library at the rank with the result.
  template <class Value>
  void give(objects::array_core& of, const Value& result) const {
    of.check_member(member, "the result of a reduction of " + of.label() + " goes to");
    of.work().send<Handler>(member, result);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(member);
  }

  int member = 0;
};

namespace objects {

/// The values contributed to a reduction, combined as far as they have arrived here.
template <class Operator, class Value, class Target>
class contribution_of final : public contribution {
 public:
  contribution_of(const Value& value, const Target& then) : value_(value), then_(then) {}

  void add(contribution& other) override { value_ = Operator{}(value_, cast(other).value_); }
  void send(job& here, int rank, const contribution_head& head) override {
    upwash::send<&arrive>(here, rank, head, value_, then_);
  }
  void give(array_core& of, std::uint64_t /*number*/) override { then_.give(of, value_); }

  static void arrive(incoming& in, contribution_head head, Value value, Target then) {
    array_of(in, head.array)
        .reduced()
        .arrived(head, std::make_unique<contribution_of>(value, then));
  }

 private:
  static contribution_of& cast(contribution& other) {
    auto* const same = dynamic_cast<contribution_of*>(&other);
    if (same == nullptr) refuse_kinds();
    return *same;
  }
  Value value_;
  Target then_;
};

/// Returns the contribution that `contribute` passes on, with types known at the call.
template <class Operator, class Value, class Target>
[[nodiscard]] std::unique_ptr<contribution> contribution_to(const Value& value,
                                                            const Target& then) {
  static_assert(commutes<Operator>(), "contributions come in any order: the operator must commute");
  static_assert(std::is_invocable_r_v<Value, Operator, const Value&, const Value&>,
                "the operator cannot combine the values; for arrays and vectors use elementwise");
  return std::make_unique<contribution_of<Operator, Value, Target>>(value, then);
}

}  // namespace objects

template <objects::object_index Index>
template <class Operator, class Value, class Target>
void object<Index>::contribute(const Value& value, const Target& then) {
  self_->of.reduced().contribute(*self_, 0, objects::contribution_to<Operator>(value, then));
}

template <objects::object_index Index>
template <class Operator, class T, class Value, class Target>
void object<Index>::contribute(const object_section<T>& of, const Value& value,
                               const Target& then) {
  self_->of.sections_here().check(of.id, "is contributed to");
  self_->of.reduced().contribute(*self_, of.id, objects::contribution_to<Operator>(value, then));
}

}  // namespace upwash
