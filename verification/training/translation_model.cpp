#include "verification/training/translation_model.hpp"

#include "verification/training/run_folder.hpp"

namespace normproof::verification::training {

TranslationModel read_translation_model(const std::filesystem::path& folder, std::size_t average) {
  const RunFolder run = read_run_folder(folder, Task::translate);
  TranslationModel model{
      run.config, read_pair_words(run.data, (folder / "data.json").string()), {}};
  model.state = read_last_state(
      run, average,
      ref::train::initial_translation_state(translation_config(model.config, model.words)));
  return model;
}

}  // namespace normproof::verification::training
