// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Stands in for libFuzzer: fuzz_driver SECONDS FILE... mutates the files at random, from seed 1 on.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "upwash/base/random.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void mutate(std::string& text, upwash::random_stream& draw) {
  const auto at = draw.below(text.size() + 1);
  const std::size_t length = draw.below(9);
  switch (draw.below(4)) {
    case 0: text.erase(at, length); break;
    case 1: text.insert(at, text.substr(draw.below(text.size() + 1), length)); break;
    case 2: text.insert(at, 1, static_cast<char>(draw.below(256))); break;
    default:
      if (at < text.size()) text[at] = static_cast<char>(draw.below(256));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(argv[1]));
  std::vector<std::string> corpus;
  for (int i = 2; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  std::uint64_t seed = 1;
  for (; std::chrono::steady_clock::now() < end; ++seed) {
    upwash::random_stream draw(seed, 0);
    std::string text = corpus[seed % corpus.size()];
    for (std::uint64_t n = draw.below(8); n > 0; --n) mutate(text, draw);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }
  std::printf("%llu inputs\n", static_cast<unsigned long long>(seed - 1));
}
