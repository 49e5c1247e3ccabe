#include "verification/golden/certify/make.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "ref/io/atomic_file.hpp"
#include "ref/io/safetensors.hpp"
#include "ref/io/sha256.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/golden/certify/blessing.hpp"
#include "verification/golden/certify/corpus_version.hpp"
#include "verification/golden/certify/for_each_in_parallel.hpp"
#include "verification/golden/certify/manifest.hpp"
#include "verification/golden/certify/new_folder.hpp"
#include "verification/golden/certify/sums.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::certify {

using corpus::case_folder;

namespace fs = std::filesystem;
using ref::numeric::UsageError;

namespace {

std::vector<Case> select_cases(const MakeOptions& options) {
  std::vector<Case> chosen;
  std::vector<std::string> paths;
  for (const Tier tier : options.tiers)
    for (Case& c : recipes::corpus(tier, recipes::kCorpusSeed, options.only)) {
      paths.push_back(case_folder(c));
      chosen.push_back(std::move(c));
    }
  if (const auto idle = options.only.first_unmatched_glob(paths))
    throw UsageError(
        fmt::format("--only '{}' names no case; expected a glob such as '*/layer_norm/*'", *idle));
  std::ranges::sort(chosen, {}, case_folder);
  return chosen;
}

/// The lines and hashes that one case contributes to the files of the whole corpus.
struct WrittenCase {
  std::string case_text;
  Sums sums;
  std::size_t elements = 0;
};

WrittenCase write_case(const fs::path& folder, const Case& c) {
  const Expected expected = certify(c);
  WrittenCase written_case{manifest_entry_text(c, expected), {}, expected.certificate.elements};
  const std::string path = case_folder(c);
  NewFolder::create(folder / path);
  const auto write = [&](const char* name, std::span<const std::byte> bytes) {
    ref::io::write_file(folder / path / name, bytes);
    written_case.sums.emplace(path + "/" + name, ref::io::sha256(bytes));
  };
  const std::string asked = case_file_text(written_case.case_text);
  write("case.json", std::as_bytes(std::span(asked.data(), asked.size())));
  write("expected.safetensors", ref::io::encode_safetensors(expected.tensors));
  write("inputs.safetensors", ref::io::encode_safetensors(c.inputs));
  return written_case;
}

}  // namespace

MakeSummary make_corpus(const fs::path& out, const MakeOptions& options) {
  NewFolder folder("--out", out);
  const std::vector<Case> cases = select_cases(options);
  std::vector<WrittenCase> written_case(cases.size());
  std::mutex mutex;
  std::size_t done = 0;
  for_each_in_parallel(cases.size(), options.jobs, [&](std::size_t i) {
    written_case[i] = write_case(folder.path(), cases[i]);
    const std::lock_guard lock(mutex);
    ++done;
    if (options.finished) options.finished(case_folder(cases[i]), done, cases.size());
  });
  MakeSummary summary{cases.size(), 0};
  std::vector<std::string> texts;
  Sums sums;
  for (WrittenCase& w : written_case) {
    summary.elements += w.elements;
    texts.push_back(std::move(w.case_text));
    sums.merge(w.sums);
  }
  const std::string manifest = manifest_json(texts);
  ref::io::write_file(folder.path() / "manifest.json", manifest);
  sums.emplace("manifest.json", ref::io::sha256(manifest));
  const std::string lines = checksums_text(sums);
  ref::io::write_file(folder.path() / kSumsFile, lines);
  const Blessing blessing = {.reason = "made by 'normproof golden make'",
                             .added = summary.cases,
                             .manifest_after = ref::io::sha256(manifest),
                             .sums_after = ref::io::sha256(lines),
                             .version = built_corpus_version().number()};
  ref::io::write_file(folder.path() / kLedgerFile, blessing_line(blessing));
  folder.publish();
  return summary;
}

}  // namespace normproof::verification::golden::certify
