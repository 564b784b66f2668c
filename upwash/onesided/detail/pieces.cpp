// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/onesided/detail/pieces.hpp"

#include <utility>

#include "upwash/core/active_message.hpp"
#include "upwash/core/host.hpp"

namespace upwash::detail {
namespace {

/// Pieces that keep their room for the next transfers.
constexpr std::size_t most_warm = 64;

}  // namespace

/// One more is pending than pieces are: none of them ends it before all are begun.
piece_service::operation& piece_service::begin(const completer& end) {
  operation& made = operations_.take();
  made.home = this;
  made.end = end;
  made.pending = 1;
  return made;
}

void piece_service::send(const packed_transfer& what, piece& made, operation& of,
                         std::uint64_t fetched) {
  made.home = this;
  made.of = &of;
  made.into = what.into;
  made.in.resize(fetched);
  ++of.pending;
  const notices when{.local = {}, .remote = notice::call(&piece_service::answered, &made)};
  what.send(here_, when, what.at, {.payload = made.out, .answer = made.in}, what.context);
}

void piece_service::start(const packed_transfer& what, const layout& laid, const completer& end) {
  const std::size_t medium = medium_limit(here_, what.at.rank());
  const bool carries = what.from != nullptr;
  operation& all = begin(end);
  layout kept = laid;
  if (!carries && laid.as_strided() == nullptr) {
    all.list.assign(laid.as_list().begin(), laid.as_list().end());
    kept = layout(std::span<const segment>(all.list));
  }
  packer cut(kept, {medium, medium, what.element, carries});
  for (;;) {
    piece& next = pieces_.take();
    const std::uint64_t bytes = cut.next(next.out, what.from, next.first);
    if (bytes == 0) {
      pieces_.unused.push_back(&next);
      break;
    }
    if (carries) host(here_).charge(conduit::cost::copy, bytes);
    send(what, next, all, carries ? 0 : bytes);
  }
  end_one(all);
}

void piece_service::start_packed(const packed_transfer& what, std::vector<std::byte>& message,
                                 const completer& end) {
  operation& all = begin(end);
  piece& only = pieces_.take();
  std::swap(only.out, message);
  send(what, only, all, 0);
  end_one(all);
}

void piece_service::end_one(operation& of) {
  if (--of.pending != 0) return;
  completer end = of.end;
  of.list.clear();
  operations_.unused.push_back(&of);
  end.complete();
}

void piece_service::answered(void* context) {
  piece& done = *static_cast<piece*>(context);
  piece_service& home = *done.home;
  run_row row;
  std::size_t at = 0;
  while (at < done.in.size() && done.first.next(row, done.in.size() - at)) {
    scatter_row(done.into, done.in.data() + at, row);
    at += row.bytes * row.count;
  }
  if (at != 0) host(home.here_).charge(conduit::cost::copy, at);
  if (home.pieces_.unused.size() >= most_warm) {
    done.out = {};
    done.in = {};
  }
  home.pieces_.unused.push_back(&done);
  home.end_one(*done.of);
}

notice piece_service::several::one_more() {
  if (!done_.is_callback()) return done_;
  if (of_ == nullptr) {
    of_ = &here_.service<piece_service>().begin(begin_operation(here_, done_, {}));
  }
  ++of_->pending;
  return notice::call(&several::told, of_);
}

void piece_service::several::all_begun() {
  if (of_ != nullptr) told(of_);
}

void piece_service::several::told(void* context) {
  operation& of = *static_cast<operation*>(context);
  of.home->end_one(of);
}

void store_piece(memory_call& call) {
  piece_reader piece(call.payload());
  const std::span<const std::byte> data = piece.data();
  for (run_row row; piece.next(row);) {
    std::byte* to = call.bytes(static_cast<std::int64_t>(row.remote), remote_span(row)).data();
    copy_runs(to, row.remote_stride, data.data() + row.local, row.bytes, row.bytes, row.count);
    for (std::uint64_t i = 0; call.is_watched() && i < row.count; ++i) {
      call.wrote({to + i * row.remote_stride, row.bytes});
    }
  }
  call.charge(conduit::cost::copy, piece.bytes());
}

void fetch_piece(memory_call& call, std::vector<std::byte>& scratch) {
  piece_reader piece(call.payload());
  scratch.resize(piece.bytes());
  for (run_row row; piece.next(row);) {
    const std::byte* from =
        call.bytes(static_cast<std::int64_t>(row.remote), remote_span(row)).data();
    copy_runs(scratch.data() + row.local, row.bytes, from, row.remote_stride, row.bytes, row.count);
  }
  call.answer(scratch);
  call.charge(conduit::cost::copy, piece.bytes());
}

}  // namespace upwash::detail
