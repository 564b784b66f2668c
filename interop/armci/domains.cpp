// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Domains: ranks that may load and store at each other's addresses. Addresses are their owners',
// so that they mean the same at all ranks, and each rank is a domain of its own.
#include <armci.h>
#include <fmt/format.h>

#include "interop/armci/detail/guard.hpp"
#include "interop/armci/detail/remote_operation.hpp"

using namespace upwash::armci;  // NOLINT: of this file alone

namespace {

void check_domain(armci_domain_t domain) {
  if (domain != ARMCI_DOMAIN_SMP) {
    throw refusal(code::kind, fmt::format("no kind of domain {}; ARMCI_DOMAIN_SMP is", domain));
  }
}

}  // namespace

extern "C" {

int armci_domain_nprocs(armci_domain_t domain, int id) {
  return must_in_job("armci_domain_nprocs", [&](session& own) {
    check_domain(domain);
    if (id >= 0) check_proc(own, id);  // below 0: the own one
    return 1;
  });
}

int armci_domain_id(armci_domain_t domain, int proc) {
  return must_in_job("armci_domain_id", [&](session& own) {
    check_domain(domain);
    check_proc(own, proc);
    return proc;
  });
}

int armci_domain_glob_proc_id(armci_domain_t domain, int id, int member) {
  return must_in_job("armci_domain_glob_proc_id", [&](session& own) {
    check_domain(domain);
    check_proc(own, id);
    if (member != 0) {
      throw refusal(code::rank,
                    fmt::format("member {} of domain {}, which has one, 0", member, id));
    }
    return id;
  });
}

int armci_domain_my_id(armci_domain_t domain) {
  return must_in_job("armci_domain_my_id", [&](session& own) {
    check_domain(domain);
    return own.rank;
  });
}

int armci_domain_count(armci_domain_t domain) {
  return must_in_job("armci_domain_count", [&](session& own) {
    check_domain(domain);
    return own.size;
  });
}

int armci_domain_same_id(armci_domain_t domain, int proc) {
  return must_in_job("armci_domain_same_id", [&](session& own) {
    check_domain(domain);
    check_proc(own, proc);
    return proc == own.rank ? 1 : 0;
  });
}

int PARMCI_Same_node(int proc) {
  return must_in_job("ARMCI_Same_node", [&](session& own) {
    check_proc(own, proc);
    return proc == own.rank ? 1 : 0;
  });
}

// No rank may use another one's addresses itself.
int PARMCI_Uses_shm(void) { return 0; }
int PARMCI_Uses_shm_grp(ARMCI_Group* group) {
  return must("ARMCI_Uses_shm_grp", [&](session& own) {
    static_cast<void>(own.groups.is_member(group));
    return 0;
  });
}

// Memory is as large as the machine has it.
void PARMCI_Set_shm_limit(unsigned long /*bytes*/) {}

}  // extern "C"

#pragma weak ARMCI_Same_node = PARMCI_Same_node
#pragma weak ARMCI_Uses_shm = PARMCI_Uses_shm
#pragma weak ARMCI_Uses_shm_grp = PARMCI_Uses_shm_grp
#pragma weak ARMCI_Set_shm_limit = PARMCI_Set_shm_limit
