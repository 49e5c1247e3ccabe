#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ref/model/norm_options.hpp"
#include "verification/cli/command.hpp"

namespace normproof::verification::cli::tools {

/// The arithmetic of an evaluation. `double`: the reference; oracle50: 50 digits, rounded once at
/// the end; interval: an enclosure.
enum class ApplyScalar { float64, oracle50, interval };

struct ApplyCommand {
  static constexpr const char* name = "apply";
  static constexpr const char* former_name = "eval";
  static constexpr const char* summary = "Apply a layer to your tensors, forward and backward";

  std::string layer = {};
  std::filesystem::path in = {}, out = {};
  ApplyScalar scalar = ApplyScalar::float64;
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< option and value
  bool sequence = false;  ///< whether x has a leading axis of steps
  ref::model::Mode mode = ref::model::Mode::training;

  void add(CLI::App& app);

  /// Runs apply_to_file().
  /// Throws    as eval(); also std::runtime_error if a number overflowed
  Output run() const;
};

/// Runs a layer on the tensors of a file and writes the results to another file.
///
/// Computes  norm_step, step by step with the state carried along; docs/guide/formats.md describes
///           the files
/// Requires  a known layer and valid values of its options; --in and --out are different files,
///           .npz or .safetensors; the file has only tensors that the layer takes, with their
///           shapes
/// Order     the same bytes for any number of threads
/// Returns   nothing or, if a number overflowed, a sentence that names file, tensor and element;
///           the file is written even then
/// Throws    UsageError about options; FileError naming file and tensor, or as read_tensors and
///           write_tensors. The file --out is written completely or not at all
std::optional<std::string> apply_to_file(const ApplyCommand& command);

}  // namespace normproof::verification::cli::tools
