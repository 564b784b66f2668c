// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that combine. MPI wants type, count and operator the same at all ranks, so
// which of them upwash combines is decided by these.
#include <optional>

#include "interop/mpi/detail/describe.hpp"
#include "interop/mpi/detail/reductions.hpp"
#include "interop/mpi/detail/take.hpp"
#include "upwash/base/random.hpp"

namespace upwash::mpi::describe {
namespace {

using collective::kind;

/// What is combined, and by what.
struct combination {
  collective::reduction by;
  std::uint32_t element_bytes = 0;
  std::uint64_t name = 0;  ///< for checked runs
  bool commutes = true;
};

/// Sums of it depend on their order, and of equal numbers the greatest may be either: 0 and -0.
bool is_floating_point(element what) noexcept {
  using enum element;
  return what == f32 || what == f64 || what == f80 || what == complex_f32 || what == complex_f64 ||
         what == complex_f80 || what == f32_int || what == f64_int || what == f80_int ||
         what == f32_f32 || what == f64_f64;
}

/// Nothing for a handle that is none: the library would tell MPI_COMM_WORLD's error handler, but
/// the call's is another's.
std::optional<bool> commutes(MPI_Op op) {
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int it_does = 0;
  const int code = PMPI_Op_commutative(op, &it_does);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
  PMPI_Errhandler_free(&before);
  if (code != MPI_SUCCESS) return std::nullopt;
  return it_does != 0;
}

combination by_program(const taken_call& call, const elements& what, MPI_Op op) {
  if (!is_of_program(op) || !call.may_call_program() || what.facts->is == element::none ||
      !what.facts->dense) {
    throw pass_on{fate::operation};
  }
  const std::optional<bool> in_any_order = commutes(op);
  if (!in_any_order) throw pass_on{fate::bad_call};
  return {reduction_of_program(op, what.type, *what.facts),
          static_cast<std::uint32_t>(what.facts->bytes), random_bits(2, 0, *in_any_order ? 1 : 0),
          *in_any_order};
}

/// Throws `pass_on` (operation) where upwash has no such operator.
combination combination_of(const taken_call& call, traffic& all, const elements& what, MPI_Op op) {
  const auto known = predefined(op);
  all.exact = known.has_value() && !is_floating_point(what.facts->is);
  if (!known) return by_program(call, what, op);
  combination made{reduction_of(*known, what.facts->is),
                   static_cast<std::uint32_t>(what.facts->bytes), 0, true};
  if (made.by.apply == nullptr) throw pass_on{fate::operation};
  made.name = random_bits(1, static_cast<std::uint64_t>(*known),
                          static_cast<std::uint64_t>(what.facts->is));
  return made;
}

collective::call reducing_call(kind what, const combination& how, std::uint64_t bytes,
                               int root = 0) {
  auto made = call_of(what, bytes, root);
  made.what.element_bytes = how.element_bytes;
  made.what.commutative = how.commutes;
  made.kind_of_reduction = how.name;
  return made;
}

/// Contribution and result of as many elements.
void reduce_vector(taken_call& call, traffic& all, kind what, const void* send,
                   const elements& result, MPI_Op op) {
  const combination how = combination_of(call, all, result, op);
  if (result.count == 0) return;
  all.received.emplace(call.memory(), result);
  if (send == MPI_IN_PLACE) {
    all.sent.emplace(call.memory(), result, outgoing::copied{});
  } else {
    all.sent.emplace(call.memory(), call.of(send, result.count, result.type));
  }
  all.sent->keep_apart(call.memory(), all.received->bytes());
  all.set(reducing_call(what, how, result.bytes()),
          {.input = all.sent->bytes(), .output = all.received->bytes(), .combine = how.by});
}

/// The contributions are those to all members; the result is the own one.
void combine_blocks(taken_call& call, traffic& all, const elements& given, const elements& own) {
  all.received.emplace(call.memory(), own);
  all.sent.emplace(call.memory(), given);
  all.sent->keep_apart(call.memory(), all.received->bytes());
}

}  // namespace

void reduce(taken_call& call, traffic& all, const void* send, void* receive, MPI_Count count,
            MPI_Datatype type, MPI_Op op, int root) {
  call.check_root(root);
  const bool at_root = call.rank() == root;
  const elements mine = call.of(at_root && send == MPI_IN_PLACE ? receive : send, count, type);
  const combination how = combination_of(call, all, mine, op);
  if (count == 0) return;
  const auto wanted = reducing_call(kind::reduce, how, mine.bytes(), root);
  if (!at_root) {
    all.sent.emplace(call.memory(), mine);
    return all.set(wanted, {.input = all.sent->bytes(), .combine = how.by});
  }
  combine_blocks(call, all, mine, call.of(receive, count, type));
  all.set(wanted, {.input = all.sent->bytes(), .output = all.received->bytes(), .combine = how.by});
}

void allreduce(taken_call& call, traffic& all, const void* send, void* receive, MPI_Count count,
               MPI_Datatype type, MPI_Op op) {
  reduce_vector(call, all, kind::all_reduce, send, call.of(receive, count, type), op);
}

void scan(taken_call& call, traffic& all, const void* send, void* receive, MPI_Count count,
          MPI_Datatype type, MPI_Op op) {
  reduce_vector(call, all, kind::scan, send, call.of(receive, count, type), op);
}

void exscan(taken_call& call, traffic& all, const void* send, void* receive, MPI_Count count,
            MPI_Datatype type, MPI_Op op) {
  reduce_vector(call, all, kind::exclusive_scan, send, call.of(receive, count, type), op);
}

void reduce_scatter(taken_call& call, traffic& all, const void* send, void* receive,
                    integer_list counts, MPI_Datatype type, MPI_Op op) {
  if (counts.is_null()) throw pass_on{fate::bad_call};
  MPI_Count total = 0;
  for (int i = 0; i < call.size(); ++i) {
    if (counts[i] < 0) throw pass_on{fate::bad_call};
    all.places.push_back(static_cast<std::uint64_t>(total));
    all.lengths.push_back(static_cast<std::uint64_t>(counts[i]));
    total += counts[i];
  }
  const elements given = call.of(send == MPI_IN_PLACE ? receive : send, total, type);
  const combination how = combination_of(call, all, given, op);
  if (total == 0) return;
  combine_blocks(call, all, given, call.of(receive, counts[call.rank()], type));
  const auto members = static_cast<MPI_Count>(call.size());
  const auto mean = static_cast<std::uint64_t>((total + members - 1) / members);
  all.set(reducing_call(kind::reduce_scatter_v, how, mean * how.element_bytes),
          {.input = all.sent->bytes(),
           .output = all.received->bytes(),
           .combine = how.by,
           .given = {all.lengths, all.places, {}, {}}});
}

void reduce_scatter_block(taken_call& call, traffic& all, const void* send, void* receive,
                          MPI_Count count, MPI_Datatype type, MPI_Op op) {
  const MPI_Count total = MPI_Count{count} * call.size();
  const elements given = call.of(send == MPI_IN_PLACE ? receive : send, total, type);
  const combination how = combination_of(call, all, given, op);
  if (total == 0) return;
  combine_blocks(call, all, given, call.of(receive, count, type));
  all.set(reducing_call(kind::reduce_scatter, how, all.received->bytes().size()),
          {.input = all.sent->bytes(), .output = all.received->bytes(), .combine = how.by});
}

}  // namespace upwash::mpi::describe
