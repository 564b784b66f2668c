// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The mesh by objects: each slab has a plane of x and, while there are any, a plane of y of the
// grid (Kumar 2005, 7.1). Charges of cells come to planes of x, potentials go back.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/md/planes.hpp"
#include "upwash/objects/object_array.hpp"

namespace md {

class mesh_part;

/// Slabs are on few ranks only; what all ranks can call are their gates.
class gate final : public upwash::object<std::int32_t> {
 public:
  using object::object;

  template <class A>
  void serialize(A& /*archive*/) {}

  void take(std::int32_t cell_number, const std::vector<double>& charges);
};

/// Its index is the number of its planes.
class slab final : public upwash::object<std::int32_t> {
 public:
  using object::object;

  template <class A>
  void serialize(A& archive) {
    archive(cells_, charges_, grid_, of_x_, of_y_, missing_, rows_, columns_);
  }

  /// Before the run, where it is: no method.
  void begin(const mesh_part& part);

  /// Of one cell: its charges on this plane. With the last of a step the plane is transformed.
  void take_charges(std::int32_t cell_number, const std::vector<double>& charges);
  /// Waves of plane x at this plane's y. With the last the plane is transformed along x.
  void take_row(std::int32_t x, const std::vector<complex>& waves);
  /// Waves of plane y at this plane's x. With the last the potentials go to the cells.
  void take_column(std::int32_t y, const std::vector<complex>& waves);
  /// All slabs of the rank exchange rows, or columns, in one all-to-all, while the rank does
  /// nothing else.
  void exchange_rows();
  void exchange_columns();
  using methods_that_wait = upwash::methods<&slab::exchange_rows, &slab::exchange_columns>;

 private:
  void send_rows(mesh_part& part);
  void send_columns(mesh_part& part);

  std::vector<std::int32_t> cells_;           ///< that have charges on this plane, ascending
  std::vector<std::vector<double>> charges_;  ///< of each
  std::vector<double> grid_;                  ///< of the plane of x
  std::vector<complex> of_x_;
  std::vector<complex> of_y_;
  std::int32_t missing_ = 0;  ///< cells of this step
  std::int32_t rows_ = 0;     ///< that came
  std::int32_t columns_ = 0;
};

}  // namespace md
