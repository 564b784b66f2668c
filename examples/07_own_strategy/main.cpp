// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A strategy of the program's own: calls for one member leave in buckets of ten, and the rest of
// them where an object's round of calls ends.
#include <cstdio>
#include <map>
#include <memory>
#include <numeric>
#include <upwash/core/packed_message.hpp>
#include <upwash/objects/object_array.hpp>
#include <upwash/upwash.hpp>
#include <vector>

void arrive(upwash::incoming& in) { upwash::run_packed(in.here(), in.source(), in.payload()); }

class in_buckets final : public upwash::strategy {
 public:
  std::string_view name() const override { return "in_buckets"; }
  bool bracketed() const override { return true; }
  void at_fence(const upwash::team& among, const upwash::call_pattern& /*mean*/) override {
    among_ = among;
  }
  void insert(int member, std::span<const std::byte> message, int /*priority*/) override {
    bucket& of = buckets_[member];
    of.messages.insert(of.messages.end(), message.begin(), message.end());
    if (++of.count == 10) send(member, of);
  }
  void done_inserting() override {
    for (auto& [member, of] : buckets_) {
      if (of.count > 0) send(member, of);
    }
  }

 private:
  struct bucket {
    std::vector<std::byte> messages;
    int count = 0;
  };
  void send(int member, bucket& of) {
    upwash::send_medium<&arrive>(among_.here(), among_.world_rank(member), of.messages);
    of = {};
  }

  upwash::team among_;
  std::map<int, bucket> buckets_;
};

struct node : upwash::object<int> {
  using object::object;

  template <class A>
  void serialize(A& archive) {
    archive(sum);
  }
  void greet_all(upwash::strategy_id by, int count) {
    const auto others = upwash::object_view<node>(*this).with(by);
    others.begin();
    for (int i = 0; i < count; ++i) others[i].send<&node::take>(index());
    others.end();
  }
  void take(int from) { sum += from; }

  int sum = 0;
};

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [](upwash::job& job) {
    upwash::object_array<node> nodes(job.world());
    std::vector<int> numbers(40);
    std::iota(numbers.begin(), numbers.end(), 0);
    nodes.fill(numbers);
    const upwash::strategy_id by = nodes.bind(std::make_unique<in_buckets>());
    if (job.rank() == 0) nodes.broadcast<&node::greet_all>(by, 40);
    nodes.quiet();

    int sum = 0;
    nodes.for_each_here([&](node& one) { sum += one.sum; });
    const int total = upwash::all_reduce<upwash::sum>(job.world(), upwash::blocking, sum);
    if (job.rank() == 0) std::printf("%d from 40 objects to each of 40\n", total);
  });
}
