#include "verification/training/language_model.hpp"

#include "verification/training/run_folder.hpp"

namespace normproof::verification::training {

LanguageModel read_language_model(const std::filesystem::path& folder, std::size_t average) {
  const RunFolder run = read_run_folder(folder, Task::language);
  LanguageModel model{run.config, read_alphabet(run.data, (folder / "data.json").string()), {}};
  model.config.train.encoder.vocab_size = model.alphabet.size();
  model.config.train.encoder.num_classes = model.alphabet.size();
  model.state = read_last_state(run, average, ref::train::initial_train_state(model.config.train));
  return model;
}

}  // namespace normproof::verification::training
