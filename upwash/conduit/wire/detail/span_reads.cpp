// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/wire/detail/span_reads.hpp"

#include <fmt/format.h>

namespace upwash::conduit::wire {
namespace {

constexpr std::uint32_t no_tag = ~std::uint32_t{0};

}  // namespace

span_reads::moving& span_reads::take(completion* told) {
  moving& one = *pool_.take();
  one.tell = &ended;
  one.home = this;
  one.told = told;
  one.tag = no_tag;
  ++under_way_;
  return one;
}

void span_reads::ended(completion& self) noexcept {
  auto& one = static_cast<moving&>(self);
  span_reads& home = *one.home;
  completion* const told = one.told;
  if (one.tag != no_tag) home.free_tags_.push_back(one.tag);
  --home.under_way_;
  home.pool_.give_back(&one);
  if (told != nullptr) told->tell(*told);
}

injection span_reads::read(int process, std::uint64_t name, std::size_t offset,
                           std::span<std::byte> to, completion* local) {
  if (free_tags_.empty() && tags_made_ == most_reads) {
    return injection::retry(retry_reason::no_memory);
  }
  const std::uint32_t tag = free_tags_.empty() ? tags_made_ : free_tags_.front();
  if (!by_.ask_for(process, {name, offset, to.size(), tag})) {
    return injection::retry(retry_reason::no_credit);
  }
  if (free_tags_.empty()) {
    ++tags_made_;
  } else {
    free_tags_.pop_front();
  }
  moving& one = take(local);
  one.tag = tag;
  if (over_.receive_bulk(process, tag, to, one) == outcome::done) {
    one.told = nullptr;
    ended(one);
    return injection::done();
  }
  return injection::pending();
}

void span_reads::serve(int process, const read_request& wanted) {
  const std::span<const std::byte>* span = spans_.find(wanted.name);
  if (span == nullptr || wanted.offset > span->size() ||
      wanted.bytes > span->size() - wanted.offset) {
    by_.give_up(fmt::format("process {} reads {} bytes at offset {} of private memory that is {}",
                            process, wanted.bytes, wanted.offset,
                            span == nullptr ? "not registered any more: deregister only what no "
                                              "peer reads"
                                            : fmt::format("{} bytes long", span->size())));
  }
  moving& one = take(nullptr);
  if (over_.send_bulk(process, wanted.tag, span->subspan(wanted.offset, wanted.bytes), one) ==
      outcome::done) {
    ended(one);
  }
}

}  // namespace upwash::conduit::wire
