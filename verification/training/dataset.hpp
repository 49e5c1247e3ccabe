#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ref/data/batching.hpp"
#include "ref/train/trainer.hpp"
#include "verification/training/run_config.hpp"

namespace normproof::verification::training {

/// Tokenized sentences and their classes.
struct Sentences {
  std::vector<std::vector<std::int32_t>> sequences;
  std::vector<int> labels;
};

/// What is trained on, and what is not.
struct Dataset {
  Sentences training, validation;
  std::size_t vocab_size = 0;
  std::int32_t pad_id = 0;
};

/// Divides a corpus: the sentences whose numbers, from 0, are in `validation` are validated on;
/// where it is empty, the last share of the order that shuffles by the seed.
/// Throws    UsageError where one of the parts would be empty
Dataset split(const Sentences& all, const std::vector<std::size_t>& validation,
              const RunConfig& config);

/// Numbers of sentences, one a line, each once.
/// Throws    FileError naming `file` and the line
std::vector<std::size_t> parse_split(std::string_view text, const std::string& file,
                                     std::size_t sentences);

/// The batches of an epoch, from 0: shuffled by (seed, epoch).
std::vector<ref::train::LabelledBatch> training_batches(const Dataset& data,
                                                        const RunConfig& config,
                                                        std::uint64_t epoch);

/// The batches of step k of an epoch, from 0: accumulation of them, the last step what is left.
std::span<const ref::train::LabelledBatch> batches_of_step(
    std::span<const ref::train::LabelledBatch> epoch, const RunConfig& config, std::size_t k);

/// The validation sentences in their order.
std::vector<ref::train::LabelledBatch> validation_batches(const Dataset& data,
                                                          const RunConfig& config);

/// Optimizer steps in an epoch: accumulation batches make one; the rest of an epoch makes one too.
std::size_t steps_of_epoch(const Dataset& data, const RunConfig& config);

/// What tells one dataset from another, as JSON: sizes and hashes; with the hash of the weights
/// that a run begins with, where that is not empty.
std::string data_json(const Dataset& data, const std::string& weights_sha256 = {});

/// By config.train.class_weights, of the training sentences; empty for none.
/// Throws    UsageError where a class has no training sentence and its weight would be infinite
ref::tensor::Tensor<double> class_weights(const Dataset& data, const RunConfig& config);

}  // namespace normproof::verification::training
