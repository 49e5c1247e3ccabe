#pragma once

#include <filesystem>

#include "verification/golden/candidate/candidate.hpp"

namespace normproof::verification::golden::candidate {

/// Returns a candidate whose outputs are stored in files: <folder>/<path of the
/// case>/expected.safetensors or .npz, with the tensors named as in the corpus. If both files are
/// there, the .npz is read.
Candidate from_folder(const std::filesystem::path& folder);

}  // namespace normproof::verification::golden::candidate
