#pragma once

#include <filesystem>

namespace normproof::verification::cli {

struct WeightsCommand {
  std::filesystem::path run = {}, out = {};
};

/// Writes the parameters of a run's last checkpoint under PyTorch's names: see
/// training::to_pytorch. Says on standard output of which step they are.
/// The folders above `out` are made.
/// Requires  (C1) `out` ends in .npz or .safetensors, and is not there yet
/// Throws    UsageError (C1), and where the norm is one that PyTorch's layer does not have;
///           FileError
void weights(const WeightsCommand& command);

}  // namespace normproof::verification::cli
