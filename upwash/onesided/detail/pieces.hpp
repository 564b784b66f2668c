// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A transfer in calls of memory handlers: cuts it into pieces, calls the owner with each piece, and
// completes when all are answered. All pieces are begun at once, so that fences see them. Each
// piece and its data are kept until the answer.
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
  const std::byte* from = nullptr;  ///< data of the pieces; null: they fetch
  std::byte* into = nullptr;        ///< destination of fetched data
  std::size_t element = 1;          ///< bytes that no piece cuts
  piece_sender send = nullptr;
  const void* context = nullptr;  ///< for `send`; used during the call only
};

class piece_service final : public service_base {
 public:
  explicit piece_service(job& here) : here_(here) {}

  /// Begins all pieces; `end` completes when all are answered. `measure` must accept the layout,
  /// which may be destroyed when this returns.
  void start(const packed_transfer& what, const layout& laid, const completer& end);
  /// Begins one message that was packed already, and takes ownership of it.
  void start_packed(const packed_transfer& what, std::vector<std::byte>& message,
                    const completer& end);

  class several;

 private:
  struct operation {
    piece_service* home = nullptr;
    completer end;
    std::size_t pending = 0;
    std::vector<segment> list;  ///< of a fetching piece
  };
  struct piece {
    piece_service* home = nullptr;
    operation* of = nullptr;
    std::vector<std::byte> out;
    std::vector<std::byte> in;
    run_walker first;
    std::byte* into = nullptr;
  };

  /// Objects that stay until the service is destroyed, whatever becomes of the job.
  template <class T>
  struct pool {
    std::vector<std::unique_ptr<T>> all;
    std::vector<T*> unused;
    [[nodiscard]] T& take() {
      if (unused.empty()) {
        unused.reserve(all.size() + 1);  // so that giving back does not allocate
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

/// Operations with one common notice, which completes when the last operation does. A request and a
/// counter count the operations themselves. A callback waits for `all_begun`, and is never called
/// if one operation fails.
class piece_service::several {
 public:
  several(job& here, const notice& done) : here_(here), done_(done) {}

  /// Returns the notice for the next operation.
  [[nodiscard]] notice one_more();
  void all_begun();

 private:
  static void told(void* context);

  job& here_;
  notice done_;
  operation* of_ = nullptr;  ///< for a callback
};

/// Copies the rows of a piece to and from the addressed location. Throws `error` (fault) if they
/// leave the owner's part.
void store_piece(memory_call& call);
void fetch_piece(memory_call& call, std::vector<std::byte>& scratch);

}  // namespace upwash::detail
