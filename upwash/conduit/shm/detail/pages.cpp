// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel's two ways to tell. The structures of PAGEMAP_SCAN are given here because older
// systems' headers lack them; they are part of the kernel's stable interface.
#include "upwash/conduit/shm/detail/pages.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>

namespace upwash::conduit::shm_detail {
namespace {

struct page_region {
  std::uint64_t start, end, categories;
};

struct scan_request {
  std::uint64_t size, flags, start, end, walk_end, regions, region_count, most_pages;
  std::uint64_t inverted, mask, any_of, returned;
};

constexpr unsigned long scan_command = _IOWR('f', 16, scan_request);
constexpr std::uint64_t category_huge = std::uint64_t{1} << 6U;

struct range {
  std::uint64_t begin, end;

  [[nodiscard]] std::uint64_t common(std::uint64_t other_begin, std::uint64_t other_end) const {
    const std::uint64_t low = std::max(begin, other_begin);
    const std::uint64_t high = std::min(end, other_end);
    return high > low ? high - low : 0;
  }
};

std::optional<std::uint64_t> scanned(range wanted) {
  const int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::array<page_region, 64> regions{};
  scan_request request{};
  request.size = sizeof request;
  request.start = wanted.begin / page * page;
  request.end = (wanted.end + page - 1) / page * page;
  request.regions = reinterpret_cast<std::uintptr_t>(regions.data());
  request.region_count = regions.size();
  request.mask = category_huge;
  request.returned = category_huge;
  const int found = ioctl(fd, scan_command, &request);
  close(fd);
  if (found < 0) return std::nullopt;
  std::uint64_t huge = 0;
  for (int i = 0; i < found; ++i) {
    huge += wanted.common(regions[static_cast<std::size_t>(i)].start,
                          regions[static_cast<std::size_t>(i)].end);
  }
  return huge;
}

/// Bytes of the range in mappings whose memory is mostly huge.
std::uint64_t listed(range wanted) {
  std::FILE* file = std::fopen("/proc/self/smaps", "re");
  if (file == nullptr) return 0;
  std::array<char, 512> text{};
  std::uint64_t total = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t resident = 0;
  while (std::fgets(text.data(), static_cast<int>(text.size()), file) != nullptr) {
    unsigned long low = 0;
    unsigned long high = 0;
    unsigned long kib = 0;
    if (std::sscanf(text.data(), "%lx-%lx ", &low, &high) == 2) {
      begin = low;
      end = high;
    } else if (std::sscanf(text.data(), "Rss: %lu", &kib) == 1) {
      resident = kib;
    } else if (std::sscanf(text.data(), "AnonHugePages: %lu", &kib) == 1 && resident != 0 &&
               kib * 4 >= resident * 3) {
      total += wanted.common(begin, end);
    }
  }
  std::fclose(file);
  return total;
}

}  // namespace

bool mostly_huge(std::span<const std::byte> span) {
  if (span.empty()) return false;
  const auto begin = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(span.data()));
  const range wanted{begin, begin + span.size()};
  const auto told = scanned(wanted);
  const std::uint64_t huge = told ? *told : listed(wanted);
  return huge != 0 && huge >= span.size() / 4 * 3;
}

bool page_memory::mostly_huge(std::span<const std::byte> span) {
  for (answer& known : answers_) {
    if (known.at != span.data() || known.bytes != span.size()) continue;
    if (++known.uses % most_uses == 0) known.huge = shm_detail::mostly_huge(span);
    return known.huge;
  }
  answer& fresh = answers_[oldest_++ % answers_.size()];
  fresh = {span.data(), span.size(), 0, shm_detail::mostly_huge(span)};
  return fresh.huge;
}

}  // namespace upwash::conduit::shm_detail
