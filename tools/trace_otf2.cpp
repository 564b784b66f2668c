// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/trace_otf2.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"

#ifdef UPWASH_HAS_OTF2

#include <otf2/otf2.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tools/trace_choices.hpp"
#include "tools/trace_messages.hpp"

namespace upwash::tools {
namespace {

using observe::trace_event;
using observe::trace_kind;
using observe::traced_rank;

[[noreturn]] void refuse(const std::string& folder, const std::string& why) {
  throw error(error_kind::environment, fmt::format("cannot write {}: {}", folder, why));
}

/// Instead of what OTF2 would print itself: `first` keeps the first error that it meets, which is
/// the cause of the others.
OTF2_ErrorCode keep_first(void* first, const char* /*file*/, std::uint64_t /*line*/,
                          const char* /*function*/, OTF2_ErrorCode code, const char* /*format*/,
                          va_list /*more*/) {
  OTF2_ErrorCode& kept = *static_cast<OTF2_ErrorCode*>(first);
  if (kept == OTF2_SUCCESS) kept = code;
  return code;
}

std::uint64_t time_of(std::int64_t ps) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, ps));
}
std::int64_t end_of(const trace_event& e) {
  return e.begin_ps + static_cast<std::int64_t>(e.length_ps);
}

/// One thing at one location, in the order of its times.
struct record {
  enum class what : std::uint8_t { enter, leave, send, receive };
  std::uint64_t at = 0;
  what is = what::enter;
  std::uint32_t region = 0;  ///< of enter and leave
  std::uint32_t peer = 0;    ///< of messages, as their lane
  std::uint32_t lane = 0;
  std::uint64_t bytes = 0;
};

/// A name once.
class string_table {
 public:
  std::uint32_t number(const std::string& text) {
    const auto [at, made] = numbers_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (made) texts_.push_back(text);
    return at->second;
  }
  [[nodiscard]] const std::vector<std::string>& texts() const noexcept { return texts_; }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> texts_;
};

/// Enters and leaves of events of one location, by begin, those around others first: what would end
/// behind what it is in ends with it.
void nest(const std::vector<std::pair<const trace_event*, std::uint32_t>>& events,
          std::vector<record>& made) {
  std::vector<std::pair<std::int64_t, std::uint32_t>> open;  // end, region
  const auto leave_until = [&](std::int64_t at) {
    while (!open.empty() && open.back().first <= at) {
      made.push_back({time_of(open.back().first), record::what::leave, open.back().second});
      open.pop_back();
    }
  };
  for (const auto& [e, region] : events) {
    leave_until(e->begin_ps);
    const std::int64_t end = open.empty() ? end_of(*e) : std::min(end_of(*e), open.back().first);
    made.push_back({time_of(e->begin_ps), record::what::enter, region});
    open.emplace_back(end, region);
  }
  leave_until(INT64_MAX);
}

/// Of one rank: the first location has what it did and its messages, the others its collectives.
struct rank_locations {
  const traced_rank* of = nullptr;
  std::vector<std::vector<record>> records;
};

rank_locations locations_of(const traced_rank& rank, string_table& regions) {
  std::vector<const trace_event*> sorted;
  for (const trace_event& e : rank.events) {
    if (e.kind != trace_kind::queues) sorted.push_back(&e);
  }
  std::ranges::stable_sort(sorted, [](const trace_event* a, const trace_event* b) {
    return a->begin_ps != b->begin_ps ? a->begin_ps < b->begin_ps : end_of(*a) > end_of(*b);
  });
  std::vector<std::vector<std::pair<const trace_event*, std::uint32_t>>> rows(1);
  for (const trace_event* e : sorted) {
    std::size_t row = 0;
    if (e->kind == trace_kind::collective) {
      for (row = 1; row < rows.size() && end_of(*rows[row].back().first) > e->begin_ps;) ++row;
      if (row == rows.size()) rows.emplace_back();
    }
    rows[row].emplace_back(
        e, regions.number(fmt::format("{}: {}", to_string(e->kind), event_name(rank, *e))));
  }
  rank_locations made{&rank, std::vector<std::vector<record>>(rows.size())};
  for (std::size_t row = 0; row < rows.size(); ++row) nest(rows[row], made.records[row]);
  return made;
}

/// Both ends of messages, behind what their ranks enter at that time.
void add_messages(const observe::trace& from, std::vector<rank_locations>& ranks) {
  std::unordered_map<const traced_rank*, std::size_t> rows;
  for (std::size_t i = 0; i < ranks.size(); ++i) rows[ranks[i].of] = i;
  for_each_message(from, [&](const traced_message& m) {
    if (m.arrived == nullptr) return;
    const trace_event& e = *m.sent;
    const auto end = [&](const traced_rank* at, const traced_rank* peer, record::what is,
                         std::int64_t ps) {
      ranks[rows[at]].records[0].push_back(
          {time_of(ps), is, 0, static_cast<std::uint32_t>(rows[peer]), e.lane, e.bytes});
    };
    end(m.source, m.destination, record::what::send, e.begin_ps);
    end(m.destination, m.source, record::what::receive, m.arrived->begin_ps);
  });
  for (rank_locations& each : ranks) {
    std::ranges::stable_sort(each.records[0], {}, &record::at);
  }
}

class archive {
 public:
  explicit archive(const std::string& folder) : folder_(folder) {
    OTF2_Error_RegisterCallback(&keep_first, &first_error_);
    constexpr std::uint64_t event_chunk = 1 << 20;
    constexpr std::uint64_t definition_chunk = 4 << 20;
    archive_.reset(OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, event_chunk,
                                     definition_chunk, OTF2_SUBSTRATE_POSIX,
                                     OTF2_COMPRESSION_NONE));
    if (!archive_) check(OTF2_ERROR_FILE_CAN_NOT_OPEN);
    check(OTF2_Archive_SetFlushCallbacks(get(), &flushing, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(get()));
  }

  void write(const std::vector<rank_locations>& ranks, const string_table& regions) {
    write_events(ranks);
    write_definitions(ranks, regions);
    check(OTF2_Archive_Close(archive_.release()));
  }

 private:
  static OTF2_FlushType before_flush(void* /*data*/, OTF2_FileType /*type*/,
                                     OTF2_LocationRef /*location*/, void* /*caller*/,
                                     bool /*final*/) {
    return OTF2_FLUSH;
  }
  static constexpr OTF2_FlushCallbacks flushing = {&before_flush, nullptr};
  struct closer {
    void operator()(OTF2_Archive* of) const noexcept { OTF2_Archive_Close(of); }
  };

  [[nodiscard]] OTF2_Archive* get() const noexcept { return archive_.get(); }

  void write_events(const std::vector<rank_locations>& ranks) {
    check(OTF2_Archive_OpenEvtFiles(get()));
    OTF2_LocationRef location = 0;
    for (const rank_locations& rank : ranks) {
      for (const std::vector<record>& records : rank.records) {
        OTF2_EvtWriter* const to = OTF2_Archive_GetEvtWriter(get(), location++);
        for (const record& each : records) check(write_one(to, each));
        check(OTF2_Archive_CloseEvtWriter(get(), to));
      }
    }
    check(OTF2_Archive_CloseEvtFiles(get()));
    check(OTF2_Archive_OpenDefFiles(get()));
    for (OTF2_LocationRef each = 0; each < location; ++each) {
      check(OTF2_Archive_CloseDefWriter(get(), OTF2_Archive_GetDefWriter(get(), each)));
    }
    check(OTF2_Archive_CloseDefFiles(get()));
  }

  static OTF2_ErrorCode write_one(OTF2_EvtWriter* to, const record& what) {
    switch (what.is) {
      case record::what::enter: return OTF2_EvtWriter_Enter(to, nullptr, what.at, what.region);
      case record::what::leave: return OTF2_EvtWriter_Leave(to, nullptr, what.at, what.region);
      case record::what::send:
        return OTF2_EvtWriter_MpiSend(to, nullptr, what.at, what.peer, 0, what.lane, what.bytes);
      case record::what::receive:
        return OTF2_EvtWriter_MpiRecv(to, nullptr, what.at, what.peer, 0, what.lane, what.bytes);
    }
    return OTF2_SUCCESS;
  }

  std::uint32_t text(const std::string& what) {
    const std::uint32_t before = static_cast<std::uint32_t>(strings_.texts().size());
    const std::uint32_t number = strings_.number(what);
    if (number == before) check(OTF2_GlobalDefWriter_WriteString(defs_, number, what.c_str()));
    return number;
  }

  void write_definitions(const std::vector<rank_locations>& ranks, const string_table& regions) {
    defs_ = OTF2_Archive_GetGlobalDefWriter(get());
    constexpr std::uint64_t ticks_a_second = 1'000'000'000'000;
    std::uint64_t last = 0;
    for (const rank_locations& rank : ranks) {
      for (const auto& records : rank.records) {
        if (!records.empty()) last = std::max(last, records.back().at);
      }
    }
    check(OTF2_GlobalDefWriter_WriteClockProperties(defs_, ticks_a_second, 0, last + 1,
                                                    OTF2_UNDEFINED_TIMESTAMP));
    const std::uint32_t nothing = text("");
    for (std::uint32_t i = 0; i < regions.texts().size(); ++i) {
      const std::uint32_t name = text(regions.texts()[i]);
      check(OTF2_GlobalDefWriter_WriteRegion(defs_, i, name, name, nothing,
                                             OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI,
                                             OTF2_REGION_FLAG_NONE, nothing, 0, 0));
    }
    write_places(ranks);
  }

  void write_places(const std::vector<rank_locations>& ranks) {
    const std::uint32_t node_class = text("node");
    std::unordered_map<int, std::uint32_t> nodes;
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(defs_, 0, text("job"), text("machine"),
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    OTF2_LocationRef location = 0;
    std::vector<std::uint64_t> firsts;
    for (std::uint32_t i = 0; i < ranks.size(); ++i) {
      const auto& head = ranks[i].of->head;
      const auto [node, made] =
          nodes.try_emplace(head.node, static_cast<std::uint32_t>(nodes.size()) + 1);
      if (made) {
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(
            defs_, node->second, text(fmt::format("node {}", head.node)), node_class, 0));
      }
      const std::string name = fmt::format("rank {}", head.rank);
      check(OTF2_GlobalDefWriter_WriteLocationGroup(defs_, i, text(name),
                                                    OTF2_LOCATION_GROUP_TYPE_PROCESS, node->second,
                                                    OTF2_UNDEFINED_LOCATION_GROUP));
      firsts.push_back(location);
      for (std::size_t row = 0; row < ranks[i].records.size(); ++row) {
        check(OTF2_GlobalDefWriter_WriteLocation(
            defs_, location++, text(row == 0 ? name : name + ": collectives"),
            OTF2_LOCATION_TYPE_CPU_THREAD, ranks[i].records[row].size(), i));
      }
    }
    write_team(firsts);
  }

  /// The world: members by the numbers of their location groups.
  void write_team(const std::vector<std::uint64_t>& firsts) {
    std::vector<std::uint64_t> members(firsts.size());
    for (std::size_t i = 0; i < members.size(); ++i) members[i] = i;
    const auto count = static_cast<std::uint32_t>(firsts.size());
    check(OTF2_GlobalDefWriter_WriteGroup(defs_, 0, text("ranks"), OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count,
                                          firsts.data()));
    check(OTF2_GlobalDefWriter_WriteGroup(defs_, 1, text("the world"), OTF2_GROUP_TYPE_COMM_GROUP,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count,
                                          members.data()));
    check(OTF2_GlobalDefWriter_WriteComm(defs_, 0, text("the world"), 1, OTF2_UNDEFINED_COMM,
                                         OTF2_COMM_FLAG_NONE));
  }

  void check(OTF2_ErrorCode code) const {
    if (code == OTF2_SUCCESS) return;
    refuse(folder_, OTF2_Error_GetDescription(first_error_ != OTF2_SUCCESS ? first_error_ : code));
  }

  std::string folder_;
  OTF2_ErrorCode first_error_ = OTF2_SUCCESS;
  std::unique_ptr<OTF2_Archive, closer> archive_;
  OTF2_GlobalDefWriter* defs_ = nullptr;  // the archive's
  string_table strings_;
};

/// Whether all that was written can be read: OTF2 closes its files without looking whether what
/// was left in their buffers found room on the disk.
bool is_whole(const std::string& folder, const std::vector<rank_locations>& ranks) {
  const std::unique_ptr<OTF2_Reader, decltype([](OTF2_Reader* of) { OTF2_Reader_Close(of); })> in(
      OTF2_Reader_Open((folder + "/traces.otf2").c_str()));
  if (!in) return false;
  OTF2_Reader* const from = in.get();
  OTF2_Reader_SetSerialCollectiveCallbacks(from);
  std::uint64_t wanted = 0;
  std::uint64_t read = 0;
  OTF2_Reader_GetNumberOfGlobalDefinitions(from, &wanted);
  OTF2_Reader_ReadAllGlobalDefinitions(from, OTF2_Reader_GetGlobalDefReader(from), &read);
  if (wanted == 0 || read != wanted) return false;
  OTF2_LocationRef locations = 0;
  for (const rank_locations& rank : ranks) locations += rank.records.size();
  for (OTF2_LocationRef each = 0; each < locations; ++each) OTF2_Reader_SelectLocation(from, each);
  if (OTF2_Reader_OpenEvtFiles(from) != OTF2_SUCCESS) return false;
  OTF2_LocationRef location = 0;
  for (const rank_locations& rank : ranks) {
    for (const std::vector<record>& records : rank.records) {
      OTF2_EvtReader* const events = OTF2_Reader_GetEvtReader(from, location++);
      if (events == nullptr) return false;
      OTF2_Reader_ReadAllLocalEvents(from, events, &read);
      OTF2_Reader_CloseEvtReader(from, events);
      if (read != records.size()) return false;
    }
  }
  return true;
}

}  // namespace

void write_otf2(const observe::trace& from, const std::string& folder) {
  // OTF2 notices it too late: what is there would be damaged.
  std::error_code unknown;
  if (std::filesystem::exists(std::filesystem::symlink_status(folder, unknown))) {
    refuse(folder, "it is there already; give a folder that is not there yet");
  }
  if (unknown && unknown != std::errc::no_such_file_or_directory) refuse(folder, unknown.message());
  string_table regions;
  std::vector<rank_locations> ranks;
  ranks.reserve(from.ranks.size());
  for (const traced_rank& rank : from.ranks) ranks.push_back(locations_of(rank, regions));
  add_messages(from, ranks);
  try {
    archive to(folder);
    to.write(ranks, regions);
    if (!is_whole(folder, ranks))
      refuse(folder, "what was written cannot be read back; is its disk full?");
  } catch (...) {
    std::filesystem::remove_all(folder, unknown);  // a part of an archive is none
    throw;
  }
}

}  // namespace upwash::tools

#else

namespace upwash::tools {

void write_otf2(const observe::trace& /*from*/, const std::string& folder) {
  throw error(error_kind::environment,
              fmt::format("cannot write {}: this upwash was built without OTF2; install "
                          "libotf2-trace-dev, configure and build again",
                          folder));
}

}  // namespace upwash::tools

#endif
