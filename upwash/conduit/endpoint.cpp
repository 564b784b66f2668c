// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What conduits need not bring. Operations that one without the capability never sees: core asks
// describe() first, so reaching one of these is a defect of the library, and says so.
#include "upwash/conduit/endpoint.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/observe/standing.hpp"

namespace upwash::conduit {

observe::standing sink::standing() const { return {}; }

namespace {

[[noreturn]] void lacking(const endpoint& self, std::string_view operation) {
  throw error(error_kind::fault, fmt::format("conduit {} has no {}; core must emulate it",
                                             self.describe().name, operation));
}

}  // namespace

injection endpoint::send_small(small_message m, const std::byte* arguments,
                               std::span<const std::byte> payload) {
  return send(m.with(arguments, payload), m.from_handler());
}
injection endpoint::prepare(int, int, lane, std::size_t, reservation&) {
  lacking(*this, "prepare");
}
void endpoint::commit(const reservation&, const message&) { lacking(*this, "commit"); }
void endpoint::cancel(const reservation&) { lacking(*this, "cancel"); }
injection endpoint::send_long(const message&, const remote_memory&, std::size_t,
                              std::span<const std::byte>, completion*, bool) {
  lacking(*this, "send_long");
}
memory_key endpoint::register_span(int, std::span<const std::byte>) {
  lacking(*this, "register_span");
}
void endpoint::deregister(int, const memory_key&) { lacking(*this, "deregister"); }
injection endpoint::put(int, const remote_memory&, std::size_t, std::span<const std::byte>,
                        completions, const put_signal*) {
  lacking(*this, "put");
}
injection endpoint::get(int, const remote_memory&, std::size_t, std::span<std::byte>, completion*) {
  lacking(*this, "get");
}
bool endpoint::read_aside(int, int, const memory_key&, std::size_t, std::span<std::byte>) noexcept {
  return false;
}
injection endpoint::atomic(int, const remote_memory&, std::size_t, const atomic_operation&,
                           std::uint64_t*, completions) {
  lacking(*this, "atomic");
}
injection endpoint::flush(int, int, completion*) { lacking(*this, "flush"); }
injection endpoint::join(int, const network_collective&, completion*) { lacking(*this, "join"); }

}  // namespace upwash::conduit
