#pragma once

#include <cstddef>
#include <filesystem>

#include "verification/training/text_data.hpp"

namespace normproof::verification::training {

/// A language model that a run has trained.
struct LanguageModel {
  RunConfig config;
  ref::data::Alphabet alphabet;
  ref::train::TrainState<double> state;
};

/// Reads the model from the folder of a run. Its state is that of read_last_state.
/// Throws    ContractError, FileError and UsageError as read_run_folder and read_last_state
LanguageModel read_language_model(const std::filesystem::path& folder, std::size_t average = 1);

}  // namespace normproof::verification::training
