#pragma once

#include <filesystem>

#include "verification/cli/command.hpp"

namespace normproof::verification::cli::train {

struct WeightsCommand {
  static constexpr const char* name = "weights";
  static constexpr const char* summary =
      "Write the weights of a run for PyTorch, or as initial weights of another run";

  std::filesystem::path folder = {};  ///< folder of the training run
  std::filesystem::path out = {};

  void add(CLI::App& app);

  /// Writes the parameters of the last checkpoint of a training run under PyTorch's names
  /// (training::to_pytorch), and prints the checkpoint's step. Missing parent folders of `out` are
  /// created.
  /// Requires  `out` ends in .npz or .safetensors, and does not exist
  /// Throws    UsageError about `out`, or if PyTorch's encoder layer does not support the norm;
  ///           FileError
  Output run() const;
};

}  // namespace normproof::verification::cli::train
