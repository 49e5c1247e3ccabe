#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "verification/golden/corpus/case.hpp"
#include "verification/golden/corpus/path_globs.hpp"

namespace normproof::verification::golden::certify {

using corpus::Tier;

struct MakeOptions {
  std::vector<Tier> tiers = {Tier::quick};
  corpus::PathGlobs only = {};
  int jobs = 1;
  std::function<void(const std::string& path, std::size_t done, std::size_t of)> finished = {};
};

struct MakeSummary {
  std::size_t cases = 0, elements = 0;
};

/// Writes a corpus: one folder per case with case.json, inputs.safetensors and
/// expected.safetensors, and the files manifest.json and SHA256SUMS. The same options give the same
/// bytes for any number of `jobs`.
///
/// Computes  everything in a temporary folder next to `out`. When the corpus is complete, this
///           folder is renamed to `out`. Readers therefore see either no corpus or a complete one
/// Requires  out is absent or an empty folder; each glob of `only` matches a case
/// Throws    UsageError if `out` or `only` violates this; FileError as write_file does; the
///           exceptions of certify
MakeSummary make_corpus(const std::filesystem::path& out, const MakeOptions& options);

}  // namespace normproof::verification::golden::certify
