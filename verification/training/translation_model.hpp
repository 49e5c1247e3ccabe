#pragma once

#include <cstddef>
#include <filesystem>

#include "verification/training/pair_data.hpp"

namespace normproof::verification::training {

/// A translator that a run has trained.
struct TranslationModel {
  RunConfig config;
  PairVocabularies words;
  ref::train::TrainState<double> state;
};

/// Reads a trained model from the folder of a run. If `average` is 1, the model has the parameters
/// of the last checkpoint. Otherwise it has the mean parameters of the last `average` checkpoints.
/// Throws    ContractError, FileError and UsageError as read_run_folder and read_last_state do
TranslationModel read_translation_model(const std::filesystem::path& folder,
                                        std::size_t average = 1);

}  // namespace normproof::verification::training
