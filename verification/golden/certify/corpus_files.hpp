#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "verification/golden/certify/manifest.hpp"

namespace normproof::verification::golden::certify {

/// A case as its folder holds it.
struct StoredCase {
  CaseDescription description;  ///< with the inputs
  std::vector<StoredTensor> expected;
};

/// Computes  the cases of manifest.json whose path matches the glob, without their tensors
/// Throws    UsageError where none matches; FileError as read_file, parse_manifest and
///           check_blessed
std::vector<CaseDescription> list_corpus(const std::filesystem::path& folder,
                                         const std::string& only);

/// Reads the folder of a case that the manifest names.
/// Throws    FileError naming the file: absent, truncated, altered (another SHA-256 of its contents
///           than manifest.json has), a case.json that manifest.json does not hold
StoredCase read_case(const std::filesystem::path& folder, const CaseDescription& description);

}  // namespace normproof::verification::golden::certify
