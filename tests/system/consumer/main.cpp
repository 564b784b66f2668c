// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <upwash/base/knobs.hpp>
#include <upwash/base/log.hpp>

int main() {
  upwash::knob_table table;
  upwash::base_knobs(table);
  upwash::set_log_level(upwash::settings::defaults(table).text("log"));
  upwash::log(upwash::log_level::warning, "consumer", "works");
}
