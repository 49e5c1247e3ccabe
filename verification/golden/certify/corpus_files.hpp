#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "verification/golden/certify/manifest.hpp"
#include "verification/golden/corpus/path_globs.hpp"

namespace normproof::verification::golden::certify {

/// A case as it is stored in its folder.
struct StoredCase {
  CaseDescription description;  ///< the description, including the inputs
  std::vector<StoredTensor> expected;
};

/// Certifies a case that is in no folder; returns what its folder would hold.
StoredCase certified_case(const Case& c);

/// The exact values of an output: high + low.
struct ExactValues {
  std::vector<double> high, low;
};
/// Requires  the case has an output of that name; a count has no remainder
ExactValues exact_values(const StoredCase& stored, const std::string& output);

/// Returns the folder of the corpus: `folder` itself, or its subfolder `data` if that holds the
/// manifest.
std::filesystem::path corpus_folder(const std::filesystem::path& folder);

/// Computes  the cases of manifest.json that match the globs, without their tensors
/// Throws    UsageError if a glob matches no case (`named` is the option that it came from);
///           FileError as read_file, parse_manifest, check_sums and check_blessed do
std::vector<CaseDescription> list_corpus(const std::filesystem::path& folder,
                                         const corpus::PathGlobs& only,
                                         std::string_view named = "--only");

/// Reads the folder of a case of the manifest.
/// Requires  the description is from list_corpus
/// Throws    FileError naming the file if it is absent, not a regular file, truncated or altered
///           (its SHA-256 differs from SHA256SUMS, or that of its contents from manifest.json), or
///           if case.json contradicts manifest.json
StoredCase read_case(const std::filesystem::path& folder, const CaseDescription& description);

}  // namespace normproof::verification::golden::certify
