#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ref/model/norm_options.hpp"
#include "verification/cli/command.hpp"

namespace normproof::verification::cli::tools {

/// `double`: the reference; oracle50: 50 digits, rounded once at the end; interval: an enclosure.
enum class ApplyScalar { float64, oracle50, interval };

struct ApplyCommand {
  static constexpr const char* name = "apply";
  static constexpr const char* former_name = "eval";
  static constexpr const char* summary = "Apply a layer to your tensors, forward and backward";

  std::string layer = {};
  std::filesystem::path in = {}, out = {};
  ApplyScalar scalar = ApplyScalar::float64;
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< option, value
  bool sequence = false;                                           ///< a leading axis of steps
  ref::model::Mode mode = ref::model::Mode::training;

  void add(CLI::App& app);

  /// See apply_to_file.
  /// Throws    std::runtime_error if a number has overflowed, too
  Output run() const;
};

/// Runs a layer on the tensors of a file and writes what comes out to another one.
///
/// Computes  norm_step, step by step with the state carried on; the files as in docs/formats.md
/// Requires  a known layer, options of it with values that it takes; --in and --out are different
///           files, .npz or .safetensors; the tensors of the file are ones that the layer takes,
///           with their shapes
/// Order     the same bytes for any number of threads
/// Returns   nothing; or, where a number has overflowed, a sentence that names file, tensor and
///           element: the file is written all the same
/// Throws    UsageError of options; FileError naming file and tensor, or as read_tensors and
///           write_tensors. The file --out is written wholly or not at all
std::optional<std::string> apply_to_file(const ApplyCommand& command);

}  // namespace normproof::verification::cli::tools
