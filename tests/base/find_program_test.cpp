// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/find_program.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;
using namespace upwash;

/// A folder of its own, with PATH as the test wants it.
class find_program_test : public testing::Test {
 public:
  find_program_test() {
    std::string name = (fs::temp_directory_path() / "upwash-programs-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    old_ = std::getenv("PATH");
  }
  ~find_program_test() override {
    setenv("PATH", old_.c_str(), 1);
    fs::remove_all(folder_);
  }

 protected:
  [[nodiscard]] std::string file(const std::string& name, unsigned mode) const {
    fs::create_directories(fs::path(folder_ + "/" + name).parent_path());
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n";
    chmod(path.c_str(), mode);
    return path;
  }
  std::string folder_;

 private:
  std::string old_;
};

TEST_F(find_program_test, the_first_along_the_path_that_may_be_executed) {
  const std::string text = file("a/both", 0644);
  const std::string program = file("b/both", 0755);
  static_cast<void>(file("c/both", 0755));
  const std::string path = folder_ + "/none:" + folder_ + "/a:" + folder_ + "/b:" + folder_ + "/c";
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(find_program("both"), program);
  EXPECT_EQ(find_program("neither"), "");
  EXPECT_EQ(find_program(text), text);
  EXPECT_EQ(find_program("./neither"), "./neither");
}

TEST_F(find_program_test, an_empty_folder_is_the_one_that_one_is_in) {
  static_cast<void>(file("d/here", 0755));
  const fs::path before = fs::current_path();
  fs::current_path(folder_ + "/d");
  setenv("PATH", "::/nowhere", 1);
  EXPECT_EQ(find_program("here"), "./here");
  setenv("PATH", "", 1);
  EXPECT_EQ(find_program("here"), "");
  fs::current_path(before);
}

}  // namespace
