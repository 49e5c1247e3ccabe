#pragma once

#include <filesystem>

#include "verification/golden/candidate/candidate.hpp"

namespace normproof::verification::golden::candidate {

/// Returns a candidate whose outputs are read from files. The file of a case is
/// expected.safetensors or expected.npz in the folder <folder>/<path of the case>. Its tensors have
/// the names of the corpus. If both files exist, expected.npz is read.
Candidate make_folder_candidate(const std::filesystem::path& folder);

}  // namespace normproof::verification::golden::candidate
