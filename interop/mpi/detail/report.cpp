// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/report.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdio>
#include <vector>

#include "interop/mpi/detail/mpi.hpp"

namespace upwash::mpi {
namespace {

using totals = std::vector<fates>;

/// At rank 0: of all ranks.
totals sum_over_ranks() {
  totals all(number_of_functions);
  PMPI_Reduce(call_counts.data(), all.data(), number_of_functions * number_of_fates, MPI_UINT64_T,
              MPI_SUM, 0, MPI_COMM_WORLD);
  return all;
}

double mean_us(duration time, std::uint64_t calls) {
  return calls == 0 ? 0 : time.us() / static_cast<double>(calls);
}

std::uint64_t mean_bytes(const calls_of_size& of) { return of.ours == 0 ? 0 : of.bytes / of.ours; }

/// "12 passed through, 3 type or operator"
std::string reasons(const fates& of) {
  std::string text;
  for (std::size_t i = 1; i < of.size(); ++i) {
    if (of[i] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", of[i], fate_texts[i]);
  }
  return text;
}

bool any(const fates& of) {
  for (const std::uint64_t each : of) {
    if (each != 0) return true;
  }
  return false;
}

std::string as_text(const totals& all, const measurements* measured) {
  std::string text = fmt::format("upwash: report: {}\n{:28} {:>12}  {}\n", library_title,
                                 "calls of all ranks", "taken over", "by the MPI library");
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!any(all[i])) continue;
    text += fmt::format("{:28} {:>12}  {}\n", function_names[i], all[i][0], reasons(all[i]));
  }
  if (measured == nullptr || measured->all().empty()) return text;
  text += fmt::format("{:28} {:>12} {:>10} {:>10} {:>10} {:>10}  {}\n", "at rank 0", "bytes",
                      "ours", "us each", "theirs", "us each", "algorithm of the first");
  for (const auto& [key, each] : measured->all()) {
    text += fmt::format("{:28} {:>12} {:>10} {:>10.2f} {:>10} {:>10.2f}  {}\n",
                        function_names[key.first], mean_bytes(each), each.ours,
                        mean_us(each.our_time, each.ours), each.theirs,
                        mean_us(each.their_time, each.theirs), each.algorithm);
  }
  return text;
}

std::string as_json(const totals& all, const measurements* measured) {
  std::string rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!any(all[i])) continue;
    std::string why;
    for (std::size_t f = 1; f < all[i].size(); ++f) {
      if (all[i][f] == 0) continue;
      why += fmt::format("{}\"{}\": {}", why.empty() ? "" : ", ", fate_texts[f], all[i][f]);
    }
    rows += fmt::format("{}    {{\"function\": \"{}\", \"taken\": {}, \"passed\": {{{}}}}}",
                        rows.empty() ? "" : ",\n", function_names[i], all[i][0], why);
  }
  std::string sizes;
  if (measured != nullptr) {
    for (const auto& [key, each] : measured->all()) {
      sizes += fmt::format(
          "{}    {{\"function\": \"{}\", \"bytes\": {}, \"ours\": {}, \"our_us\": {:.3f}, "
          "\"theirs\": {}, \"their_us\": {:.3f}, \"algorithm\": \"{}\"}}",
          sizes.empty() ? "" : ",\n", function_names[key.first], mean_bytes(each), each.ours,
          mean_us(each.our_time, each.ours), each.theirs, mean_us(each.their_time, each.theirs),
          each.algorithm);
    }
  }
  return fmt::format(
      "{{\n  \"mpi\": \"{}\",\n  \"calls\": [\n{}\n  ],\n  \"sizes\": [\n{}\n  ]\n}}\n",
      library_title, rows, sizes);
}

}  // namespace

calls_of_size& measurements::of(function which, std::uint64_t bytes) {
  return all_[{static_cast<int>(which), static_cast<int>(std::bit_width(bytes))}];
}

void write_report(const std::string& where, const measurements* measured) {
  const totals all = sum_over_ranks();
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  if (where == "1") {
    std::fputs(as_text(all, measured).c_str(), stderr);
    return;
  }
  std::FILE* file = std::fopen(where.c_str(), "w");
  if (file == nullptr) {
    fmt::print(stderr, "upwash: UPWASH_REPORT={}: cannot write this file\n", where);
    return;
  }
  std::fputs(as_json(all, measured).c_str(), file);
  std::fclose(file);
}

}  // namespace upwash::mpi
