// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Requests of upwash's own: what a program has for a message or a collective that upwash has begun
// is no request of the MPI library's, but a number that this book knows. Functions that take
// requests look at which they are (completions.cpp, requests.cpp).
#pragma once

#include <cstdint>
#include <vector>

#include "interop/mpi/detail/counts.hpp"
#include "interop/mpi/detail/mpi.hpp"
#include "interop/mpi/detail/outcome.hpp"

namespace upwash::mpi {

struct membership;

/// A message, a collective, or a persistent one of either, as its request shows it.
class own_request {
 public:
  function which{};
  membership* on = nullptr;    ///< whose program is told what went wrong; null: the world's
  outcome end;                 ///< what a wait says of it, once it is complete
  bool is_complete = false;    ///< said so; `is_over` asks
  bool is_active = false;      ///< begun, and the program has not been told its end
  bool is_persistent = false;  ///< its request stays when it is complete

  /// Whether it is complete, as far as progress has come. Nonblocking.
  [[nodiscard]] bool is_over() { return is_complete || look(); }

  /// It is complete, and the program asks: what came gets to where the program wants it. Not
  /// before, since the library's progress may be where it is completed, in which MPICH lets no
  /// thread of several call it. Nothing the second time.
  virtual void deliver() {}
  /// Takes it back, where it can be. Nonblocking.
  virtual void cancel() {}
  /// The program has no request for it any more.
  virtual void let_go() = 0;

  own_request(const own_request&) = delete;
  own_request& operator=(const own_request&) = delete;

 protected:
  own_request() = default;
  ~own_request() = default;
  /// Of one that nobody tells of its end: sets `is_complete` where it has come.
  virtual bool look() { return false; }

 private:
  friend class request_book;
  std::uint32_t number_ = 0;  ///< 0: none yet
};

/// Of one rank. Memory: 8 bytes for each that was there at one time.
class request_book {
 public:
  /// What the program gets for it; the same each time, until `forget`. Throws `error` (system)
  /// where there are more than numbers.
  [[nodiscard]] MPI_Request handle_of(own_request& of) {
    if (of.number_ == 0) number(of);
    return mpi::handle_of<MPI_Request>(own_handle_bits | std::uintptr_t{of.number_} << 1U);
  }
  /// What it gets for a send that is complete already: nobody asks it for more.
  [[nodiscard]] static MPI_Request of_complete_send() noexcept {
    return mpi::handle_of<MPI_Request>(own_handle_bits);
  }
  /// Null: a request of the MPI library's, MPI_REQUEST_NULL, or one that is over. O(1).
  [[nodiscard]] own_request* find(MPI_Request request) noexcept {
    const std::uintptr_t word = word_of(request);
    return is_own_handle(word) ? find_own(word) : nullptr;
  }
  /// The same of an own handle's word.
  [[nodiscard]] own_request* find_own(std::uintptr_t word) noexcept {
    const std::uintptr_t number = (word & own_handle_mask) >> 1U;
    own_request* found = number < all_.size() ? all_[number] : nullptr;
    return found != nullptr && (found->is_active || found->is_persistent) ? found : nullptr;
  }
  /// `what(own_request&)` of all that the program may still ask for. O(most at one time).
  template <class What>
  void each(const What& what) {
    for (own_request* of : all_) {
      if (of != nullptr && of->is_active) what(*of);
    }
  }
  /// Before it is gone.
  void forget(own_request& of) noexcept;

  /// Until the other: the library may not be called, since it is the library that calls.
  void begin_in_library() noexcept { in_library_ = true; }
  void end_in_library() noexcept { in_library_ = false; }
  /// Lets go of one that is complete and that the program has freed: now, or where the library may
  /// not be called for what it delivers, in `let_go_late`.
  void let_go(own_request& of) { in_library_ ? late_.push_back(&of) : of.let_go(); }
  [[nodiscard]] bool has_late() const noexcept { return !late_.empty(); }
  void let_go_late();

 private:
  struct sent final : own_request {
    sent() { is_complete = is_active = true; }
    void let_go() override {}
  };

  void number(own_request& of);

  sent complete_send_;
  std::vector<own_request*> all_{&complete_send_};  ///< by number
  std::vector<std::uint32_t> unused_;
  bool in_library_ = false;
  std::vector<own_request*> late_;
};

}  // namespace upwash::mpi
