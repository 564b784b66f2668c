// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Output of the launchers of Open MPI 4.1.4 and MPICH 4.0.2, as they print it.
#include "upwash/conduit/mpi/detail/launcher_manners.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace upwash::conduit::mpi {
namespace {

/// The comments among lines of one stream.
std::string comments_of(const launcher_manner& manner, bool standard_error,
                        const std::vector<std::string>& lines) {
  std::string comments;
  bool inside = false;
  for (const std::string& line : lines) {
    if (manner.is_comment(line, standard_error, inside)) comments += line + "\n";
  }
  return comments;
}

const std::string dashes(74, '-');
const std::string equals(83, '=');

TEST(launcher_manners, tags_name_the_process) {
  std::string_view line = "[1,3]<stdout>:[7] words\n";
  EXPECT_EQ(manner_of(library::openmpi).untag(line), 3);
  EXPECT_EQ(line, "[7] words\n");
  EXPECT_EQ(manner_of(library::openmpi).untag(line), -1);
  EXPECT_EQ(manner_of(library::mpich).untag(line), 7);
  EXPECT_EQ(line, "words\n");
  EXPECT_EQ(manner_of(library::mpich).untag(line), -1);
  EXPECT_EQ(line, "words\n");
}

TEST(launcher_manners, openmpis_comments_tell_who_was_killed) {
  const launcher_manner& manner = manner_of(library::openmpi);
  const std::string comments = comments_of(
      manner, true,
      {"of the program", dashes,
       "mpirun.openmpi noticed that process rank 12 with PID 0 on node vm exited on signal 9 "
       "(Killed).",
       dashes, "[vm:17553] [[10351,0],0] ORTE_ERROR_LOG: Out of resource in file show_help.c",
       "[vm] of the program"});
  EXPECT_EQ(comments.find("of the program"), std::string::npos);
  EXPECT_NE(comments.find("ORTE_ERROR_LOG"), std::string::npos);
  EXPECT_EQ(manner.failed_process(comments), 12);
  EXPECT_EQ(manner.status(137, comments), 137);
  EXPECT_EQ(manner.failed_process("all is well"), -1);
}

TEST(launcher_manners, openmpis_status_of_a_program_that_is_not_there_is_no_signal) {
  const launcher_manner& manner = manner_of(library::openmpi);
  const std::string comments = comments_of(
      manner, true,
      {dashes,
       "mpirun.openmpi was unable to launch the specified application as it could not access",
       "or execute an executable:", "", "Executable: /tmp/only_here", "Node: b", "",
       "while attempting to start process rank 2.", dashes});
  EXPECT_EQ(manner.status(132, comments), 2);
}

TEST(launcher_manners, openmpis_comments_tell_which_host_is_gone) {
  const launcher_manner& manner = manner_of(library::openmpi);
  const std::string comments = comments_of(
      manner, true,
      {dashes, "ORTE has lost communication with a remote daemon.", "",
       "  HNP daemon   : [[24151,0],0] on node a", "  Remote daemon: [[24151,0],2] on node c.far",
       "", "This is usually due to either a failure of the TCP network", dashes});
  EXPECT_EQ(manner.lost_host(comments), "c.far");
  EXPECT_EQ(manner.lost_host("  HNP daemon   : [[24151,0],0] on node a\n"), "");
  EXPECT_EQ(manner.lost_host("  Remote daemon: [[24151,0],2] on the moon\n"), "");
}

TEST(launcher_manners, openmpis_comments_tell_whose_connection_has_ended) {
  const launcher_manner& manner = manner_of(library::openmpi);
  const std::string comments = comments_of(
      manner, true,
      {dashes, "An MPI communication peer process has unexpectedly disconnected.  This",
       "usually indicates a failure in the peer process", "", "  Local host: a",
       "  Local PID:  412", "  Peer host:  c", dashes,
       "[a:412] 1 more process has sent help message help-mpi-btl-tcp.txt / peer hung up",
       "[a:412] Set MCA parameter \"orte_base_help_aggregate\" to 0 to see all help / error "
       "messages",
       "[a:412] of the program"});
  EXPECT_EQ(comments.find("of the program"), std::string::npos);
  EXPECT_NE(comments.find("more process"), std::string::npos);
  EXPECT_NE(comments.find("MCA parameter"), std::string::npos);
  EXPECT_EQ(manner.host_hung_up(comments), "c");
  EXPECT_EQ(manner.host_hung_up("  Peer host:  c\n"), "");
  EXPECT_EQ(manner.host_hung_up("peer process has unexpectedly disconnected\n Peer host:"), "");
}

TEST(launcher_manners, mpichs_comments_tell_a_signal_from_a_status) {
  const launcher_manner& manner = manner_of(library::mpich);
  const std::string comments =
      comments_of(manner, false,
                  {"of the program", equals, "=   EXIT CODE: 9", equals,
                   "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)",
                   "This typically refers to a problem with your application.",
                   "Please see the FAQ page for debugging suggestions", "also of the program"});
  EXPECT_EQ(comments.find("of the program"), std::string::npos);
  EXPECT_EQ(manner.status(9, comments), 128 + 9);
  EXPECT_EQ(manner.status(9, ""), 9);
  EXPECT_EQ(manner.failed_process(comments), -1);
}

TEST(launcher_manners, mpichs_comments_tell_the_host_whose_remote_shell_has_closed) {
  const launcher_manner& manner = manner_of(library::mpich);
  const std::string closed = "Connection to c closed by remote host.";
  const std::string failed =
      "[mpiexec@a] control_cb (pm/pmiserv/pmiserv_cb.c:206): assert (!closed) failed";
  const std::string comments =
      comments_of(manner, true, {"of the program", closed, failed, "kept closed"});
  EXPECT_EQ(comments, closed + "\n" + failed + "\n");
  EXPECT_EQ(manner.host_cut_off(comments), "c");
  EXPECT_EQ(manner.host_cut_off(closed), "");
  EXPECT_EQ(manner.host_cut_off(failed), "");
  EXPECT_EQ(manner_of(library::openmpi).host_cut_off(comments), "");
}

}  // namespace
}  // namespace upwash::conduit::mpi
