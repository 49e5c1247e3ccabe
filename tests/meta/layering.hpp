#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/meta/source_tree.hpp"

namespace normproof::tests::meta {

/// Maps each folder to the folders that it may use directly.
using Edges = std::map<std::string, std::set<std::string>>;

/// Reads the table of docs/architecture.md, whose lines are "<level> <folder> [<folder>, ...]".
Edges read_allowed(const std::string& markdown);

/// The links of the build, from link_graph.txt (written by link_graph.cmake).
struct LinkGraph {
  std::set<std::string> folders;  ///< folders that declare a target
  Edges all;                      ///< folders that the sources of a folder can include
  Edges exported;                 ///< folders that the headers of a folder can include and pass on
};
LinkGraph read_link_graph(const std::string& text);

/// Returns one sentence for each link of the build that differs from the table. Tests may use
/// everything.
std::vector<std::string> link_violations(const Edges& allowed, const LinkGraph& links);

/// Returns one sentence for each include that has no link, that the table forbids, or whose path
/// does not start at the root of the repository. Tests may include each other's headers.
std::vector<std::string> include_violations(const std::vector<SourceFile>& files,
                                            const Edges& allowed, const LinkGraph& links);

/// Returns one sentence for each source that has a header of its name but does not include it
/// first. With this order, compiling the source proves that the header is self-contained.
std::vector<std::string> own_header_violations(const std::vector<SourceFile>& files);

}  // namespace normproof::tests::meta
