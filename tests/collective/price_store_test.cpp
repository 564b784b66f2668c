// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prices that processes tell each other: whatever happens to those who write, a reader finds what
// belongs to its key, or nothing; and choices are the same.
#include "upwash/collective/detail/choose/price_store.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/collective/pieces_of_words.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/node_prices.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using detail::price_store;
using words = std::vector<std::uint64_t>;

/// Zeroed memory that children of this process share with it.
class shared_words {
 public:
  explicit shared_words(std::size_t count) : count_(count) {
    void* const at = mmap(nullptr, count * sizeof(std::uint64_t), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw error(error_kind::system, "mmap");
    words_ = static_cast<std::uint64_t*>(at);
  }
  shared_words(const shared_words&) = delete;
  shared_words& operator=(const shared_words&) = delete;
  ~shared_words() { munmap(words_, count_ * sizeof(std::uint64_t)); }

  [[nodiscard]] std::span<std::uint64_t> all() const { return {words_, count_}; }

 private:
  std::size_t count_;
  std::uint64_t* words_;
};

words key_of(std::uint64_t number) {
  words key(1 + number % 40, number);
  key.front() = number * 3;
  return key;
}

/// What belongs to the key, of whoever gives it.
words value_of(const words& key) {
  words value;
  for (std::uint64_t i = 0; i < 1 + key.front() % 90; ++i) {
    value.push_back(random_bits(key.front(), key.size(), i));
  }
  return value;
}

std::optional<words> found_in(const price_store& store, const words& key) {
  const auto seen = store.find(key, price_store::hash_of(key)).value;
  if (!seen) return std::nullopt;
  return words(seen->begin(), seen->end());
}

void give(price_store& store, const words& key) {
  store.give(key, price_store::hash_of(key), value_of(key));
}

node_prices prices_in(const shared_words& memory, int pieces) {
  return {std::make_unique<tests::pieces_of_words>(memory.all(), pieces), false};
}

/// Every process of `children` runs it; false where one fails.
template <class Body>
bool in_children(int children, const Body& body) {
  for (int child = 0; child < children; ++child) {
    if (fork() != 0) continue;
    _exit(body(child) ? 0 : 1);
  }
  bool good = true;
  for (int child = 0; child < children; ++child) {
    int status = 0;
    wait(&status);
    good = good && status == 0;
  }
  return good;
}

}  // namespace

TEST(price_store, finds_what_was_given_until_it_is_full_and_nothing_else_then) {
  for (const std::size_t size : {price_store::least_words, std::size_t{256}, std::size_t{4096}}) {
    const shared_words memory(size);
    price_store store(memory.all());
    std::map<words, bool> kept;
    for (std::uint64_t number = 0; number < 300; ++number) {
      const words key = key_of(number);
      EXPECT_EQ(found_in(store, key), std::nullopt);
      give(store, key);
      const auto found = found_in(store, key);
      EXPECT_TRUE(!found || *found == value_of(key)) << number;
      kept[key] = found.has_value();
    }
    const auto count = std::ranges::count(kept, true, [](const auto& each) { return each.second; });
    EXPECT_LT(count, 300);
    EXPECT_GT(count, 0);
    for (const auto& [key, was_kept] : kept) {  // what came later has changed nothing
      const auto found = found_in(store, key);
      EXPECT_EQ(found.has_value(), was_kept);
      EXPECT_TRUE(!found || *found == value_of(key));
    }
  }
}

TEST(price_store, takes_a_promise_once_and_the_first_value) {
  const shared_words memory(1024);
  price_store store(memory.all());
  const words key = key_of(7);
  const std::uint64_t hash = price_store::hash_of(key);
  EXPECT_TRUE(store.promise(key, hash));
  EXPECT_FALSE(store.promise(key, hash));
  EXPECT_TRUE(store.find(key, hash).promised);
  EXPECT_FALSE(store.find(key, hash).value);
  store.give(key, hash, words{1, 2});
  store.give(key, hash, words{3});
  store.give_up(key, hash);
  EXPECT_EQ(found_in(store, key), (words{1, 2}));
}

TEST(price_store, lets_nobody_wait_for_what_is_given_up_or_has_no_room) {
  const shared_words memory(256);
  price_store store(memory.all());
  const words key = key_of(7);
  const std::uint64_t hash = price_store::hash_of(key);
  ASSERT_TRUE(store.promise(key, hash));
  store.give_up(key, hash);
  EXPECT_FALSE(store.find(key, hash).promised);
  EXPECT_FALSE(store.promise(key, hash));
  const words large = key_of(8);
  ASSERT_TRUE(store.promise(large, price_store::hash_of(large)));
  store.give(large, price_store::hash_of(large), words(1000, 1));
  EXPECT_FALSE(store.find(large, price_store::hash_of(large)).promised);
  EXPECT_EQ(found_in(store, large), std::nullopt);
}

TEST(price_store, tells_keys_of_one_hash_apart) {
  const shared_words memory(4096);
  price_store store(memory.all());
  constexpr std::uint64_t hash = 0x1234'5678'9abc'def0;
  for (std::uint64_t number = 0; number < 12; ++number) {
    store.give(words{number}, hash, words{number * 10});
  }
  int found = 0;
  for (std::uint64_t number = 0; number < 12; ++number) {
    const auto value = store.find(words{number}, hash).value;
    if (!value) continue;
    ++found;
    EXPECT_EQ((*value)[0], number * 10);
  }
  EXPECT_EQ(found, 8);  // as many as are looked at
}

TEST(price_store, gives_processes_whole_values_also_of_those_that_are_killed) {
  constexpr int children = 6;
  constexpr std::uint64_t keys = 400;
  const shared_words memory(std::size_t{1} << 15U);
  const auto write_for_ever = [&](int child) {
    price_store store(memory.all());
    for (std::uint64_t i = 0;; ++i) {
      const words key = key_of(random_bits(11, static_cast<std::uint64_t>(child), i) % keys);
      static_cast<void>(store.promise(key, price_store::hash_of(key)));
      const auto found = found_in(store, key);
      if (found && *found != value_of(key)) return false;
      give(store, key);
    }
  };
  std::vector<pid_t> pids;
  for (int child = 0; child < children; ++child) {
    const pid_t pid = fork();
    if (pid == 0) _exit(write_for_ever(child) ? 0 : 1);
    pids.push_back(pid);
  }
  random_stream numbers(3, 0);
  for (const pid_t pid : pids) {
    std::this_thread::sleep_for(std::chrono::microseconds(numbers.below(2000)));
    kill(pid, SIGKILL);
  }
  for (const pid_t pid : pids) {
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "a value belonged to another key";
  }
  // Whoever comes now gives what they have left undone.
  price_store store(memory.all());
  std::uint64_t there = 0;
  for (std::uint64_t number = 0; number < keys; ++number) {
    const words key = key_of(number);
    give(store, key);
    const auto found = found_in(store, key);
    EXPECT_TRUE(!found || *found == value_of(key));
    if (found) ++there;
  }
  EXPECT_GT(there, keys / 4);
}

TEST(node_prices, are_made_by_one_of_those_who_come_at_the_same_time) {
  const shared_words memory(4096);
  const shared_words made(1);
  const auto ask = [&](int /*child*/) {
    node_prices among = prices_in(memory, 4);
    node_prices::turn mine(among, key_of(5), duration::from_us(60e6));
    if (mine.heard()) return std::ranges::equal(*mine.heard(), value_of(key_of(5)));
    std::atomic_ref(made.all()[0]).fetch_add(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    mine.tell(value_of(key_of(5)));
    return true;
  };
  EXPECT_TRUE(in_children(6, ask));
  EXPECT_EQ(made.all()[0], 1U);
}

TEST(node_prices, are_made_by_who_has_waited_long_enough) {
  const shared_words memory(4096);
  EXPECT_TRUE(in_children(1, [&](int /*child*/) {  // promises, and is gone
    node_prices among = prices_in(memory, 1);
    const auto* const kept =
        new node_prices::turn(among, key_of(5), duration());  // NOLINT: it ends with the process
    return !kept->heard();
  }));
  node_prices among = prices_in(memory, 1);
  {
    node_prices::turn second(among, key_of(5), duration::from_us(500));
    ASSERT_FALSE(second.heard());
    second.tell(value_of(key_of(5)));
  }
  const node_prices::turn third(among, key_of(5), duration::from_us(60e6));
  ASSERT_TRUE(third.heard());
  EXPECT_TRUE(std::ranges::equal(*third.heard(), value_of(key_of(5))));
}

TEST(node_prices, that_are_not_made_are_waited_for_by_nobody) {
  const shared_words memory(4096);
  node_prices among = prices_in(memory, 1);
  { const node_prices::turn failed(among, key_of(5), duration()); }
  const node_prices::turn next(among, key_of(5), duration::max());
  EXPECT_FALSE(next.heard());
}
