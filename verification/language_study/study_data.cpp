#include "verification/language_study/study_data.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ref/io/json_reader.hpp"
#include "ref/io/sha256.hpp"
#include "ref/model/option_fields.hpp"
#include "ref/numeric/contract_version.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/training/language_task.hpp"

namespace normproof::verification::language_study {

namespace {

constexpr const char* kFormat = "normproof-language-study-1";

}  // namespace

training::RunConfig config_for(const Cell& cell, const StudyData& data) {
  training::RunConfig config = config_of(cell);
  const std::size_t characters = data.text.training.size();
  if (characters <= config.context)
    throw ref::numeric::UsageError(fmt::format(
        "the data has {} characters to train on; expected more than {}, a context of {}",
        characters, config.context, cell_name(cell)));
  config.train.encoder.vocab_size = data.text.alphabet.size();
  config.train.encoder.num_classes = data.text.alphabet.size();
  return config;
}

std::unique_ptr<training::RunTask> make_task(const training::RunConfig& config,
                                             const StudyData& data) {
  return std::make_unique<training::LanguageTask>(config, data.text);
}

double test_loss(const training::RunConfig& config, const StudyData& data,
                 ref::train::TrainState<double>& state) {
  return ref::train::language_loss<double>(
      config.train, training::batches_in_order(data.text.test, config), state);
}

std::string data_sha256(const StudyData& data) {
  return ref::io::sha256(training::text_json(data.text));
}

std::string study_identity(training::Task task, const StudyData& data) {
  const nlohmann::ordered_json identity = {{"format", kFormat},
                                           {"contract", ref::numeric::kArithmeticContract},
                                           {"task", ref::model::print_field(task)},
                                           {"data_sha256", data_sha256(data)}};
  return identity.dump(1) + "\n";
}

std::string data_sha256_of(std::string_view identity, const std::string& file) {
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
  return reader.sha256(object, "data_sha256", "data_sha256");
}

}  // namespace normproof::verification::language_study
