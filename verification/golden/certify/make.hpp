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

/// Writes a corpus: a folder a case with case.json, inputs.safetensors and expected.safetensors,
/// manifest.json and SHA256SUMS. The same options give the same bytes, whatever `jobs` is.
///
/// Computes  everything in a folder beside `out`, which takes the name `out` when it is complete: a
///           reader sees no corpus or the whole one
/// Requires  out is absent or an empty folder; each glob of `only` matches a case
/// Throws    UsageError of another out or only; FileError as write_file; what certify throws
MakeSummary make_corpus(const std::filesystem::path& out, const MakeOptions& options);

}  // namespace normproof::verification::golden::certify
