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
      "Compute the cells that the folder does not have; killed at any point, the same command goes "
      "on";

  StudySelection selection = {};
  train::TrainingSource source =
      {};  ///< data, vocabulary and validation; the languages of the pairs
  std::optional<std::filesystem::path> pairs = {};  ///< of the study of language models
  std::optional<int> jobs = {};                     ///< absent: see job_count
  std::optional<normproof::gpu::device::Backend> device =
      {};  ///< what trains, or nothing: the processor
  std::filesystem::path out = {};
  bool json = false;

  /// One where it is not given as a rank of mpirun or on a GPU, else the number of processors.
  int job_count() const;

  /// Opens the device, where there is one, in a process of its own, to refuse now what cannot be
  /// opened.
  /// Throws    NoDeviceError
  void try_own_device() const;

  void add(CLI::App& app);

  /// Computes what the folder does not have (studies::published::run_tasks), one thread a job; as a rank of
  /// mpirun it is a worker beside the others, on its own device, and rank 0 alone prints.
  /// Throws    UsageError, FileError, NoDeviceError, std::runtime_error
  Output run() const;
};

}  // namespace normproof::verification::cli::study
