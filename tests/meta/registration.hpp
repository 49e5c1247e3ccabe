#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/meta/source_tree.hpp"

namespace normproof::tests::meta {

/// Returns one sentence for each *.cpp below root's ref, gpu, verification and tests that the
/// CMakeLists.txt of its folder does not name, since a test that is not built proves nothing.
std::vector<std::string> unregistered_sources(const std::filesystem::path& root,
                                              const std::vector<SourceFile>& files);

/// Returns one sentence for each ref/x/y.{hpp,cpp} or verification/x/y.{hpp,cpp} without
/// tests/.../y_test.cpp, unless `exceptions` explains it, and for each exception that is not needed
/// or has no reason. `exceptions` has a line "because <reason>", followed by the paths without
/// extension that it applies to.
std::vector<std::string> unmirrored_sources(const std::vector<SourceFile>& files,
                                            const std::string& exceptions);

/// Returns one sentence for each entry of the repository's root that is unexpected: neither known,
/// nor a dotfile, nor named in .gitignore.
std::vector<std::string> foreign_top_level_entries(const std::filesystem::path& root);

}  // namespace normproof::tests::meta
