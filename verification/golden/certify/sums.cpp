#include "verification/golden/certify/sums.hpp"

#include <fmt/format.h>

#include "ref/io/atomic_file.hpp"
#include "ref/io/file_failure.hpp"
#include "ref/io/sha256.hpp"
#include "verification/support/process/lines.hpp"

namespace normproof::verification::golden::certify {

using ref::io::file_failure;

namespace {

constexpr std::size_t kDigits = 64;

/// The SHA-256 sums of files by path. Each sum is removed when it is used, so that unused lines can
/// be reported at the end.
class UnusedChecksums {
 public:
  UnusedChecksums(std::string file, Sums sums) : file_(std::move(file)), sums_(std::move(sums)) {}

  std::string remove_checksum(const std::string& path) {
    const auto found = sums_.find(path);
    if (found == sums_.end())
      file_failure(file_, "the line of " + path, "is missing", "one for each file of the corpus");
    std::string sum = std::move(found->second);
    sums_.erase(found);
    return sum;
  }

  void remove_checksum(const std::string& path, std::string_view content) {
    const std::string expected = ref::io::sha256(content);
    if (remove_checksum(path) != expected)
      file_failure(file_, "the line of " + path, "is not that of the file: one of them was altered",
                   fmt::format("{}  {}", expected, path));
  }

  /// If the stored sum for this path is the sum of `content`, removes the stored sum and returns
  /// true. Otherwise returns false.
  bool remove_checksum_if_equal(const std::string& path, std::string_view content) {
    const auto found = sums_.find(path);
    if (found == sums_.end() || found->second != ref::io::sha256(content)) return false;
    sums_.erase(found);
    return true;
  }

  void check_all_used() const {
    if (!sums_.empty())
      file_failure(file_, "the line of " + sums_.begin()->first,
                   "is about no file that manifest.json names",
                   "lines of files of the corpus alone");
  }

 private:
  std::string file_;
  Sums sums_;
};

}  // namespace

std::string checksums_text(const Sums& sums) {
  std::string text;
  for (const auto& [path, sum] : sums) text += fmt::format("{}  {}\n", sum, path);
  return text;
}

Sums parse_checksums(std::string_view text, const std::string& file) {
  Sums sums;
  for (const support::process::Line& line : support::process::split_lines(text)) {
    const auto fail = [&](const char* observation) {
      file_failure(file, fmt::format("line {}", line.number), observation,
                   "64 hexadecimal digits, two spaces and the path of a file, once");
    };
    if (!line.has_end) fail("is cut off");
    if (line.text.size() <= kDigits + 2 || line.text.substr(kDigits, 2) != "  " ||
        line.text.find_first_not_of("0123456789abcdef") != kDigits)
      fail("is no sum of a file");
    if (!sums.emplace(line.text.substr(kDigits + 2), line.text.substr(0, kDigits)).second)
      fail("is about the file of another line");
  }
  return sums;
}

std::string check_checksums(const std::filesystem::path& folder, std::string_view manifest_text,
                            std::vector<CaseDescription>& cases) {
  const std::filesystem::path file = folder / kSumsFile;
  std::string text = ref::io::read_text(file, {.regular_files_only = true});
  UnusedChecksums lines(file.string(), parse_checksums(text, file.string()));
  lines.remove_checksum("manifest.json", manifest_text);
  for (CaseDescription& description : cases) {
    const std::string of_case = description.path + "/case.json";
    if (lines.remove_checksum_if_equal(of_case, description.case_text))
      description.file_text = description.case_text;
    else
      lines.remove_checksum(of_case, description.file_text);
    description.inputs_file_sha256 =
        lines.remove_checksum(description.path + "/inputs.safetensors");
    description.expected_file_sha256 =
        lines.remove_checksum(description.path + "/expected.safetensors");
  }
  lines.check_all_used();
  return text;
}

}  // namespace normproof::verification::golden::certify
