// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Endpoints over a pretended network that a test drives as it likes, and what it looks at.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tests/conduit/wire/pretended_world.hpp"
#include "upwash/conduit/endpoint.hpp"

namespace upwash::test {

/// Keeps what arrives; may do something for each message.
struct inbox final : conduit::sink {
  struct entry {
    int source = 0;
    conduit::lane kind = conduit::lane::request;
    std::uint64_t number = 0;
    std::vector<std::byte> payload;
  };
  void deliver(const conduit::message& m) override {
    entry one{m.source, m.kind, 0, {m.payload.begin(), m.payload.end()}};
    std::memcpy(&one.number, m.arguments.data(), sizeof one.number);
    entries.push_back(one);
    if (then) then(m);
  }
  std::vector<entry> entries;
  std::function<void(const conduit::message&)> then;
};

struct counted final : conduit::completion {
  counted() {
    tell = [](completion& self) noexcept { ++static_cast<counted&>(self).times; };
  }
  int times = 0;
};

class wire_job {
 public:
  wire_job(int processes, std::uint64_t seed, int per_process = 1, bool memory = false) {
    pretended_options options;
    options.ranks = conduit::rank_layout::even(processes * per_process, processes);
    options.network.seed = seed;
    options.network.memory = memory;
    world_ = make_pretended_world(options);
    for (int r = 0; r < world_->size(); ++r) {
      inboxes_.push_back(std::make_unique<inbox>());
      at(r).attach(r, inboxes_.back().get());
    }
  }

  [[nodiscard]] conduit::endpoint& at(int rank) { return world_->endpoint_of(rank); }
  [[nodiscard]] inbox& in(int rank) { return *inboxes_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] pretended_network& network() { return network_of(*world_); }

  conduit::injection send(int from, int to, std::uint64_t number,
                          std::span<const std::byte> payload = {},
                          conduit::lane kind = conduit::lane::request, bool from_handler = false) {
    return at(from).send(numbered(from, to, number, payload, kind), from_handler);
  }
  /// `number` outlives it.
  [[nodiscard]] static conduit::message numbered(int from, int to, const std::uint64_t& number,
                                                 std::span<const std::byte> payload,
                                                 conduit::lane kind) {
    conduit::message m;
    m.handler = {17, 1};
    m.kind = kind;
    m.source = from;
    m.destination = to;
    m.arguments = std::as_bytes(std::span(&number, 1));
    m.payload = payload;
    return m;
  }

  int poll(int rank) { return at(rank).poll(rank); }
  void poll_all() {
    for (int r = 0; r < world_->size(); r += at(r).local_ranks()) poll(r);
  }
  /// Until nothing is under way any more.
  void settle() {
    constexpr int longest_delay = 20;
    for (int quiet = 0; quiet < longest_delay;) {
      const std::uint64_t before = network().events();
      poll_all();
      quiet = network().events() == before ? quiet + 1 : 0;
    }
  }

 private:
  std::unique_ptr<conduit::world> world_;
  std::vector<std::unique_ptr<inbox>> inboxes_;
};

inline std::vector<std::byte> pattern(std::size_t bytes, std::size_t salt = 1) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    data[i] = static_cast<std::byte>(i * 13 + i / 251 + salt * 71);
  }
  return data;
}

}  // namespace upwash::test
