// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/mpi/detail/launcher_manners.hpp"

#include <algorithm>
#include <charconv>

namespace upwash::conduit::mpi {
namespace {

constexpr int cannot_start = 2;  // status of a job whose program cannot be started

/// The number at the beginning of a text, which is taken off; -1: there is none.
int take_number(std::string_view& text) {
  int number = -1;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || number < 0) return -1;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return number;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Takes all off that stands before `mark`, and that; false: it is not there.
bool take_behind(std::string_view& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return false;
  text.remove_prefix(at + mark.size());
  return true;
}

/// The number behind the last `mark` of a text; -1: there is none.
int number_behind(std::string_view mark, std::string_view text) {
  const std::size_t at = text.rfind(mark);
  if (at == std::string_view::npos) return -1;
  text.remove_prefix(at + mark.size());
  return take_number(text);
}

bool is_rule(std::string_view line, char of, std::size_t length) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line.size() == length && line.find_first_not_of(of) == std::string_view::npos;
}

/// Tags are "[1,RANK]<stdout>:"; comments stand between two rules of standard error, or are lines
/// of its log.
class openmpi_manner final : public launcher_manner {
 public:
  [[nodiscard]] int untag(std::string_view& line) const override {
    std::string_view rest = line;
    if (!take(rest, "[1,")) return -1;
    const int rank = take_number(rest);
    if (rank < 0 || (!take(rest, "]<stdout>:") && !take(rest, "]<stderr>:"))) return -1;
    line = rest;
    return rank;
  }
  [[nodiscard]] bool is_comment(std::string_view line, bool standard_error,
                                bool& inside) const override {
    if (!standard_error) return false;
    const auto says = [&](std::string_view part) { return line.find(part) != line.npos; };
    if (line.starts_with('[') && (says(" ORTE_ERROR_LOG: ") || says(" sent help message ") ||
                                  says(" \"orte_base_help_aggregate\" "))) {
      return true;
    }
    if (!is_rule(line, '-', 74)) return inside;
    inside = !inside;
    return true;
  }
  /// Where a program cannot be started its own is a number that looks like a signal's.
  [[nodiscard]] int status(int own, std::string_view comments) const override {
    return comments.find(" was unable to launch the specified application") == comments.npos
               ? own
               : cannot_start;
  }
  [[nodiscard]] int failed_process(std::string_view comments) const override {
    return number_behind(" noticed that process rank ", comments);
  }
  /// "  Remote daemon: [[24151,0],2] on node c", in two of its comments.
  [[nodiscard]] std::string_view lost_host(std::string_view comments) const override {
    if (!take_behind(comments, " Remote daemon: [[")) return {};
    comments = comments.substr(0, comments.find('\n'));
    return take_behind(comments, "] on node ") ? comments : std::string_view{};
  }
  /// "  Peer host:  c", of a process that its peer's end ends too.
  [[nodiscard]] std::string_view host_hung_up(std::string_view comments) const override {
    if (!take_behind(comments, "peer process has unexpectedly disconnected")) return {};
    if (!take_behind(comments, " Peer host:")) return {};
    comments = comments.substr(0, comments.find('\n'));
    comments.remove_prefix(std::min(comments.find_first_not_of(' '), comments.size()));
    return comments;
  }
  [[nodiscard]] std::string_view host_cut_off(std::string_view /*comments*/) const override {
    return {};
  }
};

/// Tags are "[RANK] "; comments are lines behind a rule, up to the one that names a web page, and
/// on standard error those of its own and of remote shells whose connections close.
class hydra_manner final : public launcher_manner {
 public:
  [[nodiscard]] int untag(std::string_view& line) const override {
    std::string_view rest = line;
    if (!take(rest, "[")) return -1;
    const int rank = take_number(rest);
    if (rank < 0 || !take(rest, "] ")) return -1;
    line = rest;
    return rank;
  }
  [[nodiscard]] bool is_comment(std::string_view line, bool standard_error,
                                bool& inside) const override {
    if (standard_error) {
      return line.starts_with("[mpiexec@") ||
             (take_behind(line, closed_before) && take_behind(line, closed_behind));
    }
    if (is_rule(line, '=', 83)) return inside = true;
    if (!inside) return false;
    inside = !line.starts_with("Please see the FAQ page");
    return true;
  }
  /// A killed process's signal is told as if it were a status.
  [[nodiscard]] int status(int own, std::string_view comments) const override {
    return number_behind("(signal ", comments) == own ? 128 + own : own;
  }
  /// It may name one that it has ended itself.
  [[nodiscard]] int failed_process(std::string_view /*comments*/) const override { return -1; }
  [[nodiscard]] std::string_view lost_host(std::string_view /*comments*/) const override {
    return {};
  }
  [[nodiscard]] std::string_view host_hung_up(std::string_view /*comments*/) const override {
    return {};
  }
  /// "Connection to c closed by remote host.", and a failed assertion of its own.
  [[nodiscard]] std::string_view host_cut_off(std::string_view comments) const override {
    if (comments.find(" assert (!closed) failed") == comments.npos) return {};
    if (!take_behind(comments, closed_before)) return {};
    return comments.substr(0, std::min(comments.find(closed_behind), comments.find('\n')));
  }

 private:
  static constexpr std::string_view closed_before = "onnection to ";
  static constexpr std::string_view closed_behind = " closed";
};

constexpr openmpi_manner of_openmpi;
constexpr hydra_manner of_mpich;

}  // namespace

const launcher_manner& manner_of(library which) noexcept {
  if (which == library::openmpi) return of_openmpi;
  return of_mpich;
}

}  // namespace upwash::conduit::mpi
