// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// How many pages of addresses a program has that does nothing.
#include <fstream>
#include <iostream>
#include <string>

int main() {
    std::ifstream statm{"/proc/self/statm"};
    std::string pages;
    statm >> pages;
    std::cout << pages << '\n';
}
