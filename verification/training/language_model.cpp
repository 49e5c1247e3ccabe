#include "verification/training/language_model.hpp"

#include <fmt/format.h>

#include "ref/io/atomic_file.hpp"
#include "ref/io/file_failure.hpp"
#include "ref/io/sha256.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/training/checkpoint.hpp"

namespace normproof::verification::training {

LanguageModel read_language_model(const std::filesystem::path& folder) {
  const auto config_file = folder / "config.json", data_file = folder / "data.json",
             checkpoint_file = folder / "checkpoint.safetensors";
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
  Checkpoint checkpoint = read_checkpoint(checkpoint_file, model.config.train);
  if (checkpoint.run_sha256 != ref::io::sha256(config_text + data_text))
    ref::io::file_failure(checkpoint_file.string(), "run_sha256",
                          "is not that of config.json and data.json beside it",
                          "the files of one run as 'normproof train' wrote them");
  model.state = std::move(checkpoint.state);
  return model;
}

}  // namespace normproof::verification::training
