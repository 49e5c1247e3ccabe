#include "verification/cli/train/weights.hpp"

#include <fmt/format.h>

#include <system_error>

#include "ref/io/atomic_file.hpp"
#include "ref/io/file_failure.hpp"
#include "ref/io/json_reader.hpp"
#include "ref/io/sha256.hpp"
#include "ref/io/tensor_file.hpp"
#include "ref/model/option_fields.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/cli/options.hpp"
#include "verification/golden/certify/new_folder.hpp"
#include "verification/training/pytorch_weights.hpp"
#include "verification/training/run_config.hpp"
#include "verification/training/run_folder.hpp"

namespace normproof::verification::cli::train {
namespace {

/// Reads the folder of a training run with the task classify. The vocabulary size in the returned
/// configuration is read from data.json.
training::RunFolder read_classifier_run(const std::filesystem::path& folder) {
  training::RunFolder run = training::read_run_folder(folder);
  if (run.config.task != training::Task::classify)
    throw ref::numeric::UsageError(
        fmt::format("{} has the task {}; expected classify: PyTorch's names are those of an "
                    "encoder with classes",
                    (folder / "config.json").string(), ref::model::print_field(run.config.task)));
  const ref::io::JsonReader reader((folder / "data.json").string());
  const auto data = reader.parse(run.data, "what 'normproof train' wrote");
  run.config.train.encoder.vocab_size = reader.whole(data, "vocab_size", "vocab_size");
  return run;
}

}  // namespace

void WeightsCommand::add(CLI::App& app) {
  require(add_folder_option(app, "--run", folder, "The folder that 'normproof train --out' made"));
  require(add_file_option(app, "--out", out, "A new file for the weights: .npz or .safetensors"));
  set_footer(
      app,
      R"(Writes the parameters of the last checkpoint in float64, for load_state_dict of a torch.nn.Module
that consists of embedding (Embedding), encoder (TransformerEncoder) and head (Linear). The names,
and the settings that the module needs, are in docs/guide/formats.md. PyTorch's layer has only
LayerNorm: other norms are refused. Option --weights of 'normproof train' and 'normproof trace'
reads the file.

Examples:
  normproof weights --run run --out weights.npz
  normproof train --out next --weights weights.npz)");
}

Output WeightsCommand::run() const {
  std::error_code error;
  if (std::filesystem::exists(out, error))
    throw ref::numeric::UsageError(
        fmt::format("--out {} is there already; expected the name of a new file", out.string()));
  const training::RunFolder run = read_classifier_run(folder);
  const ref::model::TrainConfig& config = run.config.train;
  const auto state = training::read_last_state(run, 1, ref::train::initial_train_state(config));
  const auto tensors = training::to_pytorch(config.encoder, state.parameters);
  ref::io::check_tensor_file(out);
  if (out.has_parent_path()) verification::golden::certify::NewFolder::create(out.parent_path());
  ref::io::write_tensors(out, tensors);
  return printed(fmt::format("step {}: {} tensors\n", state.step, tensors.size()));
}

}  // namespace normproof::verification::cli::train
