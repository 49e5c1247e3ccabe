#pragma once

#include <filesystem>
#include <string>

#include "tests/verification/cli/program_run.hpp"

namespace normproof::tests::verification::cli {

/// Writes 24 sentences and their vocabulary into a folder. With this small corpus, the statistics
/// of `normproof verify` take little time. Returns the two command-line options that name the
/// files.
inline std::string write_small_corpus(const std::filesystem::path& folder) {
  std::string sentences;
  for (int i = 0; i < 8; ++i)
    sentences += "good news@positive\r\nbad news@negative\r\nnews news@neutral\r\n";
  write_file(folder / "sentences.txt", sentences);
  write_file(folder / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ngood\nbad\nnews\n");
  return " --data '" + (folder / "sentences.txt").string() + "' --vocab '" +
         (folder / "vocab.txt").string() + "'";
}

}  // namespace normproof::tests::verification::cli
