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

/// Sentences as token sequences, and the class of each sentence.
struct Sentences {
  std::vector<std::vector<std::int32_t>> sequences;
  std::vector<int> labels;
};

/// The training sentences and the validation sentences of a corpus.
struct Dataset {
  Sentences training, validation;
  std::size_t vocab_size = 0;
  std::int32_t pad_id = 0;
};

/// Splits a corpus into training and validation sentences. `validation` lists the indices of the
/// validation sentences, counted from 0. If it is empty, the sentences are shuffled by the seed,
/// and the last config.validation_share of them are for validation.
/// Throws    UsageError if a part would have no sentence
Dataset split(const Sentences& all, const std::vector<std::size_t>& validation,
              const RunConfig& config);

/// Parses the text of a split file: one index of a sentence per line, without duplicates.
/// `sentences` is the number of sentences in the corpus.
/// Throws    FileError naming `file` and the line
std::vector<std::size_t> parse_split(std::string_view text, const std::string& file,
                                     std::size_t sentences);

/// Returns the training batches of an epoch. `epoch` is counted from 0. The order of the sentences
/// is a shuffle that depends on the seed and the epoch.
std::vector<ref::train::LabelledBatch> training_batches(const Dataset& data,
                                                        const RunConfig& config,
                                                        std::uint64_t epoch);

/// Returns the batches that optimizer step k of an epoch uses, where k is counted from 0. A step
/// uses `accumulation` batches; the last step of an epoch uses the remaining ones.
std::span<const ref::train::LabelledBatch> select_step_batches(
    std::span<const ref::train::LabelledBatch> epoch, const RunConfig& config, std::size_t k);

/// Returns the batches of the validation sentences, in the order of the sentences.
std::vector<ref::train::LabelledBatch> validation_batches(const Dataset& data,
                                                          const RunConfig& config);

/// Returns the number of optimizer steps in an epoch. A step uses `accumulation` batches; the last
/// step uses the remaining ones.
std::size_t steps_per_epoch(const Dataset& data, const RunConfig& config);

/// Returns a JSON text with the sizes and hashes of the dataset, so that different datasets have
/// different texts. It includes weights_sha256, the hash of the initial weights, if that is not
/// empty.
std::string data_json(const Dataset& data, const std::string& weights_sha256 = {});

/// Returns one loss weight per class, as config.train.class_weights requests, or an empty tensor if
/// it requests none.
/// Throws    UsageError if a class has no training sentence and its weight would be infinite
ref::tensor::Tensor<double> class_weights(const Dataset& data, const RunConfig& config);

}  // namespace normproof::verification::training
