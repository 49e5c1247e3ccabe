#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "verification/golden/corpus/path_globs.hpp"

namespace normproof::verification::golden::candidate {

/// npz: inputs.npz and expected.npz a case. onnx: test_data_set_0/input_<i>.pb and output_<i>.pb a
/// case, x, gamma and beta first, y first. text: inputs.txt and expected.txt, a line a case as
/// --pipe has it.
enum class ExportFormat { npz, onnx, text };
/// Throws    UsageError with the nearest known name
ExportFormat export_format_of(std::string_view name);

struct ExportSummary {
  std::size_t cases = 0;
  std::size_t left_out = 0;  ///< of bfloat16, which npz does not know
};

/// Writes the cases of a corpus that the globs match in another format; the folder appears when it
/// is complete. The same corpus gives the same bytes.
/// Throws    UsageError where `out` is there already or nothing matches; FileError
ExportSummary export_corpus(const std::filesystem::path& golden, const corpus::PathGlobs& only,
                            ExportFormat format, const std::filesystem::path& out);

}  // namespace normproof::verification::golden::candidate
