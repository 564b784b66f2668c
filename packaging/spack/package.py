# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""The recipe for Spack: packaging/README.md says how it is used."""
from spack.package import *


class Upwash(CMakePackage):
    """A communication runtime for parallel programs: one-sided memory, collectives that choose their algorithm, tagged
    messages, streams of small items and objects that migrate, in shared memory, over MPI libraries, over UCX, and on
    simulated machines."""

    license("BSD-3-Clause", checked_by="the upwash authors")

    # Where the sources come from is for the site to say, by `spack develop` or a line `git = ...`.
    version("0.1.0")

    variant("apps", default=False, description="Build the applications too")
    variant("tools", default=True, description="Build the upwash command")
    variant("interop", default=True, description="Build upwash for C, and ARMCI over upwash")
    variant("openmpi", default=False, description="Run over Open MPI, and take over calls of its programs")
    variant("mpich", default=False, description="Run over MPICH, and take over calls of its programs")
    variant("ucx", default=False, description="Run over UCX")
    variant("pmix", default=False, description="Find places in jobs of other launchers by PMIx")

    depends_on("c", type="build", when="+interop")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("highway", type="build")
    depends_on("fmt@9:")
    depends_on("spdlog@1.10: +fmt_external")
    depends_on("nlohmann-json@3.11:")
    depends_on("boost@1.74: +context")
    depends_on("hwloc@2.9:")
    depends_on("cli11@2.1:", type="build", when="+tools")
    depends_on("cli11@2.1:", type="build", when="+apps")
    depends_on("fftw@3", when="+apps")
    depends_on("openmpi@4.1:", when="+openmpi")
    depends_on("mpich@4:", when="+mpich")
    depends_on("ucx@1.11:", when="+ucx")
    depends_on("pmix@3:", when="+pmix")

    conflicts("%gcc@:11", msg="upwash needs C++20 as GCC 12 has it")
    conflicts("platform=darwin", msg="upwash runs on Linux")
    conflicts("platform=windows", msg="upwash runs on Linux")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("UPWASH_BUILD_TESTS", False),
            self.define_from_variant("UPWASH_BUILD_APPS", "apps"),
            self.define_from_variant("UPWASH_BUILD_TOOLS", "tools"),
            self.define_from_variant("UPWASH_BUILD_INTEROP", "interop"),
        ]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        if self.spec.satisfies("+tools"):
            Executable(self.prefix.bin.upwash)("info")
