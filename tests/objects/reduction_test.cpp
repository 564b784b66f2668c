// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions of objects that migrate, come, go and lag behind, against sums that each rank knows.
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/service.hpp"
#include "upwash/objects/object_array.hpp"

namespace {

using namespace upwash;

/// A value, how many gave one, and the number of the reduction as often.
using part = std::array<std::uint64_t, 3>;

std::uint64_t value_of(int object, std::uint64_t number) {
  return random_bits(77, static_cast<std::uint64_t>(object), number) >> 8U;
}

/// What reductions gave to this rank.
struct results final : service_base {
  explicit results(job&) {}
  std::map<std::uint64_t, part> by_number;

  static void note(std::map<std::uint64_t, part>& in, const part& came) {
    const std::uint64_t number = came[1] == 0 ? 0 : came[2] / came[1];
    EXPECT_TRUE(in.emplace(number, came).second) << "reduction " << number << " came twice";
  }
  static void take(incoming& in, part came) { note(in.here().service<results>().by_number, came); }
};

struct giver : object<int> {
  using object::object;
  giver(const site& at, std::uint64_t before) : object(at), done(before) {}

  template <class A>
  void serialize(A& archive) {
    archive(done, came);
  }

  void step(std::uint64_t last, std::uint64_t seed, bool ends, int first_of_all) {
    if (done < last) {
      ++done;
      give(first_of_all);
    }
    if (done < last) {
      object_view<giver>(*this)[index()].send<&giver::step>(last, seed, ends, first_of_all);
    } else if (ends) {
      return remove();
    }
    const std::uint64_t draw = random_bits(seed, static_cast<std::uint64_t>(index()), done);
    const auto members = static_cast<std::uint64_t>(here().world().size());
    if (draw % 3 == 0) migrate_to(static_cast<int>(draw / 3 % members));
  }

  void give(int first_of_all) {
    const part own{value_of(index(), done), 1, done};
    using op = elementwise<sum>;
    switch (done % 3) {
      case 0: return contribute<op>(own, everyone<&giver::take>());
      case 1: return contribute<op>(own, object_at<&giver::take>(first_of_all));
      default:
        return contribute<op>(
            own, member_at<&results::take>(static_cast<int>(done) % here().world().size()));
    }
  }

  void take(part result) { came.push_back(result); }

  std::uint64_t done = 0;
  std::vector<part> came;
};

struct life {
  std::uint64_t from = 1;  ///< the first reduction that it takes part in
  std::uint64_t last = 0;
  bool ended = false;
};

part expected(const std::map<int, life>& lives, std::uint64_t number) {
  part all{};
  for (const auto& [object, of] : lives) {
    if (number < of.from || number > of.last) continue;
    all[0] += value_of(object, number);
    ++all[1];
    all[2] += number;
  }
  return all;
}

/// What each rank does between two fences, drawn alike at all of them.
class plan {
 public:
  plan(object_array<giver>& all, std::uint64_t seed) : all_(all), draws_(seed, 5), seed_(seed) {}

  void begin(int objects) {
    std::vector<int> numbers(static_cast<std::size_t>(objects));
    std::iota(numbers.begin(), numbers.end(), next_);
    all_.fill(numbers, begun_);
    for (const int each : numbers) lives_[each] = {begun_ + 1, begun_, false};
    next_ += objects;
  }
  /// Object 0 is never behind, so that this is the last reduction that has begun.
  void phase(bool all_catch_up, int me, int members) {
    begun_ += draws_.below(4);
    for (auto& [object, of] : lives_) {
      const bool behind = draws_.below(4) == 0;
      const bool ends = draws_.below(8) == 0;
      const bool gives_up =
          ends && object != 0 && draws_.below(2) == 0;  // what it owes never comes
      const std::uint64_t half = of.last + (begun_ - of.last) / 2;
      if (of.ended) continue;
      if (!gives_up) of.last = behind && !all_catch_up && object != 0 ? half : begun_;
      of.ended = ends && object != 0;
      if (object % members == me) {
        all_[object].send<&giver::step>(of.last, seed_ + begun_, of.ended, 0);
      }
    }
  }
  void insert(int me, int members) {
    const int made = next_++;
    if (made % members == me) all_.insert(made, begun_);
    lives_[made] = {begun_ + 1, begun_, false};
  }

  [[nodiscard]] const std::map<int, life>& lives() const { return lives_; }
  [[nodiscard]] std::uint64_t begun() const { return begun_; }

 private:
  object_array<giver>& all_;
  random_stream draws_;
  std::uint64_t seed_;
  std::map<int, life> lives_;
  std::uint64_t begun_ = 0;
  int next_ = 0;
};

void check(object_array<giver>& all, job& here, const plan& did) {
  const auto& own = here.service<results>().by_number;
  for (std::uint64_t number = 1; number <= did.begun(); ++number) {
    const part wanted = expected(did.lives(), number);
    const int at = static_cast<int>(number) % here.world().size();
    if (number % 3 != 2 || at != here.rank()) continue;
    ASSERT_TRUE(own.contains(number)) << "reduction " << number << " of " << did.begun();
    EXPECT_EQ(own.at(number), wanted) << "reduction " << number;
  }
  all.for_each_here([&](giver& one) {
    std::map<std::uint64_t, part> came;
    for (const part& each : one.came) results::note(came, each);
    for (const auto& [number, got] : came) {
      EXPECT_EQ(got, expected(did.lives(), number)) << "reduction " << number;
    }
    if (one.index() != 0) return;
    for (std::uint64_t number = 1; number <= did.begun(); ++number) {
      EXPECT_EQ(came.contains(number), number % 3 != 2) << "reduction " << number;
    }
  });
}

void random_program(job& here, std::uint64_t seed) {
  const team& world = here.world();
  here.service<results>().by_number.clear();
  object_array<giver> all(world, {.name = "givers"});
  plan does(all, seed);
  random_stream draws(seed, 6);
  does.begin(1 + static_cast<int>(draws.below(12)));
  const std::uint64_t phases = 1 + draws.below(5);
  for (std::uint64_t p = 0; p < phases; ++p) {
    does.phase(p + 1 == phases, here.rank(), world.size());
    if (draws.below(3) == 0) does.insert(here.rank(), world.size());
    all.quiet();
    if (draws.below(3) == 0) does.begin(static_cast<int>(draws.below(4)));
  }
  does.phase(true, here.rank(), world.size());
  all.quiet();
  check(all, here, does);
}

}  // namespace

JOB_TEST(object_reductions, of_objects_that_migrate_come_and_go_are_sums) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) random_program(here, seed * 1009);
}
