// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A library that is no plugin.
extern "C" int upwash_no_plugin() { return 0; }
