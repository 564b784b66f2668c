// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/c/detail/guard.hpp"

using namespace upwash::c;  // NOLINT: of this file alone

extern "C" {

int upwash_stream_open(upwash_team* team, upwash_take* take, void* context,
                       const upwash_stream_options* options, upwash_stream** made) {
  return guarded_by(team, "upwash_stream_open", [&] {
    given(made, "made") = nullptr;
    static_cast<void>(given(take, "take"));
    upwash::stream_options with;
    if (options != nullptr) {
      with.dimensions = options->dimensions;
      if (options->buffer_bytes != 0) with.buffer_bytes = options->buffer_bytes;
      with.ordered = options->ordered != 0;
      with.shared_buffers = options->shared_buffers != 0;
    }
    *made = new upwash_stream(team->of, team->members, {take, context}, with);  // NOLINT
  });
}

int upwash_stream_push(upwash_stream* stream, int destination, const void* item, size_t bytes) {
  return guarded_by(stream, "upwash_stream_push",
                    [&] { stream->items.push(destination, input(item, bytes, "item")); });
}

int upwash_stream_flush(upwash_stream* stream) {
  return guarded_by(stream, "upwash_stream_flush", [&] { stream->items.flush(); });
}

int upwash_stream_finish(upwash_stream* stream) {
  return guarded_by(stream, "upwash_stream_finish", [&] { stream->items.finish(); });
}

int upwash_stream_close(upwash_stream** stream) {
  if (stream == nullptr) return UPWASH_ARGUMENT;
  return guarded_by(*stream, "upwash_stream_close", [&] {
    (*stream)->items.close();
    delete std::exchange(*stream, nullptr);  // NOLINT: made by upwash_stream_open
  });
}

}  // extern "C"
