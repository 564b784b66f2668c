// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writes the events of one rank into its part of a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/base/call_site.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/observe/trace_format.hpp"

namespace upwash::observe {

/// The rank that writes, and its surroundings.
struct trace_owner {
  int rank = 0;
  int ranks = 1;
  int node = 0;
  int process = 0;
  bool virtual_time = false;
  duration zero{};  ///< zero of the events' clock, on the steady clock
  std::string_view conduit{};
};

/// Writes the events of a rank. Events go into mapped pages of the file, so they persist even if
/// the rank is killed. No system calls except one for each chunk of the file. Memory: the head and
/// one chunk. Disk: at most `most_bytes`, taken as needed. One thread at a time.
class trace_writer {
 public:
  /// Makes the file. `chunk_bytes`: bytes of the file that are mapped at a time. Throws `error`
  /// (environment) if the file cannot be made.
  trace_writer(std::string path, const trace_owner& owner, std::size_t most_bytes,
               std::size_t chunk_bytes);
  ~trace_writer();
  trace_writer(const trace_writer&) = delete;
  trace_writer& operator=(const trace_writer&) = delete;

  /// Returns the location of the next event, to be filled at once. Returns the last event's
  /// location while the disk is full.
  [[nodiscard]] trace_event& next() noexcept {
    if (next_ == end_) [[unlikely]]
      turn_over();
    head_->written += counts_;
    return *next_++;
  }
  /// Returns the number of a name: the activity, more about it, and the call site. The texts are
  /// literals, or live as long as this object. Names are found by address: a look-up without a
  /// comparison of texts.
  [[nodiscard]] std::uint32_t name(const char* what, const char* more, const call_site& at);
  /// Returns the number of a name for an activity that has a number and no text. `text` is called
  /// once.
  template <class Text>
  [[nodiscard]] std::uint32_t name_of_number(std::uint64_t number, const Text& text) {
    known_name& place = find(reinterpret_cast<const char*>(number), nullptr, nullptr, 0);
    if (place.id == unknown) place.id = add_name(text());
    return place.id;
  }
  /// Returns the number of a name of one event only, cut to `most_long_text` bytes. These names may
  /// use half of the room for names; beyond that the result is 0.
  static constexpr std::size_t most_long_text = 4096;
  [[nodiscard]] std::uint32_t long_text(std::string_view text);

  /// Notes that the rank leaves its job in good order. Events may follow.
  void close() noexcept;

 private:
  static constexpr std::uint32_t unknown = ~std::uint32_t{0};
  struct known_name {
    const char* what = nullptr;
    const char* more = nullptr;
    const char* file = nullptr;
    std::uint32_t line = 0;
    std::uint32_t id = unknown;
  };

  void turn_over() noexcept;
  void count_refused() noexcept;
  [[nodiscard]] bool map_chunk(std::uint64_t which) noexcept;
  [[nodiscard]] known_name& find(const char* what, const char* more, const char* file,
                                 std::uint32_t line);
  [[nodiscard]] std::uint32_t add_name(std::string_view text);
  void grow_names();

  std::string path_;
  std::size_t chunk_events_;
  std::uint64_t chunks_;          ///< maximum
  std::uint64_t chunk_ = 0;       ///< chunks begun
  trace_head* head_ = nullptr;    ///< followed by the names
  trace_event* first_ = nullptr;  ///< of the mapped chunk
  trace_event* next_ = nullptr;
  trace_event* end_ = nullptr;
  std::uint64_t counts_ = 1;  ///< 0: the disk is full
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::vector<trace_event> lost_;     ///< receives events that have no space
  trace_event* lost_from_ = nullptr;  ///< the events before it are counted
  std::vector<known_name> known_;     ///< open addressing; a power of two
  std::size_t known_count_ = 0;
  std::size_t long_texts_left_ = trace_head::name_room / 2;
};

}  // namespace upwash::observe
