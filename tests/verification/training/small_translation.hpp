#pragma once

#include "ref/data/synthetic_pairs.hpp"
#include "verification/training/pair_data.hpp"

// A small translator and its sentence pairs.
namespace normproof::verification::training {

inline RunConfig small_translation_config() {
  RunConfig config = default_config(Task::translate);
  config.translator.d_model = 8;
  for (auto* const side : {&config.translator.encoder, &config.translator.decoder}) {
    side->num_heads = 2;
    side->d_ff = 8;
  }
  config.batch_size = 8;
  config.epochs = 2;
  config.translation.max_length = 12;
  config.translation.bleu_pairs = 3;
  return config;
}

inline PairData small_pairs(const RunConfig& config = small_translation_config()) {
  return add_vocabularies(
      ref::data::synthetic_pair_corpus(1, {.training = 30, .validation = 9, .test = 5}), config);
}

}  // namespace normproof::verification::training
