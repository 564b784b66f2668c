// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interop/mpi/detail/element_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "upwash/base/error.hpp"

namespace upwash::mpi {
namespace {

/// The arguments of a type's constructor.
class constructor_call {
 public:
  explicit constructor_call(MPI_Datatype type) {
    int integers = 0;
    int addresses = 0;
    int types = 0;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner_);
    if (combiner_ == MPI_COMBINER_NAMED) return;
    integers_.resize(static_cast<std::size_t>(integers) + 1);
    addresses_.resize(static_cast<std::size_t>(addresses) + 1);
    types_.resize(static_cast<std::size_t>(types));
    PMPI_Type_get_contents(type, integers, addresses, types, integers_.data(), addresses_.data(),
                           types_.data());
    for (MPI_Datatype& each : types_) {
      if (is_derived(each)) PMPI_Type_commit(&each);
    }
  }
  ~constructor_call() {
    for (MPI_Datatype& each : types_) {
      if (is_derived(each)) PMPI_Type_free(&each);
    }
  }
  constructor_call(const constructor_call&) = delete;
  constructor_call& operator=(const constructor_call&) = delete;

  [[nodiscard]] int combiner() const noexcept { return combiner_; }
  [[nodiscard]] int integer(int i) const { return integers_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] MPI_Aint address(int i) const { return addresses_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] MPI_Datatype type(int i) const { return types_[static_cast<std::size_t>(i)]; }

 private:
  static bool is_derived(MPI_Datatype type) {
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = MPI_COMBINER_NAMED;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    // Types by their precision are Fortran's own, which nobody frees.
    return combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL &&
           combiner != MPI_COMBINER_F90_COMPLEX && combiner != MPI_COMBINER_F90_INTEGER;
  }

  int combiner_ = MPI_COMBINER_NAMED;
  std::vector<int> integers_;
  std::vector<MPI_Aint> addresses_;
  std::vector<MPI_Datatype> types_;
};

MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(type, &lower, &extent);
  return extent;
}

std::byte* moved(std::byte* address, MPI_Aint bytes) {
  // MPI_BOTTOM is null, and displacements are addresses then.
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(address) +
                                      static_cast<std::uintptr_t>(bytes));
}

class part_walk {
 public:
  part_walk(std::uint64_t max_bytes, function_ref<void(const element_part&)> visit)
      : max_bytes_(max_bytes), visit_(visit) {}

  void elements(std::byte* address, MPI_Count count, MPI_Datatype type) {
    MPI_Count size = 0;
    PMPI_Type_size_x(type, &size);
    const auto bytes = static_cast<std::uint64_t>(size);
    if (bytes == 0) return;
    const MPI_Aint extent = extent_of(type);
    if (bytes > max_bytes_) {
      for (MPI_Count i = 0; i < count; ++i) {
        one_element(moved(address, static_cast<MPI_Aint>(i) * extent), type, bytes);
      }
      return;
    }
    const auto max = static_cast<MPI_Count>(max_bytes_ / bytes);
    for (MPI_Count done = 0; done < count;) {
      const MPI_Count now = std::min(max, count - done);
      visit_({moved(address, static_cast<MPI_Aint>(done) * extent), now, type,
              static_cast<std::uint64_t>(now) * bytes});
      done += now;
    }
  }

 private:
  void one_element(std::byte* address, MPI_Datatype type, std::uint64_t bytes) {
    const constructor_call made(type);
    const int count = made.combiner() == MPI_COMBINER_NAMED ? 0 : made.integer(0);
    switch (made.combiner()) {
      case MPI_COMBINER_DUP:
      case MPI_COMBINER_RESIZED: return elements(address, 1, made.type(0));
      case MPI_COMBINER_CONTIGUOUS: return elements(address, count, made.type(0));
      case MPI_COMBINER_SUBARRAY: return subarray(address, made);
      case MPI_COMBINER_VECTOR:
      case MPI_COMBINER_HVECTOR:
      case MPI_COMBINER_INDEXED:
      case MPI_COMBINER_HINDEXED:
      case MPI_COMBINER_INDEXED_BLOCK:
      case MPI_COMBINER_HINDEXED_BLOCK:
      case MPI_COMBINER_STRUCT:
        for (int i = 0; i < count; ++i) block(address, made, i);
        return;
      default: break;
    }
    throw error(error_kind::argument,
                fmt::format("an element of {} bytes of a type of MPI_Type_create_darray, or of an "
                            "unknown constructor, is too large for upwash; use smaller elements, "
                            "or set UPWASH_MPI=off",
                            bytes));
  }

  /// The i-th block of a type that lists blocks.
  void block(std::byte* address, const constructor_call& made, int i) {
    const MPI_Datatype inner = made.type(made.combiner() == MPI_COMBINER_STRUCT ? i : 0);
    const MPI_Aint extent = extent_of(inner);
    const int count = made.integer(0);
    int length = made.integer(1);
    MPI_Aint place = 0;
    switch (made.combiner()) {
      case MPI_COMBINER_VECTOR: place = MPI_Aint{i} * made.integer(2) * extent; break;
      case MPI_COMBINER_HVECTOR: place = MPI_Aint{i} * made.address(0); break;
      case MPI_COMBINER_INDEXED_BLOCK: place = made.integer(2 + i) * extent; break;
      case MPI_COMBINER_HINDEXED_BLOCK: place = made.address(i); break;
      case MPI_COMBINER_INDEXED:
        length = made.integer(1 + i);
        place = made.integer(1 + count + i) * extent;
        break;
      default:  // hindexed, struct
        length = made.integer(1 + i);
        place = made.address(i);
        break;
    }
    elements(moved(address, place), length, inner);
  }

  /// Rows along the dimension that is contiguous in memory.
  void subarray(std::byte* address, const constructor_call& made) {
    const int dimensions = made.integer(0);
    const bool by_rows = made.integer(3 * dimensions + 1) == MPI_ORDER_C;
    const MPI_Aint extent = extent_of(made.type(0));
    const auto size = [&](int d) { return made.integer(1 + d); };
    const auto length = [&](int d) { return made.integer(1 + dimensions + d); };
    const auto start = [&](int d) { return made.integer(1 + 2 * dimensions + d); };
    // From the dimension that varies fastest to the slowest.
    const auto dimension = [&](int i) { return by_rows ? dimensions - 1 - i : i; };
    std::vector<int> index(static_cast<std::size_t>(dimensions), 0);
    for (;;) {
      MPI_Aint place = 0;
      MPI_Aint stride = 1;
      for (int i = 0; i < dimensions; ++i) {
        place += stride * (start(dimension(i)) + index[static_cast<std::size_t>(i)]);
        stride *= size(dimension(i));
      }
      elements(moved(address, place * extent), length(dimension(0)), made.type(0));
      int i = 1;
      for (; i < dimensions; ++i) {
        int& at = index[static_cast<std::size_t>(i)];
        if (++at < length(dimension(i))) break;
        at = 0;
      }
      if (i >= dimensions) return;
    }
  }

  std::uint64_t max_bytes_;
  function_ref<void(const element_part&)> visit_;
};

}  // namespace

void visit_parts(const element_part& all, std::uint64_t max_bytes,
                 function_ref<void(const element_part&)> visit) {
  part_walk(max_bytes, visit).elements(all.address, all.count, all.type);
}

}  // namespace upwash::mpi
