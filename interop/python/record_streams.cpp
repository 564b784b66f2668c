// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Streams of records of several sizes: each record travels in the least of them that it fits in.
#include "interop/python/detail/streams.hpp"

#include <optional>

#include "upwash/streaming/stream.hpp"

namespace upwash::python {
namespace {

template <std::size_t Bytes>
struct record {
  std::array<std::byte, Bytes> bytes;
};

template <std::size_t Bytes>
struct taker {
  take_records take;
  void operator()(std::span<const record<Bytes>> records) const {
    take(std::as_bytes(records), Bytes);
  }
};

template <std::size_t Bytes>
class stream_of final : public open_stream {
 public:
  stream_of(const team& among, take_records take, const stream_options& with, const call_site& site)
      : items_(std::in_place, among, taker<Bytes>{std::move(take)}, with, site) {}

  void push(std::span<const std::int64_t> destinations, const std::byte* records,
            std::size_t bytes) override {
    for (std::size_t i = 0; i < destinations.size(); ++i) {
      const auto to = destinations[i];
      // A number that is no int is no member either, which the stream says.
      const int member = to >= 0 && to <= INT32_MAX ? static_cast<int>(to) : -1;
      items_->push_written(member, [&](std::byte* into) {
        std::memcpy(into, records + i * bytes, bytes);
        std::memset(into + bytes, 0, Bytes - bytes);
      });
    }
  }
  void flush() override { items_->flush(); }
  void finish(const call_site& site) override { items_->finish(site); }
  void close() override {
    items_->close();
    items_.reset();
  }
  [[nodiscard]] stream_statistics statistics() const override { return items_->statistics(); }

 private:
  std::optional<stream<record<Bytes>, taker<Bytes>>> items_;
};

template <std::size_t Bytes, std::size_t... Rest>
std::shared_ptr<open_stream> open_least(const team& among, std::size_t bytes, take_records& take,
                                        const stream_options& with, const call_site& site) {
  if constexpr (sizeof...(Rest) != 0) {
    if (bytes > Bytes) return open_least<Rest...>(among, bytes, take, with, site);
  }
  return std::make_shared<stream_of<Bytes>>(among, std::move(take), with, site);
}

}  // namespace

std::shared_ptr<open_stream> open_records(const team& among, std::size_t bytes, take_records take,
                                          const stream_options& with, const call_site& site) {
  return open_least<4, 8, 16, 24, 32, 48, 64, 128, most_record_bytes>(among, bytes, take, with,
                                                                      site);
}

}  // namespace upwash::python
