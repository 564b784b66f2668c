// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A stream whose records have a size that is known at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "upwash/core/team.hpp"
#include "upwash/streaming/options.hpp"

namespace upwash::python {

/// Takes records that arrived: their bytes, one each `stride` bytes. Throws `error`.
using take_records = std::function<void(std::span<const std::byte> records, std::size_t stride)>;

class open_stream {
 public:
  virtual ~open_stream() noexcept(false) = default;
  /// Record i of `records`, `bytes` each, goes to destinations[i].
  virtual void push(std::span<const std::int64_t> destinations, const std::byte* records,
                    std::size_t bytes) = 0;
  virtual void flush() = 0;
  virtual void finish(const call_site& site) = 0;
  /// Nothing of it is left in the job then.
  virtual void close() = 0;
  [[nodiscard]] virtual stream_statistics statistics() const = 0;
};

inline constexpr std::size_t most_record_bytes = 256;

/// Opens one for records of at most `bytes`. Collective.
[[nodiscard]] std::shared_ptr<open_stream> open_records(const team& among, std::size_t bytes,
                                                        take_records take,
                                                        const stream_options& with,
                                                        const call_site& site);

}  // namespace upwash::python
