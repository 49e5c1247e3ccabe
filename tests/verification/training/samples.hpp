#pragma once

#include "tests/ref/numeric/error_message.hpp"
#include "verification/training/dataset.hpp"

namespace normproof::verification::training {

/// Returns a dataset of ten sentences of three classes. The first token of a sentence determines
/// its class.
inline Dataset small_dataset() {
  Dataset data;
  data.vocab_size = 12;
  for (std::size_t i = 0; i < 10; ++i) {
    const auto label = static_cast<int>(i % 3);
    std::vector<std::int32_t> ids = {1 + label};
    for (std::size_t k = 0; k < 1 + i % 4; ++k)
      ids.push_back(static_cast<std::int32_t>(4 + (i * 5 + k) % 8));
    Sentences& part = i < 7 ? data.training : data.validation;
    part.sequences.push_back(std::move(ids));
    part.labels.push_back(label);
  }
  return data;
}

inline RunConfig small_run_config() {
  RunConfig config;
  config.train.encoder.vocab_size = 12;
  config.train.encoder.d_model = 4;
  config.train.encoder.num_heads = 2;
  config.train.encoder.d_ff = 6;
  config.train.learning_rate = 0.02;
  config.batch_size = 3;
  config.epochs = 2;
  return config;
}

template <class F>
std::string usage_error_message(F&& f) {
  return ref::numeric::error_message<ref::numeric::UsageError>(f);
}
template <class F>
std::string file_error_message(F&& f) {
  return ref::numeric::error_message<ref::numeric::FileError>(f);
}

}  // namespace normproof::verification::training
