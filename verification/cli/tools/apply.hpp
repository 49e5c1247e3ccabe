#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ref/model/norm_options.hpp"
#include "verification/cli/command.hpp"

namespace normproof::verification::cli::tools {

/// The arithmetic with which the layer is evaluated. `float64` is double, as in ref. `oracle50` has
/// 50 digits, and the results are rounded to double at the end. `interval` is interval arithmetic,
/// which encloses the exact result.
enum class ApplyArithmetic { float64, oracle50, interval };

struct ApplyCommand {
  static constexpr const char* name = "apply";
  static constexpr const char* former_name = "eval";
  static constexpr const char* summary = "Apply a layer to your tensors, forward and backward";

  std::string layer = {};
  std::filesystem::path in = {}, out = {};
  ApplyArithmetic scalar = ApplyArithmetic::float64;
  /// Names and values of the layer's options.
  std::vector<std::pair<std::string, std::string>> settings = {};
  bool sequence = false;  ///< whether the first axis of x is a sequence of steps
  ref::model::Mode mode = ref::model::Mode::training;

  void add(CLI::App& app);

  /// Calls apply_to_file().
  /// Throws    UsageError and FileError if apply_to_file() throws them; std::runtime_error if a
  ///           number overflowed
  Output run() const;
};

/// Runs a layer on the tensors of a file, and writes the results to another file.
///
/// Computes  norm_step. If the file has a sequence of steps, each step continues from the state of
///           the step before. docs/guide/formats.md describes the files
/// Requires  a known layer and valid values of its options; --in and --out are different files,
///           .npz or .safetensors; the file has only tensors that the layer takes, with their
///           shapes
/// Order     the same bytes for any number of threads
/// Returns   nothing or, if a number overflowed, a sentence that names file, tensor and element.
///           The results are written even then
/// Throws    UsageError about options; FileError naming file and tensor; FileError if read_tensors
///           or write_tensors throws it. If writing fails, no partial file --out remains
std::optional<std::string> apply_to_file(const ApplyCommand& command);

}  // namespace normproof::verification::cli::tools
