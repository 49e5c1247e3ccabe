#include "verification/golden/certify/corpus_files.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "ref/io/atomic_file.hpp"
#include "ref/io/file_failure.hpp"
#include "ref/io/sha256.hpp"
#include "ref/io/tensor_file.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/golden/certify/bless.hpp"

namespace normproof::verification::golden::certify {

using corpus::path_of;

namespace fs = std::filesystem;

namespace {

std::vector<StoredTensor> read_checked(const fs::path& file, const std::string& expected_sha256) {
  std::vector<StoredTensor> tensors = ref::io::read_tensors(file);
  const std::string sha256 = content_sha256(tensors);
  if (sha256 != expected_sha256)
    ref::io::file_failure(file.string(), "the content",
                          fmt::format("has the SHA-256 {}: it was altered", sha256),
                          fmt::format("{}, as manifest.json has it", expected_sha256));
  return tensors;
}

/// manifest.json is what SHA256SUMS says: options and tolerances count as much as tensors.
void check_sum(const fs::path& folder, const std::string& manifest) {
  const fs::path file = folder / "SHA256SUMS";
  const std::string line = ref::io::sha256(manifest) + "  manifest.json\n";
  if (ref::io::read_text(file).find(line) == std::string::npos)
    ref::io::file_failure(file.string(), "the line of manifest.json",
                          "is not that of the file: one of them was altered",
                          line.substr(0, line.size() - 1));
}

}  // namespace

std::vector<CaseDescription> list_corpus(const fs::path& folder, const std::string& only) {
  const fs::path file = folder / "manifest.json";
  const std::string text = ref::io::read_text(file);
  std::vector<CaseDescription> cases = parse_manifest(text, file.string());
  check_sum(folder, text);
  check_blessed(folder, text);
  std::erase_if(cases, [&](const CaseDescription& description) {
    return fnmatch(only.c_str(), description.path.c_str(), 0) != 0;
  });
  if (cases.empty())
    throw ref::numeric::UsageError(
        fmt::format("--only '{}' names no case of {}; expected a glob such as '*/layer_norm/*'",
                    only, file.string()));
  return cases;
}

StoredCase read_case(const fs::path& folder, const CaseDescription& description) {
  const fs::path place = folder / description.path;
  StoredCase stored{description, {}};
  Case& c = stored.description.c;
  if (const fs::path file = place / "case.json"; ref::io::read_text(file) != description.case_text)
    ref::io::file_failure(file.string(), "the text", "is another one: it was altered",
                          "that of manifest.json");
  c.inputs = read_checked(place / "inputs.safetensors", description.inputs_sha256);
  stored.expected = read_checked(place / "expected.safetensors", description.expected_sha256);
  if (path_of(c) != description.path)
    ref::io::file_failure((place / "inputs.safetensors").string(), "the tensor x",
                          fmt::format("belongs to a case '{}'", path_of(c)),
                          fmt::format("the shape of '{}'", description.path));
  return stored;
}

}  // namespace normproof::verification::golden::certify
