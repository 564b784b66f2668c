# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# cmake -DFOLDER=... -DFILES=a;b -DOUTPUT=x.cpp -P embed.cmake: writes the source that holds these
# files of tools/report (tools/report_files.hpp).
set(tables)
set(rows)
set(count 0)
foreach(file ${FILES})
  file(READ ${FOLDER}/${file} content HEX)
  string(REGEX REPLACE "(................................................................)" "\\1\n" content "${content}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," content "${content}")
  string(APPEND tables "constexpr unsigned char file_${count}[] = {\n${content}0};\n")
  string(APPEND rows "    {\"${file}\", file_${count}, sizeof file_${count} - 1},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUTPUT}
"#include \"tools/report_files.hpp\"

#include <cstddef>

#include \"upwash/base/ensure.hpp\"

namespace upwash::tools {
namespace {

${tables}
struct embedded {
  std::string_view path;
  const unsigned char* bytes;
  std::size_t size;
};
constexpr embedded files[] = {
${rows}};

}  // namespace

std::string_view report_file(std::string_view path) {
  for (const embedded& each : files) {
    if (each.path == path) return {reinterpret_cast<const char*>(each.bytes), each.size};
  }
  ensure(false, \"the file of the report is built in\");
  return {};
}

}  // namespace upwash::tools
")
