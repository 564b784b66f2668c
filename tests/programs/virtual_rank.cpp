// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program with globals of all kinds, for `upwash run --privatize`. Built as it is it adds up for
// one rank a process only. virtual_rank WHAT [RANK]: what rank RANK does.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>

#include "upwash/base/process.hpp"
#include "upwash/upwash.hpp"

int counted = 100;  // NOLINT: globals are what is tested

namespace {

int zeroed;
int built = 0;
int leaving = 0;
#ifdef WITH_THREAD_LOCAL
TLS_MODEL thread_local int of_thread = 7;
TLS_MODEL thread_local std::array<char, 1200> much_of_thread{};
#else
int of_thread = 7;
std::array<char, 1200> much_of_thread{};
#endif

template <class T>
struct kinds {
  static inline int of_template = 0;
};

struct object {
  object() { ++built; }
  ~object() { std::printf("destroyed with %d, behind %d\n", counted, leaving); }
};
const object one;

int calls() {
  static int number = 0;
  return ++number;
}

/// A message runs in its receiver's copy.
void arrive(upwash::incoming& /*in*/, int from) { zeroed += 1000 * from; }

void at_end() {
  ++leaving;
  std::printf("at exit %d\n", counted);
}

int options(int argc, char** argv) {
  int found = 0;
  while (getopt(argc, argv, "x") == 'x') ++found;
  return found;
}

bool is(int argc, char** argv, const char* what, int rank) {
  return argc > 1 && std::strcmp(argv[1], what) == 0 && (argc < 3 || std::atoi(argv[2]) == rank);
}

void add_up(upwash::job& here, int argc, char** argv) {
  const int me = here.rank();
  argv[0][0] = static_cast<char>('a' + me % 26);  // each rank's own
  for (int i = 0; i <= me; ++i) {
    ++counted;
    ++zeroed;
    ++of_thread;
    much_of_thread[static_cast<std::size_t>(i)] = 1;
    ++kinds<int>::of_template;
    calls();
    upwash::control::barrier(here.world());
  }
  for (int i = me + 1; i < here.size(); ++i) upwash::control::barrier(here.world());
  upwash::send<&arrive>(here, (me + 1) % here.size(), me);
  const int before = (me + here.size() - 1) % here.size();
  while (zeroed != me + 1 + 1000 * before) here.progress();
  std::cout << "rank " << me << ": " << counted - me << ' ' << zeroed - me - 1000 * before << ' '
            << of_thread - me << ' ' << kinds<int>::of_template - me << ' ' << calls() - me << ' '
            << built << ' ' << argc << ' ' << argv[0][0] - 'a' - me % 26 << std::endl;
}

void misbehave(upwash::job& here, int argc, char** argv) {
  const int me = here.rank();
  if (is(argc, argv, "throw", me)) throw std::runtime_error("out of luck");
  if (is(argc, argv, "abort", me)) std::abort();
  if (is(argc, argv, "fault", me)) *static_cast<volatile int*>(nullptr) = 1;
  if (is(argc, argv, "exit", me)) std::exit(0);
  if (is(argc, argv, "exit5", me)) std::exit(5);
  upwash::control::barrier(here.world());
}

}  // namespace

int main(int argc, char** argv) {
  std::atexit(&at_end);
  if (options(argc, argv) != 0) std::puts("an option");
  if (is(argc, argv, "usage", -1)) return 2;
  if (argc > 1 && std::strcmp(argv[1], "stranger") == 0) {
    const char* rank = argc > 2 ? argv[2] : nullptr;
    if (rank == nullptr || upwash::process::current_rank() == std::atoi(rank)) return 0;
  }
  const int status = upwash::run(argc, argv, [&](upwash::job& here) {
    add_up(here, argc, argv);
    misbehave(here, argc, argv);
    if (is(argc, argv, "status", here.rank())) return 3;
    return 0;
  });
  if (is(argc, argv, "twice", -1)) return upwash::run(argc, argv, [](upwash::job&) {});
  if (is(argc, argv, "late", -1)) std::exit(4);
  return status;
}
