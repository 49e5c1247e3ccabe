#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "verification/golden/certify/manifest.hpp"
#include "verification/golden/corpus/path_globs.hpp"

namespace normproof::verification::golden::certify {

/// A case as its folder holds it.
struct StoredCase {
  CaseDescription description;  ///< with the inputs
  std::vector<StoredTensor> expected;
};

/// A case of no folder, as its folder would hold it.
StoredCase certified_case(const Case& c);

/// What is expected of an output: high + low.
struct ExactValues {
  std::vector<double> high, low;
};
/// Requires  the case has an output of that name; a count has no remainder
ExactValues exact_values(const StoredCase& stored, const std::string& output);

/// The folder of the corpus that is meant: itself, or `data` in it where that has the manifest.
std::filesystem::path corpus_folder(const std::filesystem::path& folder);

/// Computes  the cases of manifest.json that the globs match, without their tensors
/// Throws    UsageError where a glob, which it calls `named`, matches none; FileError as read_file,
///           parse_manifest, check_sums and check_blessed
std::vector<CaseDescription> list_corpus(const std::filesystem::path& folder,
                                         const corpus::PathGlobs& only,
                                         std::string_view named = "--only");

/// Reads the folder of a case that the manifest names.
/// Requires  the description is of list_corpus
/// Throws    FileError naming the file: absent, no regular one, truncated, altered (another SHA-256
///           than SHA256SUMS has of the file, or manifest.json of its contents), a case.json that
///           manifest.json does not hold
StoredCase read_case(const std::filesystem::path& folder, const CaseDescription& description);

}  // namespace normproof::verification::golden::certify
