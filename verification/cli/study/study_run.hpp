#pragma once

#include <filesystem>
#include <optional>

#include "gpu/device/device.hpp"
#include "verification/cli/command.hpp"
#include "verification/cli/study/study_selection.hpp"
#include "verification/cli/train/training_source.hpp"

namespace normproof::verification::cli::study {

struct StudyRunCommand {
  static constexpr const char* name = "run";
  static constexpr const char* summary =
      "Compute the cells that the folder does not have yet; after an interruption, the same "
      "command resumes";

  StudySelection selection = {};
  train::TrainingSource source =
      {};  ///< data, vocabulary, validation sentences, and the languages of sentence pairs
  std::optional<std::filesystem::path> pairs = {};  ///< only for the study of language models
  std::optional<int> jobs = {};                     ///< absent: job_count() decides
  /// The device on which the models are trained. If absent, they are trained on the CPU.
  std::optional<normproof::gpu::device::Backend> device = {};
  std::filesystem::path out = {};
  bool json = false;

  /// Returns the number of jobs. If the option is not given, the number is 1 for a rank of mpirun
  /// or on a GPU, otherwise the number of processors.
  int job_count() const;

  /// If the option --device is given, opens its device in a child process. This reports a failure
  /// early.
  /// Throws    NoDeviceError
  void try_device_in_child() const;

  void add(CLI::App& app);

  /// Computes the results that the folder lacks (studies::published::run_tasks), with one thread
  /// per job. Several ranks of mpirun share the work; each uses its own device, and only rank 0
  /// prints.
  /// Throws    UsageError, FileError, NoDeviceError, std::runtime_error
  Output run() const;
};

}  // namespace normproof::verification::cli::study
