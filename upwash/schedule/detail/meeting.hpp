// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where messages and those who wait for them meet: whoever comes first is kept, first in first out.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace upwash::schedule::detail {

struct meeting_key {
  int at = 0;
  int from = 0;
  std::uint32_t edge = 0;
  bool invitation = false;
  friend bool operator==(const meeting_key&, const meeting_key&) = default;
};

class meetings {
 public:
  enum class side : std::uint8_t { message, waiting };

  /// Whom `who` meets; nobody: `who` is kept.
  std::optional<std::uint64_t> meet(const meeting_key& key, side from, std::uint64_t who) {
    const auto [found, fresh] = all_.try_emplace(key);
    queue& here = found->second;
    if (fresh || here.of == from) {
      if (fresh) {
        here = {from, who, 0, {}};
      } else {
        here.more.push_back(who);
      }
      return std::nullopt;
    }
    const std::uint64_t met = here.first;
    if (here.passed == here.more.size()) {
      all_.erase(found);
    } else {
      here.first = here.more[here.passed++];
    }
    return met;
  }

  /// Takes all messages kept at `at` of this edge, of any source, in no order. O(all that is kept).
  [[nodiscard]] std::vector<std::uint64_t> take_messages(int at, std::uint32_t edge) {
    std::vector<std::uint64_t> taken;
    std::erase_if(all_, [&](const auto& each) {
      const auto& [key, here] = each;
      if (key.at != at || key.edge != edge || key.invitation || here.of != side::message) {
        return false;
      }
      taken.push_back(here.first);
      taken.insert(taken.end(), here.more.begin() + static_cast<std::ptrdiff_t>(here.passed),
                   here.more.end());
      return true;
    });
    return taken;
  }

  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }

 private:
  struct queue {
    side of = side::message;
    std::uint64_t first = 0;
    std::size_t passed = 0;  ///< of `more`
    std::vector<std::uint64_t> more;
  };
  struct hash {
    std::size_t operator()(const meeting_key& key) const noexcept {
      std::uint64_t x = static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.at)) << 32U |
                        static_cast<std::uint32_t>(key.from);
      x = x * 0x9e3779b97f4a7c15U ^ (key.edge + (key.invitation ? 0x85ebca6bU : 0U));
      x *= 0xff51afd7ed558ccdU;
      return x ^ x >> 32U;
    }
  };
  std::unordered_map<meeting_key, queue, hash> all_;
};

}  // namespace upwash::schedule::detail
