#include "verification/golden/certify/bless.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "ref/io/atomic_file.hpp"
#include "ref/io/left_behind.hpp"
#include "ref/io/sha256.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/checks/compare/ulp.hpp"
#include "verification/golden/certify/blessing.hpp"
#include "verification/golden/certify/corpus_files.hpp"
#include "verification/golden/certify/sums.hpp"
#include "verification/golden/corpus/arithmetic.hpp"

namespace normproof::verification::golden::certify {

using corpus::find;
using corpus::ulp_size;

namespace fs = std::filesystem;
using ref::numeric::FileError;

namespace {

std::string read_manifest(const fs::path& corpus) {
  std::error_code ignored;
  const fs::path file = corpus / "manifest.json";
  return fs::exists(file, ignored) ? ref::io::read_text(file) : std::string();
}

std::string read_ledger(const fs::path& corpus) {
  std::error_code ignored;
  const fs::path file = corpus / kLedgerFile;
  return fs::exists(file, ignored) ? ref::io::read_text(file) : std::string();
}

std::map<std::string, CaseDescription> map_cases_by_path(const fs::path& corpus) {
  std::map<std::string, CaseDescription> cases;
  std::error_code ignored;
  if (!fs::exists(corpus / "manifest.json", ignored)) return cases;
  for (CaseDescription& description : list_corpus(corpus, "*"))
    cases.emplace(description.path, description);
  return cases;
}

/// Describes the difference of two tensors, such as "y: 3 of 90 elements, at most 2 ulp".
/// Returns nothing if they are equal.
std::optional<std::string> tensor_difference(const StoredTensor& before,
                                             const StoredTensor& after) {
  if (before == after) return std::nullopt;
  if (before.dtype != after.dtype || before.shape != after.shape)
    return fmt::format("{}: {} [{}] becomes {} [{}]", after.name, ref::io::to_string(before.dtype),
                       fmt::join(before.shape, ","), ref::io::to_string(after.dtype),
                       fmt::join(after.shape, ","));
  const std::vector<double> old_values = ref::io::widen(before), values = ref::io::widen(after);
  std::size_t count = 0;
  double ulps = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (checks::compare::is_same_number(old_values[i], values[i])) continue;
    ++count;
    ulps = std::max(ulps,
                    std::fabs(values[i] - old_values[i]) / ulp_size(old_values[i], before.dtype));
  }
  return fmt::format("{}: {} of {} elements, at most {:.3g} ulp", after.name, count, values.size(),
                     ulps);
}

/// Describes the differences of a case between two corpora, in the form "<path>: <output>: ...;
/// ...".
std::string case_difference(const fs::path& before, const CaseDescription& old_case,
                            const fs::path& after, const CaseDescription& new_case) {
  const StoredCase old_stored = read_case(before, old_case), stored = read_case(after, new_case);
  std::vector<std::string> parts;
  if (old_case.inputs_sha256 != new_case.inputs_sha256) parts.emplace_back("other inputs");
  std::set<std::string> names(old_case.outputs.begin(), old_case.outputs.end());
  names.insert(new_case.outputs.begin(), new_case.outputs.end());
  for (const std::string& name : names) {
    const StoredTensor* const old_tensor = find(old_stored.expected, name);
    const StoredTensor* const tensor = find(stored.expected, name);
    if (old_tensor == nullptr || tensor == nullptr) {
      parts.push_back(fmt::format("{} is {}", name, tensor == nullptr ? "gone" : "new"));
    } else if (const auto found = tensor_difference(*old_tensor, *tensor)) {
      parts.push_back(*found);
    }
  }
  if (parts.empty()) parts.emplace_back("its description, or a remainder, alone");
  return fmt::format("{}: {}", new_case.path, fmt::join(parts, "; "));
}

CorpusDifference compare_corpora(const fs::path& before, const fs::path& after) {
  const auto old_cases = map_cases_by_path(before), cases = map_cases_by_path(after);
  CorpusDifference difference;
  // The next statement throws if an old case is damaged.
  for (const auto& [path, old_case] : old_cases) read_case(before, old_case);
  for (const auto& [path, old_case] : old_cases)
    if (!cases.contains(path)) difference.removed.push_back(path);
  for (const auto& [path, description] : cases) {
    const auto old_case = old_cases.find(path);
    if (old_case == old_cases.end()) {
      difference.added.push_back(path);
    } else if (old_case->second.case_text != description.case_text) {
      difference.changed.push_back(case_difference(before, old_case->second, after, description));
    }
  }
  return difference;
}

std::vector<Tier> corpus_tiers(const fs::path& corpus, std::vector<Tier> tiers) {
  for (const auto& [path, description] : map_cases_by_path(corpus))
    tiers.push_back(description.c.tier);
  if (tiers.empty()) tiers.push_back(Tier::quick);
  std::ranges::sort(tiers);
  tiers.erase(std::unique(tiers.begin(), tiers.end()), tiers.end());
  return tiers;
}

/// The path of a temporary folder for the new corpus. The destructor removes the folder and its
/// contents.
class NewCorpusFolder {
 public:
  explicit NewCorpusFolder(const fs::path& golden) {
    const fs::path named = golden.has_filename() ? golden : golden.parent_path();
    const fs::path parent = named.has_parent_path() ? named.parent_path() : fs::path(".");
    const std::string name = named.filename().string();
    ref::io::remove_leftover_entries(parent, fmt::format(".{}-", name), ".new");
    // An interrupted make_corpus leaves these folders behind.
    ref::io::remove_leftover_entries(parent, fmt::format("..{}-", name), ".tmp");
    path_ = named.parent_path() / fmt::format(".{}-{}.new", name, getpid());
  }
  ~NewCorpusFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  NewCorpusFolder(const NewCorpusFolder&) = delete;
  NewCorpusFolder& operator=(const NewCorpusFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Exchanges the names of the two folders atomically, so that a reader sees either the old corpus
/// or the new one.
void exchange_folders(const fs::path& made, const fs::path& golden) {
  std::error_code ignored;
  const unsigned flags = fs::exists(golden, ignored) ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, golden.c_str(), flags) == 0) return;
  throw FileError(fmt::format("{}: the new corpus cannot take its place ({}); the old one is kept",
                              golden.string(), std::strerror(errno)));
}

}  // namespace

CorpusDifference bless(const fs::path& golden, const BlessOptions& options) {
  const char* const ci = std::getenv("CI");
  if (ci != nullptr && *ci != '\0')
    throw ref::numeric::UsageError(
        "the environment variable CI is set; expected a person who changes expected values");
  const NewCorpusFolder made(golden);
  make_corpus(made.path(), {.tiers = corpus_tiers(golden, options.tiers),
                            .only = options.only,
                            .jobs = options.jobs,
                            .finished = options.finished});
  CorpusDifference difference = compare_corpora(golden, made.path());
  if (difference.empty()) return difference;
  const std::string reason = options.reason(difference);
  if (reason.empty()) return difference;
  const std::string before = read_manifest(golden), after = read_manifest(made.path());
  const Blessing blessing = {
      .reason = reason,
      .added = difference.added.size(),
      .removed = difference.removed.size(),
      .changed = difference.changed.size(),
      .manifest_before = before.empty() ? "" : ref::io::sha256(before),
      .manifest_after = ref::io::sha256(after),
      .sums_after = ref::io::sha256(ref::io::read_text(made.path() / kSumsFile))};
  ref::io::write_file(made.path() / kLedgerFile, read_ledger(golden) + blessing_line(blessing));
  exchange_folders(made.path(), golden);
  return difference;
}

}  // namespace normproof::verification::golden::certify
