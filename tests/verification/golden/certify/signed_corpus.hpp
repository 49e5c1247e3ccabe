#pragma once

#include <filesystem>
#include <fstream>

#include "ref/io/atomic_file.hpp"
#include "ref/io/sha256.hpp"
#include "verification/golden/certify/blessing.hpp"
#include "verification/golden/certify/sums.hpp"

namespace normproof::verification::golden::certify {

/// Writes the files SHA256SUMS and BLESSINGS.jsonl that match the current files of a corpus.
inline void sign(const std::filesystem::path& golden) {
  namespace fs = std::filesystem;
  Sums sums;
  for (const auto& entry : fs::recursive_directory_iterator(golden)) {
    const std::string path = fs::relative(entry.path(), golden).string();
    if (entry.is_regular_file() && path != kSumsFile && path != kLedgerFile)
      sums.emplace(path, ref::io::sha256(ref::io::read_text(entry.path())));
  }
  const std::string lines = checksums_text(sums);
  ref::io::write_file(golden / kSumsFile, lines);
  const Blessing blessing = {.reason = "signed again",
                             .manifest_after = sums.at("manifest.json"),
                             .sums_after = ref::io::sha256(lines)};
  ref::io::write_file(golden / kLedgerFile, blessing_line(blessing));
}

}  // namespace normproof::verification::golden::certify
