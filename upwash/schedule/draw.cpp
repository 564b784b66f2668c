// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/schedule/detail/draw/drawn_steps.hpp"

namespace upwash::schedule {
namespace {

using draw_detail::all_steps;
using draw_detail::gathered;

constexpr double left = 76;
constexpr double top = 64;
constexpr double row = 34;
constexpr double margin = 24;

/// Few rounds get colours far apart, many a sweep of hues.
class palette {
 public:
  explicit palette(std::uint32_t rounds) : rounds_(std::max(rounds, 1U)) {}

  [[nodiscard]] std::string colour(std::uint32_t round) const {
    constexpr const char* apart[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                     "#7a5195", "#b8860b", "#1b9eaa", "#a6361c"};
    if (rounds_ <= std::size(apart)) return apart[round];
    return fmt::format("hsl({:.0f},70%,42%)", 225.0 * round / (rounds_ - 1));
  }
  [[nodiscard]] std::uint32_t rounds() const noexcept { return rounds_; }

 private:
  std::uint32_t rounds_;
};

class canvas {
 public:
  canvas(const drawing& of, std::vector<drawn_step> steps)
      : of_(of), lines_(of.ranks), steps_(std::move(steps)), colours_(rounds_of(steps_)) {
    for (const drawn_step& s : steps_) end_ = std::max(end_, s.when.done.us());
    // A unit is as wide as an arrow needs; time fills a page.
    const double wide = of_.on != nullptr ? 1000 : std::clamp(end_ * 92, 300.0, 2400.0);
    scale_ = end_ > 0 ? wide / end_ : 1;
    end_x_ = left + (end_ > 0 ? wide : 300);
    constexpr double title_letter = 10.4;
    width_ =
        margin + std::max(end_x_, margin + title_letter * static_cast<double>(of_.title.size()));
    bottom_ = top + row * lines_.count();
  }

  std::string svg() {
    frame();
    for (const drawn_step& s : steps_) {
      if (s.what.kind == step_kind::send || s.what.kind == step_kind::signal) arrow(s);
    }
    for (const drawn_step& s : steps_) accesses(s);
    for (const drawn_step& s : steps_) mark(s);
    legend();
    return document();
  }

 private:
  static std::uint32_t rounds_of(const std::vector<drawn_step>& steps) {
    std::uint32_t rounds = 0;
    for (const drawn_step& s : steps) rounds = std::max(rounds, s.what.round + 1);
    return rounds;
  }

  template <class... Parts>
  void put(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<Parts>(parts)...);
    body_ += '\n';
  }
  [[nodiscard]] double x(duration at) const { return left + at.us() * scale_; }
  [[nodiscard]] static double y_of(int line) { return top + row * (line + 0.5); }
  [[nodiscard]] double y(int rank) const { return y_of(lines_.of(rank)); }

  void frame();
  void grid();
  void arrow(const drawn_step& s);
  void accesses(const drawn_step& s);
  void access(const drawn_step& s, const piece& of, bool reads);
  void mark(const drawn_step& s);
  void legend();
  [[nodiscard]] std::string document() const;

  const drawing& of_;
  rank_lines lines_;
  std::vector<drawn_step> steps_;
  palette colours_;
  double end_ = 0;
  double scale_ = 1;
  double end_x_ = 0;  ///< of the lines
  double width_ = 0;
  double bottom_ = 0;
  std::string body_;
  std::set<std::string> heads_;  ///< colours of arrows
};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

void canvas::frame() {
  put(R"svg(<text x="{}" y="28" class="title">{}</text>)svg", margin, escaped(of_.title));
  put(R"svg(<text x="{}" y="48" class="small">{}</text>)svg", margin,
      of_.on != nullptr ? fmt::format("time on {}, in us", escaped(of_.on->name))
                        : "time in messages: a rank sends one at a time");
  grid();
  for (int line = 0; line < lines_.count(); ++line) {
    put(R"svg(<text x="{}" y="{:.1f}" class="rank"{}>{}</text>)svg", left - 8, y_of(line) + 4,
        lines_.shared() ? R"svg( textLength="66" lengthAdjust="spacingAndGlyphs")svg" : "",
        lines_.name(line));
    put(R"svg(<line x1="{}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="line"/>)svg", left,
        y_of(line), end_x_, y_of(line));
  }
}

/// Lines at 1, 2 or 5 times a power of ten, some ten of them; at each unit where there are few.
void canvas::grid() {
  double apart = 1;
  if (of_.on != nullptr || end_ > 30) {
    const double power = std::pow(10, std::floor(std::log10(std::max(end_, 1e-6) / 10)));
    for (const double times : {1.0, 2.0, 5.0, 10.0}) {
      apart = power * times;
      if (end_ / apart <= 10) break;
    }
  }
  for (double at = 0; at <= end_ * 1.0001 && end_ > 0; at += apart) {
    const double where = left + at * scale_;
    put(R"svg(<line x1="{0:.1f}" y1="{1}" x2="{0:.1f}" y2="{2}" class="grid"/>)svg", where, top,
        bottom_);
    put(R"svg(<text x="{:.1f}" y="{}" class="tick">{:.6g}</text>)svg", where, bottom_ + 16, at);
  }
}

void canvas::arrow(const drawn_step& s) {
  const bool counts = s.what.kind == step_kind::signal;
  const int to = s.what.peer < 0 ? s.when.rank : s.what.peer;
  const std::string colour = colours_.colour(s.what.round);
  heads_.insert(colour);
  const duration from = s.when.begun;
  const duration at = std::max(s.arrives, from);
  if (lines_.shared()) {
    constexpr double widest = 9;
    put(R"svg(<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" class="{}" stroke="{}" stroke-opacity="0.7" )svg"
        R"svg(style="stroke-width:{:.1f}"><title>{} to {}: {} {}, round {}, {} bytes, {:.6g} to {:.6g}</title></path>)svg",
        x(from), y(s.when.rank), x(at), y(to), counts ? "signal" : "message", colour,
        std::min(widest, 1 + std::log2(static_cast<double>(s.count))),
        lines_.name(lines_.of(s.when.rank)), lines_.name(lines_.of(to)), s.count,
        counts ? "signals" : "messages", s.what.round, s.what.left.bytes, from.us(), at.us());
    return;
  }
  put(R"svg(<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" class="{}" stroke="{}" marker-end="url(#a{})">)svg"
      R"svg(<title>rank {} to rank {}: {} {}, round {}, {} bytes, {:.6g} to {:.6g}</title></path>)svg",
      x(from), y(s.when.rank), x(at), y(to), counts ? "signal" : "message", colour, s.what.round,
      s.when.rank, to, counts ? "signal, counter" : "message, edge", s.what.edge, s.what.round,
      s.what.left.bytes, from.us(), at.us());
}

/// Who reads or writes whose memory.
void canvas::accesses(const drawn_step& s) {
  const bool works = s.what.kind == step_kind::copy || s.what.kind == step_kind::reduce;
  if (!works) return;
  access(s, s.what.left, true);
  if (s.what.kind == step_kind::reduce) access(s, s.what.right, true);
  access(s, s.what.into, false);
}

void canvas::access(const drawn_step& s, const piece& of, bool reads) {
  if (of.of == buffer::none || of.owner == own || of.owner == s.when.rank) return;
  const std::string colour = colours_.colour(s.what.round);
  heads_.insert(colour);
  const int from = reads ? of.owner : s.when.rank;
  const int to = reads ? s.when.rank : of.owner;
  put(R"svg(<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" class="access" stroke="{}" marker-end="url(#a{})">)svg"
      R"svg(<title>{} {} {} bytes of {}, round {}</title></path>)svg",
      x(s.when.begun), y(from), x(s.when.done), y(to), colour, s.what.round,
      lines_.name(lines_.of(s.when.rank)), reads ? "reads" : "writes", of.bytes,
      lines_.name(lines_.of(of.owner)), s.what.round);
}

void canvas::mark(const drawn_step& s) {
  const std::string colour = colours_.colour(s.what.round);
  const double where = x(s.when.done);
  const double height = y(s.when.rank);
  const bool works = s.what.kind == step_kind::copy || s.what.kind == step_kind::reduce;
  if (works && s.when.done > s.when.begun) {
    put(R"svg(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" class="work"/>)svg",
        x(s.when.begun), height, where, height, colour);
  }
  if (s.what.kind == step_kind::copy) {
    put(R"svg(<rect x="{:.1f}" y="{:.1f}" width="8" height="8" fill="#fff" stroke="{}" class="mark">)svg"
        R"svg(<title>copy of {} bytes, round {}</title></rect>)svg",
        where - 4, height - 4, colour, s.what.into.bytes, s.what.round);
  } else if (s.what.kind == step_kind::reduce) {
    put(R"svg(<circle cx="{:.1f}" cy="{:.1f}" r="5" fill="{}" stroke="#fff" class="mark">)svg"
        R"svg(<title>reduction of {} bytes, round {}</title></circle>)svg",
        where, height, colour, s.what.into.bytes, s.what.round);
  } else if (s.what.kind == step_kind::send) {
    put(R"svg(<circle cx="{:.1f}" cy="{:.1f}" r="2.2" fill="{}"/>)svg", x(s.when.begun), height,
        colour);
  }
}

void canvas::legend() {
  const double height = bottom_ + 42;
  double at = left;
  const auto label = [&](const std::string& text) {
    put(R"svg(<text x="{:.1f}" y="{:.1f}" class="small">{}</text>)svg", at + 16, height + 4, text);
    at += 30 + 6.6 * static_cast<double>(text.size());
  };
  const bool all = colours_.rounds() <= 8;
  for (std::uint32_t round = 0; round < colours_.rounds(); ++round) {
    if (!all && round != 0 && round + 1 != colours_.rounds() && round != colours_.rounds() / 2) {
      continue;
    }
    put(R"svg(<line x1="{0:.1f}" y1="{1:.1f}" x2="{2:.1f}" y2="{1:.1f}" stroke="{3}" )svg"
        R"svg(stroke-width="3"/>)svg",
        at, height, at + 12, colours_.colour(round));
    label(fmt::format("round {}", round));
  }
  const auto any = [&](step_kind kind) {
    return std::any_of(steps_.begin(), steps_.end(),
                       [&](const drawn_step& s) { return s.what.kind == kind; });
  };
  if (any(step_kind::copy)) {
    put(R"svg(<rect x="{:.1f}" y="{:.1f}" width="8" height="8" fill="#fff" stroke="#444" class="mark"/>)svg",
        at, height - 4);
    label("copy");
  }
  if (any(step_kind::reduce)) {
    put(R"svg(<circle cx="{:.1f}" cy="{:.1f}" r="5" fill="#444"/>)svg", at + 5, height);
    label("reduction");
  }
  if (any(step_kind::signal)) {
    put(R"svg(<line x1="{0:.1f}" y1="{1:.1f}" x2="{2:.1f}" y2="{1:.1f}" stroke="#444" class="signal"/>)svg",
        at, height, at + 12);
    label("signal");
  }
  width_ = std::max(width_, at + margin);
}

std::string canvas::document() const {
  const double height = bottom_ + 66;
  std::string all = fmt::format(
      R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}">)svg"
      "\n<style>text{{font-family:sans-serif;fill:#222}}.title{{font-size:17px;font-weight:600}}"
      ".small{{font-size:12px;fill:#555}}.rank{{font-size:12px;text-anchor:end}}"
      ".tick{{font-size:11px;fill:#777;text-anchor:middle}}.line{{stroke:#bbb;stroke-width:1}}"
      ".grid{{stroke:#eee;stroke-width:1}}.message{{fill:none;stroke-width:1.6}}"
      ".signal{{fill:none;stroke-width:1.2;stroke-dasharray:4 "
      "3}}.access{{fill:none;stroke-width:1.4;stroke-dasharray:1.5 "
      "2.5}}.mark{{stroke-width:1.5}}.work{{stroke-width:7;stroke-opacity:.3}}</style>"
      "\n<defs>\n",
      width_, height);
  for (std::uint32_t round = 0; round < colours_.rounds(); ++round) {
    if (!heads_.contains(colours_.colour(round))) continue;
    all += fmt::format(
        R"svg(<marker id="a{}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">)svg"
        R"svg(<path d="M0 1L10 5L0 9z" fill="{}"/></marker>)svg"
        "\n",
        round, colours_.colour(round));
  }
  all += "</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  all += body_;
  all += "</svg>\n";
  return all;
}

}  // namespace

std::string rank_lines::name(int line) const {
  if (!shared()) return fmt::format("rank {}", line);
  const int first = line * each_;
  const int last = std::min(first + each_, ranks_) - 1;
  return first == last ? fmt::format("rank {}", first) : fmt::format("ranks {}-{}", first, last);
}

std::vector<drawn_step> drawn_steps(const drawing& of, function_ref<generator(int)> schedule_of) {
  const rank_lines lines(of.ranks);
  if (!lines.shared()) return all_steps(of, schedule_of, most_steps_drawn);
  return gathered(all_steps(of, schedule_of, most_steps_gathered), lines);
}

std::string draw_svg(const drawing& of, function_ref<generator(int)> schedule_of) {
  return canvas(of, drawn_steps(of, schedule_of)).svg();
}

}  // namespace upwash::schedule
