// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/fft3d/transform.hpp"

#include <fftw3.h>

#include <cmath>

#include "upwash/collective/all_to_all.hpp"
#include "upwash/core/job.hpp"

namespace fft3d {

/// FFTW's transform of `rows` rows at once, in place.
class transform::row_plan {
 public:
  row_plan(int length, int rows, int sign, double mflops, std::span<complex> sample)
      : time_(upwash::duration::from_us(rows * 5.0 * length * std::log2(length) / mflops)),
        plan_(fftw_plan_many_dft(1, &length, rows, raw(sample.data()), nullptr, 1, length,
                                 raw(sample.data()), nullptr, 1, length, sign, FFTW_ESTIMATE)) {}
  ~row_plan() { fftw_destroy_plan(plan_); }
  row_plan(row_plan&&) = delete;

  /// Rows begin at multiples of 16 bytes, as those of the plan do: all that FFTW asks.
  void apply(upwash::job& here, complex* rows) {
    fftw_execute_dft(plan_, raw(rows), raw(rows));
    here.compute(time_);
  }

 private:
  static fftw_complex* raw(complex* at) { return reinterpret_cast<fftw_complex*>(at); }

  upwash::duration time_;
  fftw_plan plan_;
};

/// The transform of one axis and the transpose behind it.
struct transform::stage {
  upwash::team among;
  transpose shape;
  int rows = 1;  ///< that one all-to-all carries
  row_plan plan;
  std::uint64_t& all_to_alls;

  [[nodiscard]] std::size_t piece() const { return index(rows) * index(shape.length); }
};

namespace {

int rows_of(pieces of, const transpose& shape) {
  if (of == pieces::pencils) return 1;
  return of == pieces::slabs ? shape.rows : shape.rows * shape.planes;
}

}  // namespace

transform::transform(const upwash::team& second, const upwash::team& third, const axes& of,
                     int sign, const exchange_options& how)
    : how_(how) {
  const std::array shapes{first_transpose(of), second_transpose(of)};
  for (auto* buffer : {&between_, &packed_, &arrived_}) buffer->resize(shapes[0].points());
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const int rows = rows_of(how.of, shapes[i]);
    stages_[i].reset(new stage{i == 0 ? second : third, shapes[i], rows,
                               row_plan(shapes[i].length, rows, sign, how.mflops, between_),
                               seen_.all_to_alls[i]});
  }
  const int rows = static_cast<int>(shapes[0].points() / index(of.third));
  last_ = std::make_unique<row_plan>(of.third, rows, sign, how.mflops, between_);
}

transform::~transform() = default;

std::uint64_t transform::pair_bytes(int which) const {
  const stage& of = *stages_[index(which)];
  return index(of.rows) * index(of.shape.part()) * sizeof(complex);
}

void transform::run(std::span<complex> data) {
  run_stage(*stages_[0], data, between_);
  run_stage(*stages_[1], between_, data);
  last_->apply(stages_[0]->among.here(), data.data());
}

/// Computes piece by piece; while one computes, those before travel.
void transform::run_stage(stage& which, std::span<complex> from, std::span<complex> to) {
  upwash::job& here = which.among.here();
  const int all_rows = which.shape.planes * which.shape.rows;
  for (int row = 0; row < all_rows; row += which.rows) {
    const auto piece = from.subspan(index(row) * index(which.shape.length), which.piece());
    which.plan.apply(here, piece.data());
    pack(which.shape, piece, which.rows,
         std::span(packed_).subspan(index(row) * index(which.shape.length), which.piece()));
    while (!flights_.empty() && flights_.front().done.test()) finish_oldest(which, to);
    if (std::ssize(flights_) == how_.in_flight) finish_oldest(which, to);
    start(which, row);
    if (!how_.overlap) finish_oldest(which, to);
  }
  while (!flights_.empty()) finish_oldest(which, to);
}

void transform::start(stage& which, int first_row) {
  upwash::job& here = which.among.here();
  const auto began = here.now();
  const auto at = index(first_row) * index(which.shape.length);
  const auto packed = std::span(packed_).subspan(at, which.piece());
  const auto arrived = std::span(arrived_).subspan(at, which.piece());
  if (how_.overlap) {
    flights_.push_back({upwash::all_to_all<complex>(which.among, packed, arrived), first_row});
  } else {
    upwash::all_to_all<complex>(which.among, upwash::blocking, packed, arrived);
    flights_.push_back({{}, first_row});
  }
  ++which.all_to_alls;
  seen_.exchanging += here.now() - began;
}

void transform::finish_oldest(stage& which, std::span<complex> to) {
  upwash::job& here = which.among.here();
  const auto began = here.now();
  flights_.front().done.wait();
  seen_.exchanging += here.now() - began;
  const int row = flights_.front().first_row;
  flights_.pop_front();
  const auto arrived =
      std::span(arrived_).subspan(index(row) * index(which.shape.length), which.piece());
  unpack(which.shape, arrived, row, which.rows, to);
}

}  // namespace fft3d
