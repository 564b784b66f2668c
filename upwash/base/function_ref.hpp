// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A view of a callable: two words, no allocation. The callable must outlive it.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace upwash {

namespace detail {

template <class Callable, class View, class Result, class... Arguments>
concept viewed_by = !std::is_same_v<std::remove_cvref_t<Callable>, View> &&
                    std::is_invocable_r_v<Result, Callable&, Arguments...>;

}  // namespace detail

template <class Signature>
class function_ref;

template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
 public:
  template <detail::viewed_by<function_ref, Result, Arguments...> Callable>
  /// Refers to the callable, which must outlive this.
  function_ref(Callable&& callable) noexcept {  // NOLINT(google-explicit-constructor): a view
    using target = std::remove_reference_t<Callable>;
    if constexpr (std::is_function_v<target>) {
      object_ = reinterpret_cast<void*>(&callable);
    } else {
      object_ = const_cast<void*>(static_cast<const void*>(std::addressof(callable)));
    }
    call_ = [](void* object, Arguments... arguments) -> Result {
      return (*reinterpret_cast<target*>(object))(std::forward<Arguments>(arguments)...);
    };
  }

  Result operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace upwash
