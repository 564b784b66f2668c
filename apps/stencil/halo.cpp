// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/stencil/halo.hpp"

#include <numeric>

#include "upwash/upwash.hpp"

namespace stencil {
namespace {

int rank_at(const upwash::grid& on, int rank, const direction& way) {
  for (int i = 0; i < 3; ++i) rank = on.shifted(rank, i, way[static_cast<std::size_t>(i)]);
  return rank;
}

/// The ranks that blocks go to, by direction; or those that they come from: source i sends in the
/// direction in which block i goes, so edges between the same two ranks are named alike at both.
std::vector<int> peers_of(const upwash::job& here, const halo_shape& shape, bool sources) {
  std::vector<int> all;
  for (const direction& way : shape.ways) {
    all.push_back(rank_at(shape.on, here.rank(), sources ? opposite(way) : way));
  }
  return all;
}

/// Blocks of different lengths, one behind the other.
class blocks {
 public:
  explicit blocks(std::span<const std::size_t> counts) : begins_(counts.size() + 1) {
    std::partial_sum(counts.begin(), counts.end(), begins_.begin() + 1);
    data_.resize(begins_.back());
  }
  [[nodiscard]] std::span<double> of(std::size_t way) {
    return std::span(data_).subspan(begins_[way], begins_[way + 1] - begins_[way]);
  }

 private:
  std::vector<std::size_t> begins_;
  std::vector<double> data_;
};

class by_neighbors final : public halo {
 public:
  by_neighbors(upwash::job& here, const halo_shape& shape, std::string_view scheme)
      : out_(shape.counts), in_(shape.counts), kept_(prepared(here, shape, scheme)) {}

  std::span<double> outgoing(std::size_t way) override { return out_.of(way); }
  void exchange() override { kept_.run(); }
  std::span<const double> incoming(std::size_t way) override { return in_.of(way); }

 private:
  upwash::collective::persistent prepared(upwash::job& here, const halo_shape& shape,
                                          std::string_view scheme) {
    std::vector<std::span<const std::byte>> sent;
    std::vector<std::span<std::byte>> received;
    for (std::size_t way = 0; way < shape.ways.size(); ++way) {
      sent.push_back(std::as_bytes(out_.of(way)));
      received.push_back(std::as_writable_bytes(in_.of(way)));
    }
    const std::vector<int> sources = peers_of(here, shape, true);
    const std::vector<int> destinations = peers_of(here, shape, false);
    const upwash::neighborhood near(here.world(), {sources, destinations}, shape.on);
    return upwash::neighbor_all_to_all_w(near, upwash::persist, sent, received, {.scheme = scheme});
  }

  blocks out_;
  blocks in_;
  upwash::collective::persistent kept_;
};

/// Each block into the neighbour's memory, and a signal behind it. A neighbour may be one exchange
/// ahead, so there are two places for what comes, each with a word that counts.
class by_puts final : public halo {
 public:
  by_puts(upwash::job& here, const halo_shape& shape)
      : here_(here),
        destinations_(peers_of(here, shape, false)),
        counts_(shape.counts),
        begins_(shape.counts.size()),
        out_(shape.counts) {
    // Boxes differ by a cell; what comes lies at the same place at all ranks.
    std::vector<std::size_t> most(counts_.size());
    upwash::all_reduce<upwash::most>(here.world(), upwash::blocking, counts_, most);
    std::exclusive_scan(most.begin(), most.end(), begins_.begin(), std::size_t{0});
    half_ = begins_.back() + most.back();
    area_ = upwash::allocate(here.world(), (words + 2 * half_) * sizeof(double));
  }

  std::span<double> outgoing(std::size_t way) override { return out_.of(way); }
  void exchange() override {
    const std::size_t turn = ++exchanges_ % 2;
    std::vector<upwash::request> going;
    for (std::size_t way = 0; way < destinations_.size(); ++way) {
      const int to = destinations_[way];
      going.push_back(upwash::put_signal(here_, area_.at<double>(to, place_of(turn, way)),
                                         out_.of(way), {area_.at<std::uint64_t>(to, turn), 1}));
    }
    const std::uint64_t uses = (exchanges_ + turn) / 2;  // of this place
    upwash::wait_until(here_, area_.mine_as<std::uint64_t>()[turn],
                       upwash::comparison::greater_equal, uses * destinations_.size());
    upwash::wait_all(going);
  }
  std::span<const double> incoming(std::size_t way) override {
    return area_.mine_as<double>().subspan(place_of(exchanges_ % 2, way), counts_[way]);
  }
  void release() override { upwash::free(area_); }

 private:
  static constexpr std::size_t words = 2;  ///< of signals, before the blocks
  [[nodiscard]] std::size_t place_of(std::size_t turn, std::size_t way) const {
    return words + turn * half_ + begins_[way];
  }

  upwash::job& here_;
  std::vector<int> destinations_;
  std::vector<std::size_t> counts_;
  std::vector<std::size_t> begins_;
  blocks out_;
  std::size_t half_ = 0;
  upwash::region area_;
  std::uint64_t exchanges_ = 0;
};

class by_messages final : public halo {
 public:
  by_messages(upwash::job& here, const halo_shape& shape)
      : world_(here.world()),
        sources_(peers_of(here, shape, true)),
        destinations_(peers_of(here, shape, false)),
        out_(shape.counts),
        in_(shape.counts) {}

  std::span<double> outgoing(std::size_t way) override { return out_.of(way); }
  void exchange() override {
    std::vector<upwash::matching::receiving> coming;
    std::vector<upwash::request> going;
    for (std::size_t way = 0; way < sources_.size(); ++way) {
      coming.push_back(upwash::receive(world_, sources_[way], static_cast<int>(way), in_.of(way)));
    }
    for (std::size_t way = 0; way < destinations_.size(); ++way) {
      going.push_back(
          upwash::send(world_, destinations_[way], static_cast<int>(way), out_.of(way)));
    }
    for (auto& each : coming) each.wait();
    upwash::wait_all(going);
  }
  std::span<const double> incoming(std::size_t way) override { return in_.of(way); }

 private:
  upwash::team world_;
  std::vector<int> sources_;
  std::vector<int> destinations_;
  blocks out_;
  blocks in_;
};

}  // namespace

std::unique_ptr<halo> make_halo(upwash::job& here, const halo_shape& shape, std::string_view by) {
  if (by == puts) return std::make_unique<by_puts>(here, shape);
  if (by == messages) return std::make_unique<by_messages>(here, shape);
  return std::make_unique<by_neighbors>(here, shape, by);
}

}  // namespace stencil
