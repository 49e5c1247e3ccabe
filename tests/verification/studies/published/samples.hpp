#pragma once

#include "tests/verification/training/samples.hpp"

namespace normproof::verification::studies::published {

/// Returns a dataset of seventy training sentences, which give two steps per epoch.
inline training::Dataset dataset_with_two_steps_per_epoch() {
  training::Dataset data = training::small_dataset();
  training::Sentences& all = data.training;
  for (std::size_t i = 0; all.sequences.size() < 70; ++i) {
    all.sequences.push_back(all.sequences[i]);
    all.labels.push_back(all.labels[i]);
  }
  return data;
}

}  // namespace normproof::verification::studies::published
