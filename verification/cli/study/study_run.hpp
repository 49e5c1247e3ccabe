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
      {};  ///< data, vocabulary and validation; the languages of the pairs
  std::optional<std::filesystem::path> pairs = {};  ///< for the study of language models
  std::optional<int> jobs = {};                     ///< absent: see job_count
  /// The device to train on; absent: the processor.
  std::optional<normproof::gpu::device::Backend> device = {};
  std::filesystem::path out = {};
  bool json = false;

  /// Returns the number of jobs. If it is not given, that is 1 for a rank of mpirun or on a GPU,
  /// else the number of processors.
  int job_count() const;

  /// Opens the device, if there is one, in a child process, so that a failure is reported early.
  /// Throws    NoDeviceError
  void try_device_in_child() const;

  void add(CLI::App& app);

  /// Computes the missing results of the folder (studies::published::run_tasks) with one thread per
  /// job. A rank of mpirun works beside the others on its own device, and only rank 0 prints.
  /// Throws    UsageError, FileError, NoDeviceError, std::runtime_error
  Output run() const;
};

}  // namespace normproof::verification::cli::study
