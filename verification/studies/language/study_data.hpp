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

/// What depends on the task of a cell stands here alone: its data, how it is trained, its test.
namespace normproof::verification::studies::language {

/// What the cells of a study are trained on.
struct StudyData {
  std::optional<training::TextData> text = {};   ///< of the task language
  std::optional<training::PairData> pairs = {};  ///< of the task translate
};

/// The settings of a cell, with the extent of the text's vocabulary, or with all pairs that are
/// validated on to be translated.
/// Throws    UsageError where the data of its task are not there or cannot be trained on, or as
///           config_of
training::RunConfig config_for(const Cell& cell, const StudyData& data);

/// Requires  both stay
std::unique_ptr<training::RunTask> make_task(const training::RunConfig& config,
                                             const StudyData& data);

struct TestMeasures {
  double loss = 0;
  std::optional<double> bleu = {};  ///< of greedy translations, where the loss is finite
};

/// The mean loss over the part of the data that is neither trained nor validated on, in inference,
/// and the BLEU of a translator there.
TestMeasures measure_test(const training::RunConfig& config, const StudyData& data,
                          ref::train::TrainState<double>& state);

/// The SHA-256 of what tells the data of a task from other data.
std::string data_sha256(training::Task task, const StudyData& data);

/// The hashes of the data of the tasks of a study.
using DataHashes = std::map<training::Task, std::string>;
DataHashes data_hashes(const std::vector<training::Task>& tasks, const StudyData& data);

/// What study.json holds: the format, the arithmetic contract, and the task with the hashes of its
/// data and its protocol; of several tasks an object of each kind of hash.
std::string study_identity(const DataHashes& hashes);

/// Whether two such texts are of one protocol. One without is of a version that knew none.
bool same_protocol(std::string_view identity, std::string_view other);

/// The hashes in such a text, of this arithmetic contract.
/// Throws    FileError naming `file` and the field
DataHashes data_hashes_of(std::string_view identity, const std::string& file);

}  // namespace normproof::verification::studies::language
