#include "verification/studies/language/study_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ref/io/json_reader.hpp"
#include "ref/io/sha256.hpp"
#include "ref/model/option_fields.hpp"
#include "ref/numeric/contract_version.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/studies/language/protocol.hpp"
#include "verification/training/language_task.hpp"
#include "verification/training/translate_task.hpp"
#include "verification/training/translator.hpp"

namespace normproof::verification::studies::language {

using training::Task;

namespace {

constexpr const char* kFormat = "normproof-language-study-1";
constexpr const char* kProtocol = "protocol_sha256";

Task parse_task(const ref::io::JsonReader& reader, const std::string& field,
                const std::string& name) {
  for (const Task task : study_tasks())
    if (ref::model::print_field(task) == name) return task;
  reader.fail(field, fmt::format("is '{}'", name), "language or translate");
}

}  // namespace

training::RunConfig make_run_config_with_data(const Cell& cell, const StudyData& data) {
  training::RunConfig config = make_run_config(cell);
  const bool is_translation = cell.task == Task::translate;
  if (is_translation ? !data.pairs : !data.text)
    throw ref::numeric::UsageError(fmt::format("{} is of the task {}; expected {} to train it on",
                                               cell_name(cell), ref::model::print_field(cell.task),
                                               is_translation ? "pairs" : "a text"));
  if (is_translation) {
    config.translation.bleu_pairs = data.pairs->text.validation.source.size();
    return config;
  }
  const std::size_t characters = data.text->training.size();
  if (characters <= config.context)
    throw ref::numeric::UsageError(fmt::format(
        "the data has {} characters to train on; expected more than {}, a context of {}",
        characters, config.context, cell_name(cell)));
  config.train.encoder.vocab_size = data.text->alphabet.size();
  config.train.encoder.num_classes = data.text->alphabet.size();
  return config;
}

std::unique_ptr<training::RunTask> make_task(const training::RunConfig& config,
                                             const StudyData& data) {
  if (config.task == Task::translate)
    return std::make_unique<training::TranslateTask>(config, data.pairs.value());
  return std::make_unique<training::LanguageTask>(config, data.text.value());
}

TestMeasures measure_test(const training::RunConfig& config, const StudyData& data,
                          ref::train::TrainState<double>& state) {
  if (config.task == Task::language)
    return {ref::train::language_loss<double>(
        config.train, training::make_batches_in_order(data.text.value().test, config), state)};
  const training::PairData& pairs = data.pairs.value();
  const ref::data::ParallelText& test = pairs.text.test;
  TestMeasures measures{ref::train::translation_loss<double>(
      training::translation_config(config, pairs.words),
      training::make_pairs_in_order(test, pairs.words, config), state)};
  if (std::isfinite(measures.loss))
    measures.bleu =
        training::corpus_bleu(training::translate(config, pairs.words, state, test.source),
                              test.target, training::translation_tokenizer)
            .score;
  return measures;
}

std::string data_sha256(Task task, const StudyData& data) {
  return ref::io::sha256(task == Task::translate ? training::pairs_json(data.pairs.value())
                                                 : training::text_json(data.text.value()));
}

DataHashes data_hashes(const std::vector<Task>& tasks, const StudyData& data) {
  DataHashes hashes;
  for (const Task task : tasks) hashes[task] = data_sha256(task, data);
  return hashes;
}

std::string study_identity(const DataHashes& hashes) {
  nlohmann::ordered_json identity = {{"format", kFormat},
                                     {"contract", ref::numeric::kArithmeticContract}};
  if (hashes.size() == 1) {
    identity["task"] = ref::model::print_field(hashes.begin()->first);
    identity["data_sha256"] = hashes.begin()->second;
    identity[kProtocol] = protocol_sha256(hashes.begin()->first);
  } else {
    for (const auto& [task, sha256] : hashes)
      identity["tasks"][ref::model::print_field(task)] = sha256;
    for (const auto& [task, sha256] : hashes)
      identity[kProtocol][ref::model::print_field(task)] = protocol_sha256(task);
  }
  return identity.dump(1) + "\n";
}

bool has_same_protocol(std::string_view identity, std::string_view other) {
  const auto of = [](std::string_view text) {
    return nlohmann::json::parse(text).value(kProtocol, nlohmann::json());
  };
  return of(identity) == of(other);
}

DataHashes parse_data_hashes(std::string_view identity, const std::string& file) {
  const ref::io::JsonReader reader(file);
  const nlohmann::json object =
      reader.parse(identity, "what 'normproof study run --study language' writes");
  if (const std::string format = reader.text(object, "format", "format"); format != kFormat)
    reader.fail("format", fmt::format("is '{}'", format), kFormat);
  const std::uint64_t contract = reader.whole(object, "contract", "contract");
  if (contract != ref::numeric::kArithmeticContract)
    reader.fail("contract", fmt::format("is {}", contract),
                fmt::format("{}, the arithmetic contract of this program",
                            ref::numeric::kArithmeticContract));
  if (!object.contains("tasks"))
    return {{parse_task(reader, "task", reader.text(object, "task", "task")),
             reader.sha256(object, "data_sha256", "data_sha256")}};
  DataHashes hashes;
  const nlohmann::json& tasks = reader.object(object, "tasks", "tasks");
  for (const auto& [name, sha256] : tasks.items())
    hashes[parse_task(reader, "tasks", name)] =
        reader.sha256(tasks, fmt::format("tasks.{}", name), name.c_str());
  return hashes;
}

}  // namespace normproof::verification::studies::language
