// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One rank's part of an array: the objects that are here, where those are whose home this is, and
// where those have gone that were here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "upwash/base/function_ref.hpp"
#include "upwash/core/incoming.hpp"
#include "upwash/core/team.hpp"
#include "upwash/objects/detail/broadcasts.hpp"
#include "upwash/objects/detail/element.hpp"
#include "upwash/objects/detail/object_service.hpp"
#include "upwash/streaming/quiescence.hpp"

namespace upwash::objects {

/// Where an object is, or was, after so many moves.
struct location {
  int member = -1;
  std::uint64_t moves = 0;
  bool removed = false;
};

/// What only the typed array knows.
class index_space {
 public:
  /// The member that is the home of the index.
  [[nodiscard]] virtual int home_of(const object_key& key) const = 0;
  [[nodiscard]] virtual std::string text_of(const object_key& key) const = 0;

 protected:
  ~index_space() = default;
};

/// A call goes where the object is thought to be: each detour leads to where it was after more
/// moves, so it ends. Memory: an entry for each object here, for each whose home this is, and,
/// until the array is quiet, for each that has left and each that was called.
class array_core {
 public:
  /// Collective over the team, blocking. `ordered`: calls of one caller to one object run in the
  /// order in which they were made.
  array_core(const team& among, const index_space& indices, std::string name, bool ordered);
  ~array_core();
  array_core(const array_core&) = delete;
  array_core& operator=(const array_core&) = delete;

  [[nodiscard]] const team& among() const noexcept { return among_; }
  [[nodiscard]] std::uint64_t name() const noexcept { return name_; }
  [[nodiscard]] const object_service& service() const noexcept { return service_; }
  [[nodiscard]] std::size_t size_here() const noexcept;
  [[nodiscard]] int home_of(const object_key& key) const { return indices_.home_of(key); }
  [[nodiscard]] element* find(const object_key& key) const;
  /// Those that are here now. No method runs meanwhile.
  void for_each(function_ref<void(element&)> each);

  /// Of a call that the program makes here, in a method or outside.
  [[nodiscard]] envelope begin_call(const object_key& to, int priority);
  /// Throws what keeps it from going; it is then not under way.
  void call(std::unique_ptr<invocation> made);
  void broadcast(std::unique_ptr<broadcast_call> made);

  /// An object begins here, which is its home. It sees the broadcasts since the array was quiet.
  /// Throws `error` (argument) where there is one.
  void insert(std::unique_ptr<element> made);
  /// Something is on its way to another member.
  void created() noexcept { work_.created(); }
  void handled() noexcept { work_.handled(); }

  /// Collective, blocking: until nothing is under way.
  void quiet(call_site site);

  // From messages and the queue:
  void call_arrived(std::unique_ptr<invocation> call) { deliver(std::move(call)); }
  void object_arrived(std::unique_ptr<element> object, const travelling& beside);
  void broadcast_arrived(std::unique_ptr<broadcast_call> call);
  void run(std::unique_ptr<invocation> call);
  void hear(const object_key& key, const location& at);

  [[nodiscard]] std::string describe_pending() const;
  /// "rank 2, object [5] of cells: "
  [[nodiscard]] std::string naming(const object_key& key) const;

 private:
  void deliver(std::unique_ptr<invocation> call);
  void forward(std::unique_ptr<invocation> call, int member);
  void run_here(std::unique_ptr<invocation> call, element& on);
  void depart(element& going);
  void remove(element& going);
  void catch_up(element& with);
  void tell(int member, const object_key& key, const location& at);
  [[nodiscard]] bool is_home(const object_key& key) const {
    return indices_.home_of(key) == among_.rank();
  }

  struct tables;

  team among_;
  const index_space& indices_;
  std::string label_;
  bool ordered_;
  object_service& service_;
  std::uint64_t name_;
  std::uint64_t born_ = 0;  ///< here: numbers them
  quiescence work_;
  broadcasts broadcasts_;
  std::unique_ptr<tables> in_;
};

/// The map of an array names no member. Throws `error` (argument).
[[noreturn]] void refuse_home(const std::string& object, int home, int members);

/// In a method of the object; done when it is over. Throw `error` (argument) elsewhere, and for no
/// member.
void migrate(element& going, int member);
void end(element& going);

void handle_location(incoming& in, std::uint64_t array, object_key key, location at);

}  // namespace upwash::objects
