#pragma once

#include "ref/data/synthetic_text.hpp"
#include "verification/training/language_task.hpp"

// A small language model and its text.
namespace normproof::verification::training {

inline TextData small_text() {
  return split_text(ref::data::synthetic_text(1, 12), "small text");
}

inline RunConfig small_language_config(const TextData& text) {
  RunConfig config = default_config(Task::language);
  config.train.encoder.vocab_size = config.train.encoder.num_classes = text.alphabet.size();
  config.train.encoder.d_model = 8;
  config.train.encoder.num_heads = 2;
  config.train.encoder.d_ff = 8;
  config.train.encoder.num_layers = 1;
  config.context = 10;
  config.batch_size = 8;
  config.epochs = 2;
  return config;
}

}  // namespace normproof::verification::training
