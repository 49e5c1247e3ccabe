#pragma once

#include <cstddef>
#include <filesystem>

#include "verification/training/text_data.hpp"

namespace normproof::verification::training {

/// A language model as a run left it.
struct LanguageModel {
  RunConfig config;
  ref::data::Alphabet alphabet;
  ref::train::TrainState<double> state;
};

/// The model of the last checkpoint in the folder of a run, or, `average` being above 1, the mean
/// of the last ones that it keeps: mean_checkpoint.
/// Requires  (C1) average >= 1
/// Throws    ContractError; FileError naming the file: absent, damaged, or not of this run, or the
///           folder where it keeps fewer; UsageError where the run's task is another one
LanguageModel read_language_model(const std::filesystem::path& folder, std::size_t average = 1);

}  // namespace normproof::verification::training
