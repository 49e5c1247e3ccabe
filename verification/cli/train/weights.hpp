#pragma once

#include <filesystem>

#include "verification/cli/command.hpp"

namespace normproof::verification::cli::train {

struct WeightsCommand {
  static constexpr const char* name = "weights";
  static constexpr const char* summary =
      "Write the weights of a run for PyTorch, or for another run to begin with";

  std::filesystem::path folder = {};  ///< of the run
  std::filesystem::path out = {};

  void add(CLI::App& app);

  /// Writes the parameters of a run's last checkpoint under PyTorch's names: see
  /// training::to_pytorch. Says on standard output of which step they are.
  /// The folders above `out` are made.
  /// Requires  `out` ends in .npz or .safetensors, and is not there yet
  /// Throws    UsageError of `out`, and where the norm is one that PyTorch's layer does not have;
  ///           FileError
  Output run() const;
};

}  // namespace normproof::verification::cli::train
