#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verification/studies/language/cell.hpp"
#include "verification/training/pair_data.hpp"
#include "verification/training/run_task.hpp"
#include "verification/training/text_data.hpp"

/// Everything that depends on the task of a cell: its data, its training and its test.
namespace normproof::verification::studies::language {

/// The data that the cells of a study are trained on.
struct StudyData {
  std::optional<training::TextData> text = {};   ///< for the task language
  std::optional<training::PairData> pairs = {};  ///< for the task translate
};

/// Returns the configuration of a cell with the vocabulary size of the data. For a translator,
/// every validation pair is translated.
/// Throws    UsageError if the data of the task is absent or cannot be trained on, or as config_of
training::RunConfig config_for(const Cell& cell, const StudyData& data);

/// Creates the task of a configuration.
/// Requires  both arguments outlive it
std::unique_ptr<training::RunTask> make_task(const training::RunConfig& config,
                                             const StudyData& data);

struct TestMeasures {
  double loss = 0;
  std::optional<double> bleu = {};  ///< of greedy translations, if the loss is finite
};

/// Returns the mean loss over the test part of the data, in inference mode, and there the BLEU of a
/// translator.
TestMeasures measure_test(const training::RunConfig& config, const StudyData& data,
                          ref::train::TrainState<double>& state);

/// Returns the SHA-256 of the description of a task's data.
std::string data_sha256(training::Task task, const StudyData& data);

/// The hashes of the data of a study, by task.
using DataHashes = std::map<training::Task, std::string>;
DataHashes data_hashes(const std::vector<training::Task>& tasks, const StudyData& data);

/// Returns the text of study.json: the format, the version of the arithmetic, and the task with the
/// hashes of its data and its protocol. For several tasks, each kind of hash is an object.
std::string study_identity(const DataHashes& hashes);

/// Whether two such texts have the same protocol. A text without one was written by a version that
/// did not record it.
bool same_protocol(std::string_view identity, std::string_view other);

/// Reads the hashes from such a text, which must be of this version of the arithmetic.
/// Throws    FileError naming `file` and the field
DataHashes parse_data_hashes(std::string_view identity, const std::string& file);

}  // namespace normproof::verification::studies::language
