# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

required_conan_version = ">=2.0"


class Arenite(ConanFile):
    name = "arenite"
    license = "MIT"
    description = "Memory in order: allocators for real-time programs and node-heavy data"
    topics = ("allocator", "memory", "pmr", "games", "arena", "pool")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "checks": [True, False, "debug"]}
    default_options = {"shared": False, "fPIC": True, "checks": "debug"}
    implements = ["auto_shared_fpic"]
    exports_sources = ("CMakeLists.txt", "cmake/*", "include/*", "module/*", "src/*", "malloc/*", "tools/*", "LICENSE")

    def set_version(self):
        lists = load(self, os.path.join(self.recipe_folder, "CMakeLists.txt"))
        self.version = re.search(r"project\(arenite VERSION ([0-9.]+)", lists).group(1)

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    @property
    def _checked(self):
        if self.options.checks == "debug":
            return self.settings.build_type == "Debug"
        return bool(self.options.checks)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["ARENITE_CHECKS"] = self._checked
        for part in ("TESTS", "LAB", "ADVISOR", "EXAMPLES", "FUZZ", "BOTH"):
            toolchain.cache_variables[f"ARENITE_BUILD_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # The package's own CMake files say all of it, arenite::c too.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append(os.path.join("lib", "cmake", "arenite"))
        self.cpp_info.set_property("pkg_config_name", "arenite")
        self.cpp_info.libs = ["arenite"]
        self.cpp_info.defines = [f"ARENITE_CHECKS={int(self._checked)}"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs.append("pthread")
