#include "verification/training/language_model.hpp"

#include <fmt/format.h>

#include "ref/io/atomic_file.hpp"
#include "ref/io/file_failure.hpp"
#include "ref/io/sha256.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/training/averaging.hpp"

namespace normproof::verification::training {

LanguageModel read_language_model(const std::filesystem::path& folder, std::size_t average) {
  if (average < 1)
    ref::numeric::contract_failure("read_language_model", "average", "is 0", "1 or more",
                                   ref::numeric::Clause::C1);
  const auto config_file = folder / "config.json", data_file = folder / "data.json";
  const std::string config_text = ref::io::read_text(config_file);
  RunConfig config = parse_config(config_text, config_file.string());
  if (config.task != Task::language)
    throw ref::numeric::UsageError(fmt::format(
        "the run in {} has the task classify; expected one that 'normproof train --task "
        "language' made",
        folder.string()));
  const std::string data_text = ref::io::read_text(data_file);
  LanguageModel model{config, alphabet_of(data_text, data_file.string()), {}};
  model.config.train.encoder.vocab_size = model.alphabet.size();
  model.config.train.encoder.num_classes = model.alphabet.size();
  const std::vector<std::filesystem::path> files =
      average == 1 ? std::vector{folder / "checkpoint.safetensors"}
                   : last_checkpoints(folder, average);
  Checkpoint checkpoint = mean_checkpoint(files, model.config.train);
  if (checkpoint.run_sha256 != ref::io::sha256(config_text + data_text))
    ref::io::file_failure(files.front().string(), "run_sha256",
                          "is not that of config.json and data.json beside it",
                          "the files of one run as 'normproof train' wrote them");
  model.state = std::move(checkpoint.state);
  return model;
}

}  // namespace normproof::verification::training
