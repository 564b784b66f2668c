// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Everything a program needs. Libraries include the single headers.
#pragma once

#include "upwash/base/duration.hpp"
#include "upwash/base/error.hpp"
#include "upwash/collective/adapt.hpp"
#include "upwash/collective/all_gather.hpp"
#include "upwash/collective/all_reduce.hpp"
#include "upwash/collective/all_to_all.hpp"
#include "upwash/collective/barrier.hpp"
#include "upwash/collective/broadcast.hpp"
#include "upwash/collective/gather.hpp"
#include "upwash/collective/many_to_many.hpp"
#include "upwash/collective/reduce.hpp"
#include "upwash/collective/reduce_scatter.hpp"
#include "upwash/collective/scan.hpp"
#include "upwash/collective/scatter.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/atomic.hpp"
#include "upwash/core/completer.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/global_ptr.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/core/region.hpp"
#include "upwash/core/request.hpp"
#include "upwash/core/team.hpp"
#include "upwash/matching/messages.hpp"
#include "upwash/runtime/run.hpp"
#include "upwash/streaming/quiescence.hpp"
#include "upwash/streaming/stream.hpp"
