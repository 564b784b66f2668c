# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# One misuse that the interface forbids: SOURCE compiles as it is, and with MISUSE defined it does
# not, for the reason that its line "// expect: REGEX" gives. COMPILER, FLAGS (a list).
file(STRINGS ${SOURCE} expected REGEX "^// expect: ")
list(LENGTH expected count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "${SOURCE} has ${count} lines '// expect: REGEX'; one is wanted")
endif()
string(REGEX REPLACE "^// expect: " "" expected "${expected}")

function(try misuse status_into said_into)
  execute_process(COMMAND ${COMPILER} ${FLAGS} ${misuse} -fsyntax-only ${SOURCE}
                  RESULT_VARIABLE status ERROR_VARIABLE said OUTPUT_VARIABLE said)
  set(${status_into} ${status} PARENT_SCOPE)
  set(${said_into} "${said}" PARENT_SCOPE)
endfunction()

try("" status said)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} does not compile even without the misuse:\n${said}")
endif()
try(-DMISUSE status said)
if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles, though it misuses the interface")
endif()
if(NOT said MATCHES "${expected}")
  message(FATAL_ERROR "${SOURCE} fails for another reason than '${expected}':\n${said}")
endif()
