#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/meta/source_tree.hpp"

namespace normproof::tests::meta {

/// Returns one sentence for each line of ref/norm that does work of the traversals in ref/ops:
/// prefetching, non-temporal stores, fences, instructions by name.
std::vector<std::string> speed_in_formulas(const std::filesystem::path& root,
                                           const std::vector<SourceFile>& files);

/// Returns one sentence for each ref/norm/<name>_formula.hpp that no source of a contract includes,
/// that includes another file of ref/norm, or that includes the standard library, whose inline
/// functions would be compiled for one instruction set and linked for all.
std::vector<std::string> scattered_formulas(const std::filesystem::path& root,
                                            const std::vector<SourceFile>& files);

}  // namespace normproof::tests::meta
