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

/// Reads the model from the folder of a run. Its state is that of read_last_state.
/// Throws    ContractError, FileError and UsageError as read_run_folder and read_last_state
TranslationModel read_translation_model(const std::filesystem::path& folder,
                                        std::size_t average = 1);

}  // namespace normproof::verification::training
