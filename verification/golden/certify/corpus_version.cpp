#include "verification/golden/certify/corpus_version.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <tuple>

#include "ref/io/atomic_file.hpp"
#include "ref/io/json_reader.hpp"
#include "verification/golden/certify/blessing.hpp"
#include "verification/support/process/lines.hpp"

namespace normproof::verification::golden::certify {

using nlohmann::json;

namespace {

constexpr std::size_t kHashDigits = 12;

/// Returns the count `name` in a line of BLESSINGS.jsonl, or 0 if an old version wrote the line
/// without counts.
std::size_t read_count(const ref::io::JsonReader& reader, const json& line, const char* name) {
  return line.contains(name) ? static_cast<std::size_t>(reader.whole(line, name, name)) : 0;
}

/// Parses a version number such as "2.4.0".
CorpusVersion parse_number(const ref::io::JsonReader& reader, const std::string& text) {
  CorpusVersion version;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t* const part : {&version.major, &version.minor, &version.patch}) {
    const auto [stop, error] = std::from_chars(at, end, *part);
    const bool last = part == &version.patch;
    if (error != std::errc{} || (last ? stop != end : stop == end || *stop != '.'))
      reader.fail("version", fmt::format("is '{}'", text), "three numbers, such as '2.4.0'");
    at = last ? stop : stop + 1;
  }
  return version;
}

}  // namespace

std::string CorpusVersion::number() const {
  return fmt::format("{}.{}.{}", major, minor, patch);
}

std::string CorpusVersion::text() const {
  return fmt::format("{}+{}", number(), hash);
}

bool CorpusVersion::matches_version_text(std::string_view asked) const {
  const std::string whole = text();
  if (asked.empty() || !whole.starts_with(asked)) return false;
  const std::string_view rest = std::string_view(whole).substr(asked.size());
  // Text after '+' is the hash, which may be abbreviated.
  return rest.empty() || rest.front() == '.' || rest.front() == '+' ||
         asked.find('+') != std::string_view::npos;
}

bool CorpusVersion::is_older_than(const CorpusVersion& other) const {
  return std::tie(major, minor, patch) < std::tie(other.major, other.minor, other.patch);
}

CorpusVersion parse_ledger_version(std::string_view ledger, const std::string& file) {
  const ref::io::JsonReader reader(file);
  CorpusVersion version;
  bool first = true;
  for (const support::process::Line& one : support::process::split_lines(ledger)) {
    const json line =
        reader.parse(one.text, "an object a line, as 'normproof golden bless' writes");
    const std::size_t added = read_count(reader, line, "added"),
                      moved =
                          read_count(reader, line, "changed") + read_count(reader, line, "removed");
    if (first) {
      if (line.contains("version"))
        version = parse_number(reader, reader.text(line, "version", "version"));
    } else if (moved > 0) {
      version = {version.major + 1, 0, 0};
    } else if (added > 0) {
      version = {version.major, version.minor + 1, 0};
    } else {
      ++version.patch;
    }
    first = false;
    version.hash = reader.sha256(line, "manifest_after", "manifest_after").substr(0, kHashDigits);
  }
  return version;
}

CorpusVersion corpus_version(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kLedgerFile;
  return parse_ledger_version(ref::io::read_text(file, {.regular_files_only = true}),
                              file.string());
}

CorpusVersion built_corpus_version() {
  return parse_ledger_version(ledger_at_build(), kLedgerFile);
}

}  // namespace normproof::verification::golden::certify
