#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "verification/language_study/cell.hpp"
#include "verification/training/run_task.hpp"
#include "verification/training/text_data.hpp"

/// What depends on the task of a cell stands here alone: its data, how it is trained, its test.
namespace normproof::verification::language_study {

/// What the cells of a study are trained on.
struct StudyData {
  training::TextData text;  ///< of the task language
};

/// The settings of a cell, with the extent of the data's vocabulary.
/// Throws    UsageError where the data cannot be trained on, or as config_of
training::RunConfig config_for(const Cell& cell, const StudyData& data);

/// Requires  both stay
std::unique_ptr<training::RunTask> make_task(const training::RunConfig& config,
                                             const StudyData& data);

/// The mean loss over the part of the data that is neither trained nor validated on, in inference.
double test_loss(const training::RunConfig& config, const StudyData& data,
                 ref::train::TrainState<double>& state);

/// The SHA-256 of what tells the data from other data.
std::string data_sha256(const StudyData& data);

/// What study.json holds: the format, the arithmetic contract, the task and the data's hash.
std::string study_identity(training::Task task, const StudyData& data);

/// The hash of the data in such a text, of this arithmetic contract.
/// Throws    FileError naming `file` and the field
std::string data_sha256_of(std::string_view identity, const std::string& file);

}  // namespace normproof::verification::language_study
