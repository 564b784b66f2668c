// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A transfer in calls of memory handlers: cuts it into pieces, calls the owner with each, completes
// when all are answered. All pieces are begun at once, so that fences see them; each is kept, with
// what it carries, until it is answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "upwash/core/completer.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/core/memory_handler.hpp"
#include "upwash/core/service.hpp"
#include "upwash/onesided/detail/packing.hpp"
#include "upwash/onesided/layout.hpp"

namespace upwash::detail {

/// Calls a handler with one piece.
using piece_sender = void (*)(job& here, const notices& when, global_ptr<std::byte> at,
                              const call_buffers& with, const void* context);

struct packed_transfer {
  global_ptr<std::byte> at;
  const std::byte* from = nullptr;  ///< what the pieces carry; null: they fetch
  std::byte* into = nullptr;        ///< where what they fetch goes
  std::size_t element = 1;          ///< which no piece cuts
  piece_sender send = nullptr;
  const void* context = nullptr;  ///< of `send`; used during the call only
};

class piece_service final : public service_base {
 public:
  explicit piece_service(job& here) : here_(here) {}

  /// Begins all pieces; `end` is told when all are answered. The layout is one that `measure`
  /// takes; it may go when this returns.
  void start(const packed_transfer& what, const layout& laid, const completer& end);
  /// One message that was packed already; taken over.
  void start_packed(const packed_transfer& what, std::vector<std::byte>& message,
                    const completer& end);

  class several;

 private:
  struct operation {
    piece_service* home = nullptr;
    completer end;
    std::size_t pending = 0;
    std::vector<segment> list;  ///< of one that fetches
  };
  struct piece {
    piece_service* home = nullptr;
    operation* of = nullptr;
    std::vector<std::byte> out;
    std::vector<std::byte> in;
    run_walker first;
    std::byte* into = nullptr;
  };

  /// Objects that stay until the service goes, whatever becomes of the job.
  template <class T>
  struct pool {
    std::vector<std::unique_ptr<T>> all;
    std::vector<T*> unused;
    [[nodiscard]] T& take() {
      if (unused.empty()) {
        unused.reserve(all.size() + 1);  // giving back allocates nothing
        all.push_back(std::make_unique<T>());
        return *all.back();
      }
      T* taken = unused.back();
      unused.pop_back();
      return *taken;
    }
  };

  [[nodiscard]] operation& begin(const completer& end);
  void send(const packed_transfer& what, piece& made, operation& of, std::uint64_t fetched);
  static void answered(void* context);
  void end_one(operation& of);

  job& here_;
  pool<piece> pieces_;
  pool<operation> operations_;
};

/// Operations that one notice speaks for: told once, when the last of them is. A request and a
/// counter count them themselves; a callback waits for `all_begun`, and is never called where one
/// of them fails.
class piece_service::several {
 public:
  several(job& here, const notice& done) : here_(here), done_(done) {}

  /// For the next one.
  [[nodiscard]] notice one_more();
  void all_begun();

 private:
  static void told(void* context);

  job& here_;
  notice done_;
  operation* of_ = nullptr;  ///< of a callback
};

/// The rows of a piece copied to and from where the call addresses. Throws `error` (fault) where
/// they leave the owner's part.
void store_piece(memory_call& call);
void fetch_piece(memory_call& call, std::vector<std::byte>& scratch);

}  // namespace upwash::detail
