// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/strategies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/log.hpp"
#include "upwash/collective/choice.hpp"
#include "upwash/collective/many_to_many.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/packed_message.hpp"
#include "upwash/streaming/stream.hpp"

namespace upwash {
namespace {

constexpr const char* direct = "direct";

void handle_packed(incoming& in) {
  static_cast<void>(run_packed(in.here(), in.source(), in.payload()));
}

/// Brackets as collectives on a team of their own, one after the other.
class by_collective : public strategy {
 public:
  explicit by_collective(std::string algorithm) : algorithm_(std::move(algorithm)) {}
  ~by_collective() override {
    under_way_ = {};
    if (among_ && std::uncaught_exceptions() == exceptions_) among_.release();
  }

  [[nodiscard]] bool bracketed() const override { return true; }
  void at_fence(const team& among, const call_pattern& mean) override {
    if (!among_) {
      among_ = among.duplicate();
      if (!algorithm_.empty() && algorithm_ != direct) check_algorithm();
    }
    pattern_.degree = static_cast<int>(std::lround(mean.degree));
    pattern_.bytes = static_cast<std::uint64_t>(std::llround(mean.bytes));
    if (!algorithm_.empty()) {
      runs_by_ = algorithm_;
    } else if (mean.members > 0) {
      choose(mean);
    }
  }
  void done_inserting() override {
    waiting_.push_back(std::exchange(inserted_, {}));
    go_on();
  }
  void go_on() override {
    while (under_way_.done() && !waiting_.empty()) {
      sending_ = std::move(waiting_.front());
      waiting_.pop_front();
      if (runs_by_ == direct) {
        send_straight();
      } else {
        under_way_ = start();
      }
    }
    if (under_way_.done()) under_way_ = {};
  }
  [[nodiscard]] bool busy() const override { return !under_way_.empty() || !waiting_.empty(); }

 protected:
  struct call {
    std::vector<int> members;
    std::vector<std::byte> message;
  };
  /// The calls of a bracket, to be told apart by member or for all of them.
  struct bundle {
    std::map<std::uint64_t, std::vector<std::byte>> personal;
    std::vector<call> common;
  };

  [[nodiscard]] virtual request start() = 0;
  [[nodiscard]] virtual collective::kind kind() const = 0;
  virtual void take(int source, std::span<const std::byte> bytes) {
    run_packed(among_.here(), among_.world_rank(source), bytes);
  }
  [[nodiscard]] const team& among() const { return among_; }
  [[nodiscard]] collective_options how() const {
    collective_options options;
    options.algorithm = runs_by_;
    options.overlapped = true;
    return options;
  }
  [[nodiscard]] collective::collect_handler taken() {
    return {[](int source, std::span<const std::byte> bytes, void* context) {
              static_cast<by_collective*>(context)->take(source, bytes);
            },
            this};
  }

  bundle inserted_;
  bundle sending_;
  message_pattern pattern_;
  std::vector<std::uint64_t> destinations_;

 private:
  /// Throws for one that is unknown, or does not serve.
  void check_algorithm() const {
    collective::call asked;
    asked.what.of = kind();
    asked.how.algorithm = algorithm_;
    static_cast<void>(collective::algorithm_of(among_, asked));
  }
  /// As if members knew who sends to them: where messages that go straight are best, nobody has to.
  void choose(const call_pattern& mean) {
    collective::call asked;
    asked.what.of = kind();
    asked.what.bytes = pattern_.bytes;
    asked.what.degree = pattern_.degree;
    asked.what.known_senders = true;
    asked.how.overlapped = true;
    std::string best = collective::algorithm_of(among_, asked);
    if (best.starts_with(direct)) best = direct;
    if (best == runs_by_) return;
    runs_by_ = std::move(best);
    if (among_.rank() != 0) return;
    log(log_level::info, "objects",
        fmt::format("{}: {} members call {:.1f} others each, with {:.0f} bytes: by {} now", name(),
                    mean.members, mean.degree, mean.bytes, runs_by_));
  }
  /// Without a collective: nobody need know who sends.
  void send_straight() {
    for (const call& each : sending_.common) {
      for (const int member : each.members) {
        auto& to = sending_.personal[static_cast<std::uint64_t>(member)];
        to.insert(to.end(), each.message.begin(), each.message.end());
      }
    }
    for (const auto& [member, messages] : sending_.personal) {
      send_medium<&handle_packed>(among_.here(), among_.world_rank(static_cast<int>(member)),
                                  messages);
    }
    sending_ = {};
  }

  std::string algorithm_;  ///< that was asked for; empty: chosen at fences
  std::string runs_by_ = direct;
  team among_;
  std::deque<bundle> waiting_;
  request under_way_;
  int exceptions_ = std::uncaught_exceptions();
};

class personalised final : public by_collective {
 public:
  using by_collective::by_collective;

  [[nodiscard]] std::string_view name() const override { return "each_to_many"; }
  [[nodiscard]] collective::kind kind() const override { return collective::kind::many_to_many; }
  void insert(int member, std::span<const std::byte> message, int /*priority*/) override {
    auto& to = inserted_.personal[static_cast<std::uint64_t>(member)];
    to.insert(to.end(), message.begin(), message.end());
  }

 private:
  [[nodiscard]] request start() override {
    destinations_.clear();
    bytes_.clear();
    offsets_.clear();
    buffer_.clear();
    for (const auto& [member, messages] : sending_.personal) {
      destinations_.push_back(member);
      bytes_.push_back(messages.size());
      offsets_.push_back(buffer_.size());
      buffer_.insert(buffer_.end(), messages.begin(), messages.end());
    }
    sending_.personal.clear();
    return many_to_many(among(), buffer_, {destinations_, bytes_, offsets_}, taken(), pattern_,
                        how());
  }

  std::vector<std::uint64_t> bytes_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::byte> buffer_;
};

/// In front of each call of a block that goes to several.
struct call_header {
  std::uint32_t members = 0;  ///< whose numbers follow; 0: all that the block goes to
  std::uint32_t bytes = 0;
};

class multicast final : public by_collective {
 public:
  using by_collective::by_collective;

  [[nodiscard]] std::string_view name() const override { return "each_to_many_multicast"; }
  [[nodiscard]] collective::kind kind() const override {
    return collective::kind::many_to_many_multicast;
  }
  void insert(int member, std::span<const std::byte> message, int priority) override {
    insert_for(std::span(&member, 1), message, priority);
  }
  void insert_for(std::span<const int> members, std::span<const std::byte> message,
                  int /*priority*/) override {
    call made{{members.begin(), members.end()}, {message.begin(), message.end()}};
    std::ranges::sort(made.members);
    inserted_.common.push_back(std::move(made));
  }

 private:
  [[nodiscard]] request start() override {
    std::set<int> all;
    for (const call& each : sending_.common) all.insert(each.members.begin(), each.members.end());
    destinations_.assign(all.begin(), all.end());
    block_.clear();
    for (const call& each : sending_.common) {
      const bool for_all = each.members.size() == all.size();
      const call_header head{for_all ? 0U : static_cast<std::uint32_t>(each.members.size()),
                             static_cast<std::uint32_t>(each.message.size())};
      append(&head, 1);
      if (!for_all) append(each.members.data(), each.members.size());
      append(each.message.data(), each.message.size());
    }
    sending_.common.clear();
    return many_to_many_multicast(among(), block_, destinations_, taken(), pattern_, how());
  }

  void take(int source, std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const auto head = front<call_header>(bytes);
      bool mine = head.members == 0;
      for (std::uint32_t i = 0; i < head.members; ++i) {
        mine = front<int>(bytes) == among().rank() || mine;
      }
      if (mine) by_collective::take(source, bytes.first(head.bytes));
      bytes = bytes.subspan(head.bytes);
    }
  }

  template <class T>
  void append(const T* items, std::size_t count) {
    const auto all = std::as_bytes(std::span(items, count));
    block_.insert(block_.end(), all.begin(), all.end());
  }
  template <class T>
  [[nodiscard]] static T front(std::span<const std::byte>& of) {
    T value;
    std::memcpy(&value, of.data(), sizeof value);
    of = of.subspan(sizeof value);
    return value;
  }

  std::vector<std::byte> block_;
};

class by_stream final : public strategy {
 public:
  explicit by_stream(const streaming_options& with) : with_(with) {}

  [[nodiscard]] std::string_view name() const override { return "streaming"; }
  [[nodiscard]] bool bracketed() const override { return false; }
  void at_fence(const team& among, const call_pattern& /*mean*/) override {
    if (!stream_) stream_.emplace(among, runner{&among.here()}, with_.stream);
  }
  void insert(int member, std::span<const std::byte> message, int priority) override {
    if (priority < with_.urgent_below) {
      stream_->push_urgent(member, message);
    } else {
      stream_->push(member, message);
    }
  }

 private:
  struct runner {
    job* here;
    void operator()(std::span<const std::byte> messages) const {
      run_packed(*here, here->rank(), messages);
    }
  };

  streaming_options with_;
  std::optional<stream<std::span<const std::byte>, runner>> stream_;
};

class switched final : public strategy {
 public:
  switched(std::vector<std::unique_ptr<strategy>> eligible, std::unique_ptr<strategy_switch> by)
      : eligible_(std::move(eligible)), chooses_(std::move(by)) {
    const auto differs = [&](const auto& each) {
      return each == nullptr || each->bracketed() != eligible_.front()->bracketed();
    };
    if (chooses_ != nullptr && !eligible_.empty() && eligible_.front() != nullptr &&
        std::ranges::none_of(eligible_, differs)) {
      return;
    }
    throw error(error_kind::argument,
                "a switch needs one that chooses, and strategies that are all bracketed, or none");
  }

  [[nodiscard]] std::string_view name() const override { return now().name(); }
  [[nodiscard]] bool bracketed() const override { return now().bracketed(); }
  void at_fence(const team& among, const call_pattern& mean) override {
    for (const auto& each : eligible_) each->at_fence(among, mean);
    const std::size_t next = chooses_->choose(among, mean, now_);
    if (next >= eligible_.size()) {
      throw error(error_kind::argument, fmt::format("a strategy switch chooses strategy {} of {}",
                                                    next, eligible_.size()));
    }
    if (next == now_) return;
    now_ = next;
    if (among.rank() == 0) {
      log(log_level::info, "objects",
          fmt::format("calls go by {} ({} of {}) now", name(), now_, eligible_.size()));
    }
  }
  void insert(int member, std::span<const std::byte> message, int priority) override {
    now().insert(member, message, priority);
  }
  void insert_for(std::span<const int> members, std::span<const std::byte> message,
                  int priority) override {
    now().insert_for(members, message, priority);
  }
  void done_inserting() override { now().done_inserting(); }
  void go_on() override {
    for (const auto& each : eligible_) {
      if (each->busy()) each->go_on();
    }
  }
  /// Of the one before, too: its last collective may end behind the fence.
  [[nodiscard]] bool busy() const override {
    return std::ranges::any_of(eligible_, [](const auto& each) { return each->busy(); });
  }

 private:
  [[nodiscard]] strategy& now() const { return *eligible_[now_]; }

  std::vector<std::unique_ptr<strategy>> eligible_;
  std::unique_ptr<strategy_switch> chooses_;
  std::size_t now_ = 0;
};

}  // namespace

std::unique_ptr<strategy> switch_among(std::vector<std::unique_ptr<strategy>> eligible,
                                       std::unique_ptr<strategy_switch> by) {
  return std::make_unique<switched>(std::move(eligible), std::move(by));
}
std::unique_ptr<strategy> each_to_many(std::string algorithm) {
  return std::make_unique<personalised>(std::move(algorithm));
}
std::unique_ptr<strategy> each_to_many_multicast(std::string algorithm) {
  return std::make_unique<multicast>(std::move(algorithm));
}
std::unique_ptr<strategy> streaming_calls(streaming_options with) {
  return std::make_unique<by_stream>(with);
}

}  // namespace upwash
