#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/meta/source_tree.hpp"

namespace normproof::tests::meta {

/// folder -> the folders that it may use directly
using Edges = std::map<std::string, std::set<std::string>>;

/// The table of docs/layers.md: lines "<level> <folder> [<folder>, ...]".
Edges read_allowed(const std::string& markdown);

/// The link lines of the build, from link_graph.txt (written by link_graph.cmake).
struct LinkGraph {
  std::set<std::string> folders;  ///< folders that declare a target
  Edges all;                      ///< what the sources of a folder see
  Edges exported;                 ///< what the headers of a folder see, and hand on
};
LinkGraph read_link_graph(const std::string& text);

/// One sentence for each edge of the build that differs from the table. Tests may use everything.
std::vector<std::string> link_violations(const Edges& allowed, const LinkGraph& links);

/// One sentence for each include that goes past the link lines, up the table, or is not rooted at
/// the repository. Tests share headers among themselves freely.
std::vector<std::string> include_violations(const std::vector<SourceFile>& files,
                                            const Edges& allowed, const LinkGraph& links);

/// One sentence for each source that has a header of its name and does not include it first: this
/// order is what lets the compilation of the source prove that the header stands alone.
std::vector<std::string> own_header_violations(const std::vector<SourceFile>& files);

}  // namespace normproof::tests::meta
