// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the members save an array and load it together.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/base/output_file.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/job.hpp"
#include "upwash/objects/detail/array_tables.hpp"
#include "upwash/objects/detail/checkpoint_header.hpp"
#include "upwash/objects/detail/together.hpp"

namespace upwash::objects {

class checkpoint_round {
 public:
  checkpoint_round(array_core& of, const std::string& path, const checkpoint_options& options)
      : of_(of), among_(of.among_), path_(link_target(path)), options_(options) {}

  checkpoint_result save(call_site site) {
    of_.quiet(site);
    require(together([&] {
      check_type();
      if (among_.rank() == 0) look_at_old();
    }));
    control::broadcast_value(among_, 0, header_.number);
    ++header_.number;
    header_.index_bytes = of_.indices_.index_bytes();
    header_.type = options_.type;
    header_.files.resize(static_cast<std::size_t>(among_.size()));
    const std::string mine = header_.file_of(path_, me());
    file_sum written;
    std::optional<error> failed = together([&] { written = write_mine(mine); });
    if (!failed) {
      control::all_gather_values(among_, written, std::span(header_.files));
      failed = together([&] {
        if (among_.rank() == 0) write_header(header_, path_);
      });
    }
    // Only what all know to have failed: else the header may be there already.
    if (failed) unlink(mine.c_str());
    require(failed);
    require(together([&] {
      if (among_.rank() == 0) sync_folder_of(path_);
    }));
    if (among_.rank() == 0) remove_others(header_, path_);
    control::barrier(among_);  // nothing of the older is there when anyone goes on
    return result();
  }

  /// `places`: the k-th object goes to the k-th of these, whose number is its index; empty: each
  /// keeps its index.
  checkpoint_result load(std::span<const int> places, call_site site) {
    places_ = places;
    std::vector<std::byte> text;
    require(together([&] {
      check_fresh();
      check_type();
      if (among_.rank() == 0) {
        text = read_header(path_);
        header_ = header_of(text, path_);
        check(header_);
        if (!places_.empty()) check_places();
      }
    }));
    std::uint64_t bytes = text.size();
    control::broadcast_value(among_, 0, bytes);
    text.resize(bytes);
    control::broadcast(among_, 0, text);
    header_ = header_of(text, path_);
    require(together([&] { each_of_mine([&](std::uint64_t member) { verify(member); }); }));
    std::vector<restored> all;
    require(together([&] { each_of_mine([&](std::uint64_t member) { read(member, all); }); }));
    for (restored& each : all) bring(std::move(each));
    of_.quiet(site);
    const std::uint64_t came = objects_of_all();
    require(together([&] { check_all_came(came); }));
    return result();
  }

 private:
  struct restored {
    std::unique_ptr<element> made;
    int to;  ///< member
  };

  static void require(const std::optional<error>& failed) {
    if (failed) throw error(*failed);
  }

  [[nodiscard]] std::optional<error> together(function_ref<void()> act) const {
    return objects::together(among_, of_.label_, act);
  }

  [[nodiscard]] std::uint64_t me() const { return static_cast<std::uint64_t>(among_.rank()); }
  [[nodiscard]] std::uint64_t members() const { return static_cast<std::uint64_t>(among_.size()); }

  [[nodiscard]] checkpoint_result result() const {
    const file_sum all = header_.total();
    return {all.objects, all.bytes};
  }

  void check_type() const {
    constexpr std::size_t most = 1024;
    if (options_.type.size() <= most) return;
    throw error(error_kind::argument,
                fmt::format("the checkpoint {} is of a type whose name has {} bytes; at most {} "
                            "are allowed",
                            path_, options_.type.size(), most));
  }

  /// The number of the checkpoint that is there goes into the header.
  void look_at_old() {
    if (access(path_.c_str(), F_OK) != 0) return;
    try {
      header_.number = header_of(read_header(path_), path_).number;
    } catch (const error& failure) {
      throw error(failure.kind(), fmt::format("{}; remove it, or save elsewhere", failure.what()));
    }
  }

  file_sum write_mine(const std::string& to) const {
    file_out file(to);
    file_sum sum;
    std::vector<std::byte> state;
    for (element* const one : of_.in_order()) {
      if (of_.reductions_.owes(*one)) {
        throw error(error_kind::argument,
                    fmt::format("{}the checkpoint {} is saved in the middle of a reduction that "
                                "the object, or another, has yet to contribute to",
                                of_.naming(one->key), path_));
      }
      state.clear();
      one->write_state(state);
      const std::uint64_t bytes = state.size();
      file.write(std::as_bytes(std::span(one->key.words)).first(header_.index_bytes));
      file.write(std::as_bytes(std::span(&bytes, 1)));
      file.write(state);
      ++sum.objects;
    }
    file.finish();
    sync_folder_of(to);
    sum.bytes = file.bytes();
    sum.crc = file.crc();
    return sum;
  }

  void check_fresh() const {
    if (of_.in_->here.empty() && of_.in_->homes.empty()) return;
    throw error(error_kind::argument,
                fmt::format("the checkpoint {} is loaded, but the array has, or had, objects: load "
                            "it into a new one",
                            path_));
  }

  void check(const checkpoint_header& found) const {
    const auto complain = [&](const std::string& what) {
      throw error(error_kind::configuration, fmt::format("the checkpoint {} {}", path_, what));
    };
    if (found.type != options_.type) {
      complain(fmt::format("is of type \"{}\", but \"{}\" is loaded", found.type, options_.type));
    }
    const std::size_t wanted = of_.indices_.index_bytes();
    if (found.index_bytes != wanted) {
      complain(fmt::format("has indices of {} bytes; those of this array have {}",
                           found.index_bytes, wanted));
    }
  }

  /// A group's objects stay, so each is in the file of its place.
  void check_places() const {
    const auto saved = static_cast<std::size_t>(std::ranges::count_if(
        header_.files, [](const file_sum& each) { return each.objects != 0; }));
    const bool one_each =
        std::ranges::all_of(header_.files, [](const file_sum& each) { return each.objects <= 1; });
    if (one_each && saved == places_.size()) return;
    throw error(
        error_kind::configuration,
        one_each ? fmt::format("the checkpoint {} has a group of {} objects, but this one "
                               "has {} places, one of each object: load it on as many",
                               path_, saved, places_.size())
                 : fmt::format("the checkpoint {} has objects of an array, not of a group", path_));
  }
  [[nodiscard]] int place_of_file(std::uint64_t member) const {
    std::size_t before = 0;
    for (std::uint64_t file = 0; file < member; ++file) before += header_.files[file].objects;
    return places_[before];
  }

  void each_of_mine(function_ref<void(std::uint64_t)> act) const {
    for (std::uint64_t file = me(); file < header_.files.size(); file += members()) act(file);
  }

  void verify(std::uint64_t member) const {
    const std::string path = header_.file_of(path_, member);
    const file_sum& wanted = header_.files[member];
    file_in file(path);
    const auto complain = [&](const std::string& what) {
      throw error(error_kind::configuration,
                  fmt::format("the checkpoint's file {} is damaged: {}", path, what));
    };
    if (file.bytes() != wanted.bytes) {
      complain(fmt::format("it has {} bytes, not {}", file.bytes(), wanted.bytes));
    }
    if (file.crc() != wanted.crc) complain("its check sum is another");
  }

  void read(std::uint64_t member, std::vector<restored>& all) const {
    file_in file(header_.file_of(path_, member));
    std::vector<std::byte> state;
    for (std::uint64_t n = 0; n < header_.files[member].objects; ++n) {
      object_key key;
      file.read(std::as_writable_bytes(std::span(key.words)).first(header_.index_bytes));
      std::uint64_t bytes = 0;
      file.read(std::as_writable_bytes(std::span(&bytes, 1)));
      if (bytes > file.left()) {
        throw error(error_kind::configuration,
                    fmt::format("{}in the checkpoint {} its state has {} bytes, but {} are left",
                                of_.naming(key), path_, bytes, file.left()));
      }
      state.resize(bytes);
      file.read(state);
      if (!places_.empty()) key = object_key::of(place_of_file(member));
      const bool stays = places_.empty() && options_.to_old_members && member < members();
      all.push_back({made(key, state), stays ? static_cast<int>(member) : of_.home_of(key)});
    }
  }

  [[nodiscard]] std::unique_ptr<element> made(const object_key& key,
                                              std::span<const std::byte> state) const {
    try {
      return of_.indices_.make(of_, key, state);
    } catch (const std::exception& failure) {
      throw error(error_kind::configuration,
                  fmt::format("{}the checkpoint {} has another state: {}", of_.naming(key), path_,
                              failure.what()));
    }
  }

  /// It arrives as one that has migrated, for the first time. Numbers of calls begin anew: where an
  /// array is quiet both ends have the same.
  void bring(restored one) {
    travelling beside;
    beside.id = of_.next_id();
    beside.broadcasts = of_.broadcasts_.forgotten();
    of_.created();
    of_.beside_methods([&] {
      if (one.to == among_.rank()) {
        return of_.object_arrived(std::move(one.made), std::move(beside));
      }
      static_cast<void>(one.made->send_state(among_.world_rank(one.to), beside));
    });
  }

  [[nodiscard]] std::uint64_t objects_of_all() const {
    std::uint64_t here = of_.size_here();
    control::all_reduce(among_, std::span(&here, 1), control::fold::sum);
    return here;
  }

  void check_all_came(std::uint64_t came) const {
    if (came == header_.total().objects) return;
    throw error(error_kind::fault,
                fmt::format("the checkpoint {} has {} objects, but after loading there are {}: "
                            "others inserted, removed or repeated some",
                            path_, header_.total().objects, came));
  }

  array_core& of_;
  const team& among_;
  const std::string path_;  ///< a symbolic link stays one: its target is the checkpoint
  const checkpoint_options& options_;
  std::span<const int> places_;
  checkpoint_header header_;
};

checkpoint_result array_core::save(const std::string& path, const checkpoint_options& options,
                                   call_site site) {
  return checkpoint_round(*this, path, options).save(site);
}

checkpoint_result array_core::load(const std::string& path, const checkpoint_options& options,
                                   std::span<const int> places, call_site site) {
  return checkpoint_round(*this, path, options).load(places, site);
}

}  // namespace upwash::objects
