// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Elements in parts (interop/mpi/detail/element_parts.hpp): packed part by part they are the bytes
// that MPI_Pack gives, whatever the limit. One rank.
#include "interop/mpi/detail/element_parts.hpp"

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace {

int failures = 0;

std::vector<std::byte> whole(std::byte* at, int count, MPI_Datatype type) {
  int room = 0;
  MPI_Pack_size(count, type, MPI_COMM_WORLD, &room);
  std::vector<std::byte> packed(static_cast<std::size_t>(room));
  int position = 0;
  MPI_Pack(at, count, type, packed.data(), room, &position, MPI_COMM_WORLD);
  packed.resize(static_cast<std::size_t>(position));
  return packed;
}

/// Frees the type.
void check(const char* name, MPI_Datatype type) {
  MPI_Type_commit(&type);
  std::vector<unsigned char> memory(8192);
  std::iota(memory.begin(), memory.end(), 0);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] += static_cast<unsigned char>(i >> 8U);
  auto* at = reinterpret_cast<std::byte*>(memory.data());
  for (const int count : {1, 3}) {
    const std::vector<std::byte> wanted = whole(at, count, type);
    for (const std::uint64_t limit : {12U, 20U, 50U, 100'000U}) {
      std::vector<std::byte> got;
      bool small = true;
      int parts = 0;
      upwash::mpi::visit_parts({at, count, type, wanted.size()}, limit, [&](const auto& part) {
        const auto packed = whole(part.address, static_cast<int>(part.count), part.type);
        small = small && packed.size() == part.bytes && part.bytes <= limit;
        got.insert(got.end(), packed.begin(), packed.end());
        ++parts;
      });
      if (got == wanted && small && (limit < wanted.size()) == (parts > 1)) continue;
      ++failures;
      std::fprintf(stderr, "%s, %d elements, parts of %d bytes: %d parts, %zu bytes, not %zu\n",
                   name, count, static_cast<int>(limit), parts, got.size(), wanted.size());
    }
  }
  MPI_Type_free(&type);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int lengths[3] = {2, 0, 3};
  const int places[3] = {5, 1, 0};
  const MPI_Aint addresses[3] = {96, 8, 16};
  MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
  MPI_Type_contiguous(7, pair, &made);
  check("contiguous", made);
  MPI_Type_vector(3, 2, 4, pair, &made);
  check("vector", made);
  MPI_Type_create_hvector(3, 2, 100, pair, &made);
  check("hvector", made);
  MPI_Type_indexed(3, lengths, places, pair, &made);
  check("indexed", made);
  MPI_Type_create_hindexed(3, lengths, addresses, pair, &made);
  check("hindexed", made);
  MPI_Type_create_indexed_block(3, 2, places, MPI_DOUBLE_INT, &made);
  check("indexed_block", made);
  MPI_Type_create_hindexed_block(3, 2, addresses, pair, &made);
  check("hindexed_block", made);
  MPI_Type_create_resized(pair, -4, 40, &made);
  check("resized", made);
  MPI_Type_dup(pair, &made);
  check("dup", made);
  const MPI_Datatype types[3] = {pair, MPI_DOUBLE, MPI_SHORT};
  MPI_Type_create_struct(3, lengths, addresses, types, &made);
  check("struct", made);
  const int sizes[3] = {4, 5, 6};
  const int parts[3] = {2, 3, 4};
  const int starts[3] = {1, 2, 1};
  for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
    for (const int dimensions : {1, 2, 3}) {
      MPI_Type_create_subarray(dimensions, sizes, parts, starts, order, pair, &made);
      check("subarray", made);
    }
  }
  MPI_Type_free(&pair);
  MPI_Finalize();
  return failures != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
