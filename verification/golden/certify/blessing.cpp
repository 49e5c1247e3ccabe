#include "verification/golden/certify/blessing.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ref/io/atomic_file.hpp"
#include "ref/io/json_reader.hpp"
#include "ref/io/sha256.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/golden/certify/sums.hpp"
#include "verification/support/process/lines.hpp"

namespace normproof::verification::golden::certify {

namespace fs = std::filesystem;
using nlohmann::json;
using ref::numeric::FileError;

namespace {

[[noreturn]] void throw_altered_ledger_error(const fs::path& golden, const char* name) {
  throw FileError(fmt::format(
      "{}: is not the one that {} names last; expected changes by 'normproof golden bless' alone",
      (golden / name).string(), kLedgerFile));
}

/// Returns the SHA-256 in the field `name` of a line of BLESSINGS.jsonl, or "" if an old version
/// wrote the line without this field.
std::string optional_sha256(const ref::io::JsonReader& reader, const json& line, const char* name) {
  return line.contains(name) ? reader.sha256(line, name, name) : std::string();
}

}  // namespace

std::string blessing_line(const Blessing& blessing) {
  json line = {{"added", blessing.added},
               {"changed", blessing.changed},
               {"manifest_after", blessing.manifest_after},
               {"manifest_before", blessing.manifest_before},
               {"reason", blessing.reason},
               {"removed", blessing.removed},
               {"sums_after", blessing.sums_after}};
  if (!blessing.version.empty()) line["version"] = blessing.version;
  return line.dump() + "\n";
}

std::string check_blessed(const fs::path& golden, const std::string& manifest_text) {
  const fs::path file = golden / kLedgerFile;
  std::string text = ref::io::read_text(file, {.regular_files_only = true});
  const ref::io::JsonReader reader(file.string());
  std::string manifest, sums;  // the hashes in the previous line
  for (const support::process::Line& one : support::process::split_lines(text)) {
    const json line =
        reader.parse(one.text, "an object a line, as 'normproof golden bless' writes");
    const std::string before = reader.text(line, "manifest_before", "manifest_before");
    if (one.number > 1 && before != manifest)
      reader.fail(fmt::format("line {}: manifest_before", one.number),
                  "is not the manifest_after of the line before",
                  "every change, one after the other");
    manifest = reader.sha256(line, "manifest_after", "manifest_after");
    sums = optional_sha256(reader, line, "sums_after");
  }
  if (manifest != ref::io::sha256(manifest_text))
    throw_altered_ledger_error(golden, "manifest.json");
  if (!sums.empty() && sums != ref::io::sha256(ref::io::read_text(golden / kSumsFile)))
    throw_altered_ledger_error(golden, kSumsFile);
  return text;
}

}  // namespace normproof::verification::golden::certify
