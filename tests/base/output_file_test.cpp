// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which files an output replaces, which it writes in place, and what is left when it fails.
#include "upwash/base/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "upwash/base/error.hpp"

namespace {

namespace fs = std::filesystem;
using namespace upwash;

class output_files : public testing::Test {
 protected:
  output_files() {
    std::string name = (fs::temp_directory_path() / "upwash-output-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    file_ = folder_ + "/file";
  }
  ~output_files() override { fs::remove_all(folder_); }

  [[nodiscard]] static std::string text_of(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::ptrdiff_t files() const {
    const fs::directory_iterator all(folder_);
    return std::distance(fs::begin(all), fs::end(all));
  }
  [[nodiscard]] std::string refusal() const {
    try {
      write_output(file_, "text");
    } catch (const error& failure) {
      EXPECT_EQ(failure.kind(), error_kind::environment);
      return failure.what();
    }
    return "written";
  }

  std::string folder_;
  std::string file_;
};

TEST_F(output_files, are_replaced_with_their_mode) {
  write_output(file_, "old");
  ASSERT_EQ(chmod(file_.c_str(), 0640), 0);
  write_output(file_, "new");
  EXPECT_EQ(text_of(file_), "new");
  EXPECT_EQ(fs::status(file_).permissions(), fs::perms(0640));
  EXPECT_EQ(files(), 1);
}

TEST_F(output_files, are_as_before_when_their_writer_gives_up) {
  write_output(file_, "old");
  {
    output_file unfinished(file_);
    unfinished.write(std::string(100'000, 'x'));
  }
  EXPECT_EQ(text_of(file_), "old");
  EXPECT_EQ(files(), 1);
  check_output(file_);
  check_output(folder_ + "/another");
  EXPECT_EQ(files(), 1);
}

TEST_F(output_files, behind_links_are_replaced_and_the_links_stay) {
  fs::create_symlink("second", file_);
  fs::create_symlink(folder_ + "/last", folder_ + "/second");
  for (const char* text : {"into nothing", "over a file"}) {
    write_output(file_, text);
    EXPECT_TRUE(fs::is_symlink(file_));
    EXPECT_TRUE(fs::is_symlink(folder_ + "/second"));
    EXPECT_EQ(text_of(folder_ + "/last"), text);
  }
  check_output(file_);
  EXPECT_EQ(files(), 3);
}

TEST_F(output_files, with_two_names_keep_both) {
  write_output(file_, "old");
  fs::create_hard_link(file_, folder_ + "/other");
  write_output(file_, "new");
  EXPECT_EQ(text_of(folder_ + "/other"), "new");
}

TEST_F(output_files, that_are_fifos_are_written_in_place) {
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  EXPECT_EQ(refusal(), "cannot write " + file_ + ": nobody reads this FIFO");
  const int reader = open(file_.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  check_output(file_);
  write_output(file_, "text");
  std::array<char, 16> got{};
  EXPECT_EQ(read(reader, got.data(), got.size()), 4);
  close(reader);
  EXPECT_TRUE(fs::is_fifo(file_));
  EXPECT_EQ(files(), 1);
}

TEST_F(output_files, that_are_devices_stay_devices) {
  if (mknod(file_.c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0) GTEST_SKIP() << "no right to";
  const int probe = open(file_.c_str(), O_WRONLY);
  if (probe < 0) GTEST_SKIP() << "this file system opens no devices";
  close(probe);
  EXPECT_EQ(refusal(), "cannot write " + file_ + ": No space left on device");
  EXPECT_TRUE(fs::is_character_file(file_));
  EXPECT_EQ(files(), 1);
}

TEST_F(output_files, that_cannot_be_written_are_named) {
  fs::create_directory(file_);
  EXPECT_EQ(refusal(), "cannot write " + file_ + ": Is a directory");
  EXPECT_THROW(check_output(file_), error);
  fs::remove(file_);
  fs::create_symlink("file", file_);
  EXPECT_EQ(refusal(), "cannot write " + file_ + ": Too many levels of symbolic links");
  fs::remove(file_);
  file_ = folder_ + "/no/file";
  EXPECT_EQ(refusal(), "cannot write " + file_ + ": No such file or directory");
  EXPECT_THROW(check_output(file_), error);
}

TEST_F(output_files, take_streams) {
  output_file file(file_);
  for (int i = 0; i < 10'000; ++i) file.stream() << i << '\n';
  file.finish();
  const std::string text = text_of(file_);
  EXPECT_TRUE(text.starts_with("0\n1\n2\n"));
  EXPECT_TRUE(text.ends_with("\n9999\n"));
  EXPECT_EQ(text.size(), 48'890U);
}

}  // namespace
