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

/// The code of the study that depends on the task: data, training and test.
namespace normproof::verification::studies::language {

/// The data on which the models of a study are trained.
struct StudyData {
  std::optional<training::TextData> text = {};   ///< data of the task `language`
  std::optional<training::PairData> pairs = {};  ///< data of the task `translate`
};

/// Returns the configuration of a training run, including the vocabulary size of the data. A
/// translator's configuration requests that every validation pair is translated.
/// Throws    UsageError if the data of the task is absent or unsuitable for training, if the
///           learning rate is not a number, or if the norm is unknown
training::RunConfig make_run_config_with_data(const Cell& cell, const StudyData& data);

/// Creates the task of a configuration.
/// Requires  `config` and `data` outlive the task
std::unique_ptr<training::RunTask> make_task(const training::RunConfig& config,
                                             const StudyData& data);

struct TestMeasures {
  double loss = 0;
  /// The BLEU of greedy translations. It is present only for a translator whose loss is finite.
  std::optional<double> bleu = {};
};

/// Returns the mean loss of a model over the test data, in inference mode. For a translator, also
/// returns the BLEU on the test data.
TestMeasures measure_test(const training::RunConfig& config, const StudyData& data,
                          ref::train::TrainState<double>& state);

/// Returns the SHA-256 of the text that describes the data of a task.
std::string data_sha256(training::Task task, const StudyData& data);

/// The SHA-256 of the data of each task of a study.
using DataHashes = std::map<training::Task, std::string>;
DataHashes data_hashes(const std::vector<training::Task>& tasks, const StudyData& data);

/// Returns the text of study.json: the format, the version of the arithmetic, the task, the hash of
/// its data, and the hash of its protocol. For several tasks, each kind of hash is an object with
/// one entry per task.
std::string study_identity(const DataHashes& hashes);

/// Whether two texts of study.json have the same hash of the protocol. Texts of old versions have
/// no such hash.
bool has_same_protocol(std::string_view identity, std::string_view other);

/// Reads the hashes of the data from a text of study.json. The version of the arithmetic in the
/// text must be the version that this program implements.
/// Throws    FileError naming `file` and the field
DataHashes parse_data_hashes(std::string_view identity, const std::string& file);

}  // namespace normproof::verification::studies::language
