#include "verification/golden/certify/corpus_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>

#include "ref/io/atomic_file.hpp"
#include "ref/io/file_failure.hpp"
#include "ref/io/safetensors.hpp"
#include "ref/io/sha256.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/golden/certify/blessing.hpp"
#include "verification/golden/certify/certificate.hpp"
#include "verification/golden/certify/sums.hpp"

namespace normproof::verification::golden::certify {

using corpus::case_folder;

namespace fs = std::filesystem;

namespace {

std::vector<StoredTensor> read_tensors_and_check_hash(const fs::path& file,
                                                      const std::string& file_sha256,
                                                      const std::string& expected_sha256) {
  const std::vector<std::byte> bytes = ref::io::read_file(file, {.regular_files_only = true});
  if (const std::string sha256 = ref::io::sha256(bytes); sha256 != file_sha256)
    ref::io::file_failure(file.string(), "the file",
                          fmt::format("has the SHA-256 {}: it was altered", sha256),
                          fmt::format("{}, as {} has it", file_sha256, kSumsFile));
  std::vector<StoredTensor> tensors = ref::io::decode_safetensors(bytes, file.string());
  const std::string sha256 = content_sha256(tensors);
  if (sha256 != expected_sha256)
    ref::io::file_failure(file.string(), "the content",
                          fmt::format("has the SHA-256 {}: it was altered", sha256),
                          fmt::format("{}, as manifest.json has it", expected_sha256));
  return tensors;
}

/// The contents of the files that list the cases of a corpus, and the cases that they list.
struct CorpusListing {
  fs::path folder;
  std::string manifest, sums, blessings;
  std::vector<CaseDescription> cases;
};

/// Returns the list of all cases of a corpus.
///
/// Computes  the list, and caches it: if the files that list the cases have the same contents at
///           the next call, they are not parsed or hashed again
/// Throws    FileError as read_file, parse_manifest, check_checksums and check_blessed do
std::shared_ptr<const CorpusListing> list_corpus_cached(const fs::path& folder) {
  static std::mutex mutex;
  static std::shared_ptr<const CorpusListing> kept;
  const auto read_text_of = [&](const char* name) {
    return ref::io::read_text(folder / name, {.regular_files_only = true});
  };
  std::shared_ptr<const CorpusListing> last;
  {
    const std::lock_guard lock(mutex);
    last = kept;
  }
  CorpusListing now{folder, read_text_of("manifest.json"), {}, {}, {}};
  if (last != nullptr && last->folder == folder && last->manifest == now.manifest &&
      last->sums == read_text_of(kSumsFile) && last->blessings == read_text_of(kLedgerFile))
    return last;
  now.cases = parse_manifest(now.manifest, (folder / "manifest.json").string());
  now.sums = check_checksums(folder, now.manifest, now.cases);
  now.blessings = check_blessed(folder, now.manifest);
  last = std::make_shared<const CorpusListing>(std::move(now));
  const std::lock_guard lock(mutex);
  return kept = last;
}

}  // namespace

StoredCase certify_case(const Case& c) {
  StoredCase stored;
  stored.description.path = corpus::case_folder(c);
  stored.description.c = c;
  stored.expected = certify(c).tensors;
  return stored;
}

CaseDescription copy_without_inputs(const CaseDescription& description) {
  return {.path = description.path,
          .c = copy_without_inputs(description.c),
          .condition = description.condition,
          .outputs = description.outputs,
          .case_text = description.case_text,
          .file_text = description.file_text,
          .inputs_sha256 = description.inputs_sha256,
          .expected_sha256 = description.expected_sha256,
          .inputs_file_sha256 = description.inputs_file_sha256,
          .expected_file_sha256 = description.expected_file_sha256};
}

ExactValues exact_values(const StoredCase& stored, const std::string& output) {
  ExactValues exact{ref::io::widen(*corpus::find(stored.expected, output)), {}};
  const StoredTensor* const low = corpus::find(stored.expected, output + "_lo");
  exact.low = low == nullptr ? std::vector<double>(exact.high.size(), 0.0) : ref::io::widen(*low);
  return exact;
}

fs::path corpus_folder(const fs::path& folder) {
  std::error_code ignored;
  const bool is_inside = !fs::exists(folder / "manifest.json", ignored) &&
                         fs::exists(folder / "data" / "manifest.json", ignored);
  return is_inside ? folder / "data" : folder;
}

std::vector<CaseDescription> list_corpus(const fs::path& folder, const corpus::PathGlobs& only,
                                         std::string_view named) {
  const std::shared_ptr<const CorpusListing> all = list_corpus_cached(folder);
  std::vector<std::string> paths;
  paths.reserve(all->cases.size());
  for (const CaseDescription& description : all->cases) paths.push_back(description.path);
  if (const auto idle = only.first_unmatched_glob(paths))
    throw ref::numeric::UsageError(
        fmt::format("{} '{}' names no case of {}; expected a glob such as '*/layer_norm/*'", named,
                    *idle, (folder / "manifest.json").string()));
  std::vector<CaseDescription> cases;
  std::ranges::copy_if(
      all->cases, std::back_inserter(cases),
      [&](const CaseDescription& description) { return only.match(description.path); });
  return cases;
}

StoredCase read_case(const fs::path& folder, const CaseDescription& description) {
  const fs::path place = folder / description.path;
  StoredCase stored{description, {}};
  Case& c = stored.description.c;
  if (const fs::path file = place / "case.json";
      ref::io::read_text(file, {.regular_files_only = true}) != description.file_text)
    ref::io::file_failure(file.string(), "the text", "is another one: it was altered",
                          "that of manifest.json");
  c.inputs = read_tensors_and_check_hash(place / "inputs.safetensors",
                                         description.inputs_file_sha256, description.inputs_sha256);
  stored.expected =
      read_tensors_and_check_hash(place / "expected.safetensors", description.expected_file_sha256,
                                  description.expected_sha256);
  if (case_folder(c) != description.path)
    ref::io::file_failure((place / "inputs.safetensors").string(), "the tensor x",
                          fmt::format("belongs to a case '{}'", case_folder(c)),
                          fmt::format("the shape of '{}'", description.path));
  return stored;
}

}  // namespace normproof::verification::golden::certify
