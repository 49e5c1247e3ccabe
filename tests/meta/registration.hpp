#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/meta/source_tree.hpp"

namespace normproof::tests::meta {

/// Returns one sentence for each *.cpp below root's ref, gpu, verification and tests, and for each
/// header of a library, that the CMakeLists.txt of its folder does not name: a test that is not
/// built proves nothing, and a header that is not named is not installed.
std::vector<std::string> unregistered_sources(const std::filesystem::path& root,
                                              const std::vector<SourceFile>& files);

/// One sentence for each ref/x/y.{hpp,cpp} or verification/x/y.{hpp,cpp} without
/// tests/.../y_test.cpp that `exceptions` does not explain, and for each exception that is not
/// needed or has no reason. exceptions: a line "because <reason>", then the paths without extension
/// that it holds for.
std::vector<std::string> unmirrored_sources(const std::vector<SourceFile>& files,
                                            const std::string& exceptions);

/// One sentence for each entry of the repository's root that is neither one of the house nor a
/// dotfile nor named in .gitignore.
std::vector<std::string> foreign_top_level_entries(const std::filesystem::path& root);

}  // namespace normproof::tests::meta
