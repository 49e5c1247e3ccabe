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

/// The training part and the validation part of a corpus.
struct Dataset {
  Sentences training, validation;
  std::size_t vocab_size = 0;
  std::int32_t pad_id = 0;
};

/// Splits a corpus. `validation` lists the indices of the validation sentences, from 0. If it is
/// empty, the sentences are shuffled by the seed and the last share of them is for validation.
/// Throws    UsageError if one of the parts would be empty
Dataset split(const Sentences& all, const std::vector<std::size_t>& validation,
              const RunConfig& config);

/// Parses indices of sentences, one per line and without duplicates.
/// Throws    FileError naming `file` and the line
std::vector<std::size_t> parse_split(std::string_view text, const std::string& file,
                                     std::size_t sentences);

/// Returns the training batches of an epoch, counted from 0, shuffled by (seed, epoch).
std::vector<ref::train::LabelledBatch> training_batches(const Dataset& data,
                                                        const RunConfig& config,
                                                        std::uint64_t epoch);

/// Returns the batches of step k of an epoch, counted from 0: `accumulation` batches, or the rest
/// in the last step.
std::span<const ref::train::LabelledBatch> select_step_batches(
    std::span<const ref::train::LabelledBatch> epoch, const RunConfig& config, std::size_t k);

/// Returns the batches of the validation sentences in their order.
std::vector<ref::train::LabelledBatch> validation_batches(const Dataset& data,
                                                          const RunConfig& config);

/// Returns the number of optimizer steps in an epoch. Each takes `accumulation` batches, the last
/// one the rest.
std::size_t steps_per_epoch(const Dataset& data, const RunConfig& config);

/// Describes the dataset as JSON by sizes and hashes, so that different datasets have different
/// texts. Includes the hash of the initial weights if it is not empty.
std::string data_json(const Dataset& data, const std::string& weights_sha256 = {});

/// Returns the class weights of the training sentences as config.train.class_weights says; empty
/// for none.
/// Throws    UsageError if a class has no training sentence and its weight would be infinite
ref::tensor::Tensor<double> class_weights(const Dataset& data, const RunConfig& config);

}  // namespace normproof::verification::training
