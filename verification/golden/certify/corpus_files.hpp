#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ref/tensor/named_tensors.hpp"
#include "verification/golden/certify/manifest.hpp"
#include "verification/golden/certify/row_blocks.hpp"
#include "verification/golden/corpus/path_globs.hpp"

namespace normproof::verification::golden::certify {

/// A case from which some rows were drawn.
struct AllRows {
  Case c;
  /// The largest distance of the expected value of each output that is a sum over all rows from the
  /// exact value.
  ref::tensor::NamedTensors<double> radius;
};

/// A case with its expected outputs, as stored in the folder of the case.
struct StoredCase {
  CaseDescription description;  ///< the description, including the inputs
  std::vector<StoredTensor> expected;
  /// If the rows of the case were drawn from those of another one, the outputs that are sums over
  /// rows are the sums over all rows of that case. Null for any other case.
  std::shared_ptr<const AllRows> all_rows = {};
};

/// Returns a description without the tensors of the case.
CaseDescription copy_without_inputs(const CaseDescription& description);

/// Certifies a case that is not stored in any folder. Returns the contents that its folder would
/// have.
StoredCase certify_case(const Case& c);

/// The exact values of one output. The value of each element is high + low.
struct ExactValues {
  std::vector<double> high, low;
};
/// Returns the exact values of an output. `low` is 0 for an output without remainders, such as a
/// count.
/// Requires  the case has an output of that name
ExactValues exact_values(const StoredCase& stored, const std::string& output);

/// Returns the folder of the corpus. This is `folder` itself, or its subfolder `data` if the
/// manifest is there.
std::filesystem::path corpus_folder(const std::filesystem::path& folder);

/// Returns the cases of manifest.json that match the globs, without their tensors.
/// Throws    UsageError if a glob matches no case (`named` is the command-line option that gave the
///           globs); FileError as read_file, parse_manifest, check_checksums and check_blessed do
std::vector<CaseDescription> list_corpus(const std::filesystem::path& folder,
                                         const corpus::PathGlobs& only,
                                         std::string_view named = "--only");

/// Reads the tensors of a case from its folder.
/// Requires  the description is from list_corpus
/// Throws    FileError that names the file, if it is absent, not a regular file, truncated or
///           altered, or if case.json contradicts manifest.json. A file counts as altered if its
///           SHA-256 differs from the one in SHA256SUMS, or if the SHA-256 of its contents differs
///           from the one in manifest.json
StoredCase read_case(const std::filesystem::path& folder, const CaseDescription& description);

}  // namespace normproof::verification::golden::certify
