#pragma once

#include <cstddef>
#include <filesystem>

#include "verification/training/pair_data.hpp"

namespace normproof::verification::training {

/// A translator as a run left it.
struct TranslationModel {
  RunConfig config;
  PairWords words;
  ref::train::TrainState<double> state;
};

/// The model in the folder of a run; the state is that of read_last_state.
/// Throws    ContractError, FileError and UsageError as read_run_folder and read_last_state
TranslationModel read_translation_model(const std::filesystem::path& folder,
                                        std::size_t average = 1);

}  // namespace normproof::verification::training
