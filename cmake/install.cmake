# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
# Headers (public templates use some of detail/), both libraries, the command, the machine files, and what find_package
# and pkg-config read. Components are packages (cmake/packages.cmake).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/upwash/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/upwash
        COMPONENT dev FILES_MATCHING PATTERN "*.hpp")
install(TARGETS upwash_shared upwash_static
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT dev
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
if(TARGET upwash_command)
  install(TARGETS upwash_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  if(TARGET manual)
    install(DIRECTORY ${UPWASH_SHARE}/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT tools
            PATTERN written EXCLUDE)
  endif()
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/machines)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/machines/
          DESTINATION ${CMAKE_INSTALL_DATADIR}/upwash/machines COMPONENT library
          FILES_MATCHING PATTERN "*.json")
endif()

# The package file is written by hand: an exported one would ask every user of the shared library
# for the development files of the libraries inside it.
set(UPWASH_CONFIG_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/upwash)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/upwashConfig.cmake.in
  ${PROJECT_BINARY_DIR}/upwashConfig.cmake INSTALL_DESTINATION ${UPWASH_CONFIG_FOLDER}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/upwashConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/upwashConfig.cmake
              ${PROJECT_BINARY_DIR}/upwashConfigVersion.cmake
        DESTINATION ${UPWASH_CONFIG_FOLDER} COMPONENT dev)

# The prefix is where the file is found, so that a moved installation works.
file(RELATIVE_PATH UPWASH_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/upwash.pc.in ${PROJECT_BINARY_DIR}/upwash.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/upwash.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT dev)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
              ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT dev
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
