// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
struct node : arenite::ref_counted<> {
    void draw();
};
extern arenite::intrusive_ptr<node> n;
