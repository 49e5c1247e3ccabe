#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "verification/golden/corpus/path_globs.hpp"

namespace normproof::verification::golden::candidate {

/// The format of an exported corpus.
/// - npz: the files inputs.npz and expected.npz for each case.
/// - onnx: test_data_set_0/input_<i>.pb and output_<i>.pb for each case. The first inputs are x,
///   gamma and beta; the first output is y.
/// - text: the files inputs.txt and expected.txt, with one line per case in the format of --pipe.
enum class ExportFormat { npz, onnx, text };
/// Returns the format of that name.
/// Throws    UsageError with the nearest known name
ExportFormat parse_export_format(std::string_view name);

struct ExportSummary {
  std::size_t cases = 0;
  std::size_t left_out = 0;  ///< number of bfloat16 cases, which npz cannot represent
};

/// Writes the cases that match the globs to a new folder in another format. The folder appears only
/// when it is complete. The same corpus always gives the same bytes.
/// Throws    UsageError if `out` already exists or no case matches; FileError
ExportSummary export_corpus(const std::filesystem::path& golden, const corpus::PathGlobs& only,
                            ExportFormat format, const std::filesystem::path& out);

}  // namespace normproof::verification::golden::candidate
