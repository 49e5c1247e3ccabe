#include "verification/golden/candidate/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "ref/io/atomic_file.hpp"
#include "ref/io/npz.hpp"
#include "ref/io/onnx_tensor.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/golden/candidate/pipe_text.hpp"
#include "verification/golden/certify/corpus_files.hpp"
#include "verification/golden/certify/new_folder.hpp"

namespace normproof::verification::golden::candidate {

using certify::CaseDescription;
using certify::list_corpus;
using certify::NewFolder;
using certify::read_case;
using certify::StoredCase;
using ref::io::DType;

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::pair<std::string_view, ExportFormat>, 3> kFormats = {
    {{"npz", ExportFormat::npz}, {"onnx", ExportFormat::onnx}, {"text", ExportFormat::text}}};

/// Returns the expected tensors without the remainders ("y_lo").
std::vector<StoredTensor> expected_values(const StoredCase& stored) {
  std::vector<StoredTensor> values = stored.expected;
  std::erase_if(values, [](const StoredTensor& tensor) { return tensor.name.ends_with("_lo"); });
  return values;
}

bool has_bfloat16_input(const StoredCase& stored) {
  return std::ranges::any_of(stored.description.c.inputs, [](const StoredTensor& tensor) {
    return tensor.dtype == DType::bfloat16;
  });
}

void write_npz(const fs::path& place, const StoredCase& stored) {
  ref::io::write_file(place / "inputs.npz", ref::io::encode_npz(stored.description.c.inputs));
  ref::io::write_file(place / "expected.npz", ref::io::encode_npz(stored.expected));
}

/// Writes each tensor to a numbered file. x, y, gamma and beta have the first numbers, because they
/// come first in ONNX operators.
void write_protobufs(const fs::path& folder, const char* prefix,
                     std::vector<StoredTensor> tensors) {
  const auto rank = [](const StoredTensor& tensor) {
    constexpr std::array<std::string_view, 4> kLeadingNames = {"x", "y", "gamma", "beta"};
    return std::ranges::find(kLeadingNames, tensor.name) - kLeadingNames.begin();
  };
  std::ranges::stable_sort(tensors, {}, rank);
  for (std::size_t i = 0; i < tensors.size(); ++i)
    ref::io::write_file(folder / fmt::format("{}_{}.pb", prefix, i),
                        ref::io::encode_onnx_tensor(tensors[i]));
}

}  // namespace

ExportFormat parse_export_format(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& [format_name, format] : kFormats) {
    if (format_name == name) return format;
    known.emplace_back(format_name);
  }
  throw ref::numeric::UsageError(ref::numeric::unknown_name("format", name, known));
}

ExportSummary export_corpus(const fs::path& golden, const corpus::PathGlobs& only,
                            ExportFormat format, const fs::path& out) {
  const std::vector<CaseDescription> cases = list_corpus(golden, only);
  NewFolder folder("--out", out);
  ExportSummary summary;
  std::string inputs, expected;
  for (const CaseDescription& description : cases) {
    const StoredCase stored = read_case(golden, description);
    const fs::path place = folder.path() / description.path;
    if (format == ExportFormat::npz && has_bfloat16_input(stored)) {
      ++summary.left_out;
      continue;
    }
    ++summary.cases;
    if (format == ExportFormat::npz) {
      NewFolder::create(place);
      write_npz(place, stored);
    } else if (format == ExportFormat::onnx) {
      NewFolder::create(place / "test_data_set_0");
      write_protobufs(place / "test_data_set_0", "input", stored.description.c.inputs);
      write_protobufs(place / "test_data_set_0", "output", expected_values(stored));
    } else {
      inputs += case_to_line(stored.description.c);
      inputs += '\n';
      expected += output_line(description.path, expected_values(stored));
      expected += '\n';
    }
  }
  if (summary.cases == 0)
    throw ref::numeric::UsageError(fmt::format(
        "--format npz leaves out each of the {} cases, for it knows no bfloat16; expected "
        "another format",
        summary.left_out));
  if (format == ExportFormat::text) {
    ref::io::write_file(folder.path() / "inputs.txt", inputs);
    ref::io::write_file(folder.path() / "expected.txt", expected);
  }
  folder.publish();
  return summary;
}

}  // namespace normproof::verification::golden::candidate
