#pragma once

#include <filesystem>

#include "verification/training/text_data.hpp"

namespace normproof::verification::training {

/// A language model as a run left it.
struct LanguageModel {
  RunConfig config;
  ref::data::Alphabet alphabet;
  ref::train::TrainState<double> state;
};

/// The model of the last checkpoint in the folder of a run.
/// Throws    FileError naming the file: absent, damaged, or not of this run; UsageError where the
///           run's task is another one
LanguageModel read_language_model(const std::filesystem::path& folder);

}  // namespace normproof::verification::training
