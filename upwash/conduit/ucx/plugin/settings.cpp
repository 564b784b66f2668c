// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/ucx/plugin/detail/settings.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

namespace upwash::conduit::ucx {
namespace {

/// The value of UCX's setting `name`, from UCX's defaults, its file or the environment.
std::string value_of_setting(const ucp_config_t* config, std::string_view name) {
  char* printed = nullptr;
  std::size_t bytes = 0;
  std::FILE* into = open_memstream(&printed, &bytes);
  if (into == nullptr) return {};
  ucp_config_print(config, into, nullptr, UCS_CONFIG_PRINT_CONFIG);
  std::fclose(into);
  std::string text = "\n";
  text.append(printed, bytes);
  std::free(printed);
  std::string front = "\nUCX_";
  front.append(name).append("=");
  const std::size_t found = text.find(front);
  if (found == std::string::npos) return {};
  const std::size_t begin = found + front.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

bool is_default(const ucp_config_t* config, std::string_view name) {
  std::string variable = "UCX_";
  variable.append(name);
  return std::getenv(variable.c_str()) == nullptr && value_of_setting(config, name) == "all";
}

/// The ports of InfiniBand and RoCE adapters in UCX's form, each with a comma after it.
std::string rdma_ports() {
  namespace fs = std::filesystem;
  std::string ports;
  std::error_code none;
  for (const auto& adapter : fs::directory_iterator("/sys/class/infiniband", none)) {
    for (const auto& port : fs::directory_iterator(adapter.path() / "ports", none)) {
      ports += adapter.path().filename().string() + ":" + port.path().filename().string() + ",";
    }
  }
  return ports;
}

}  // namespace

bool allows_shared_memory(std::string_view transports) {
  constexpr std::array<std::string_view, 4> all{"all", "sm", "shm", "mm"};
  constexpr std::array<std::string_view, 3> single{"posix", "sysv", "xpmem"};
  const bool denies = transports.starts_with('^');
  if (denies) transports.remove_prefix(1);
  bool names_all = false;
  std::size_t names_single = 0;
  while (!transports.empty()) {
    const std::string_view name = transports.substr(0, transports.find(','));
    transports.remove_prefix(std::min(transports.size(), name.size() + 1));
    const std::string_view plain = name.starts_with('\\') ? name.substr(1) : name;
    names_all = names_all || std::ranges::count(all, plain) != 0;
    names_single += std::ranges::count(single, plain) != 0 ? 1U : 0U;
  }
  return denies ? !names_all && names_single < single.size() : names_all || names_single > 0;
}

ucx_settings adapt_settings(ucp_config_t* config, const job_reach& job) {
  if (std::getenv("UCX_LOG_LEVEL") == nullptr) ucp_config_modify(config, "LOG_LEVEL", "fatal");
  const bool any_transport = is_default(config, "TLS");
  if (any_transport) ucp_config_modify(config, "TLS", job.one_host ? "^sysv,tcp" : "^sysv");
  const bool no_tcp = any_transport && job.one_host;
  if (!no_tcp && !job.interfaces.empty() && is_default(config, "NET_DEVICES")) {
    ucp_config_modify(config, "NET_DEVICES", (rdma_ports() + std::string(job.interfaces)).c_str());
  }
  const std::string transports = value_of_setting(config, "TLS");
  std::string text = "UCX_TLS=";
  text.append(transports).append(", UCX_NET_DEVICES=");
  text.append(value_of_setting(config, "NET_DEVICES"));
  return {std::move(text), allows_shared_memory(transports)};
}

}  // namespace upwash::conduit::ucx
