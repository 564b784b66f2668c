// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/manual.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "tools/command_tree.hpp"
#include "tools/completion.hpp"
#include "tools/man_pages.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/output_file.hpp"
#include "upwash/runtime/run.hpp"

namespace upwash::tools {
namespace {

namespace fs = std::filesystem;

struct options {
  std::string folder;
  std::string shell;
};

void write(const fs::path& file, const std::string& text) {
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  write_output(file.string(), text);
}

void write_pages(const fs::path& folder, const described_command& of, std::span<const knob> knobs) {
  write(folder / (name_of(of) + ".1"), man_page(of, knobs));
  for (const described_command& each : of.below) write_pages(folder, each, knobs);
}

/// As a prefix has them under share/.
void write_all(const fs::path& share, const described_command& top, std::span<const knob> knobs) {
  write_pages(share / "man/man1", top, knobs);
  const described_command completed = with_choices(top);
  const completion_words words = words_for_completion(knobs);
  write(share / "bash-completion/completions/upwash", bash_completion(completed, words));
  write(share / "zsh/site-functions/_upwash", zsh_completion(completed, words));
  write(share / "fish/vendor_completions.d/upwash.fish", fish_completion(completed, words));
}

void print_completion(const std::string& shell, const described_command& top,
                      std::span<const knob> knobs) {
  const described_command completed = with_choices(top);
  const completion_words words = words_for_completion(knobs);
  fmt::print("{}", shell == "bash"  ? bash_completion(completed, words)
                   : shell == "zsh" ? zsh_completion(completed, words)
                                    : fish_completion(completed, words));
}

void run(const CLI::App& app, const options& asked) {
  knob_table table;
  add_all_knobs(table);
  const described_command top = describe(app);
  if (!asked.folder.empty()) write_all(asked.folder, top, table.rows());
  if (!asked.shell.empty()) print_completion(asked.shell, top, table.rows());
  if (asked.folder.empty() && asked.shell.empty()) {
    throw error(error_kind::argument,
                "manual: nothing to do; give --into FOLDER or --completion SHELL");
  }
}

}  // namespace

void add_manual(CLI::App& app) {
  auto* command = app.add_subcommand("manual", "Write man pages and shell completion");
  const auto asked = std::make_shared<options>();
  command->add_option("--into", asked->folder,
                      "Folder for both, with the layout of a prefix's share folder: man/man1, ...");
  command->add_option("--completion", asked->shell, "Print the completion for this shell")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([asked, &app] { run(app, *asked); });
}

}  // namespace upwash::tools
