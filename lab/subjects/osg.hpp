// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"

#include <cstdint>
#include <osg/Group>
#include <osg/Node>
#include <osg/NodeVisitor>
#include <osg/Version>
#include <osg/ref_ptr>
#include <string>
#include <vector>

namespace arenite::lab {

/// OpenSceneGraph's own nodes, in memory of malloc: an osg::Group for each inner node, an osg::Node
/// for each leaf, put together by addChild, as its example osggroups does it.
class osg_group {
public:
    void create_tree(int levels) {
        std::uint64_t next = 0;
        root_ = make(levels, next);
    }

    [[nodiscard]] std::uint64_t traverse_tree() const {
        adding all;
        root_->accept(all);
        return all.sum;
    }

    void destroy_tree() { root_ = nullptr; }

    static std::vector<subject_info> ways() {
        return {{.name = "osg.group",
                 .summary = "OpenSceneGraph's osg::Group and osg::Node, by addChild and a visitor",
                 .pages = "4k",
                 .version = std::string{"OpenSceneGraph "} + osgGetVersion()}};
    }

private:
    /// Visits all, whatever their masks: those carry the numbers.
    struct adding : osg::NodeVisitor {
        adding() : osg::NodeVisitor{TRAVERSE_ALL_CHILDREN} { setNodeMaskOverride(~0U); }
        void apply(osg::Node& n) override {
            sum += n.getNodeMask();
            traverse(n);
        }
        std::uint64_t sum = 0;
    };

    static osg::ref_ptr<osg::Node> make(int levels, std::uint64_t& next) {
        const auto number = static_cast<osg::Node::NodeMask>(next++);
        if (levels == 0) {
            osg::ref_ptr<osg::Node> leaf = new osg::Node;
            leaf->setNodeMask(number);
            return leaf;
        }
        osg::ref_ptr<osg::Group> inner = new osg::Group;
        inner->setNodeMask(number);
        for (int i = 0; i < 4; ++i)
            inner->addChild(make(levels - 1, next));
        return inner;
    }

    osg::ref_ptr<osg::Node> root_;
};

using subjects = subject_list<osg_group>;

} // namespace arenite::lab
