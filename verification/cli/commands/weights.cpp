#include "verification/cli/commands/weights.hpp"

#include <fmt/format.h>

#include <system_error>

#include "ref/io/atomic_file.hpp"
#include "ref/io/file_failure.hpp"
#include "ref/io/json_reader.hpp"
#include "ref/io/sha256.hpp"
#include "ref/io/tensor_file.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/cli/options.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/golden/certify/new_folder.hpp"
#include "verification/training/checkpoint.hpp"
#include "verification/training/pytorch_weights.hpp"
#include "verification/training/run_config.hpp"

namespace normproof::verification::cli::commands {
namespace {

/// The configuration of the run in a folder, with the extent of its vocabulary.
training::RunConfig configuration_of(const std::filesystem::path& config_file,
                                     const std::filesystem::path& data_file) {
  training::RunConfig config =
      training::parse_config(ref::io::read_text(config_file), config_file.string());
  if (config.task != training::Task::classify)
    throw ref::numeric::UsageError(
        fmt::format("{} has the task language; expected classify: PyTorch's names are those of an "
                    "encoder with classes",
                    config_file.string()));
  const ref::io::JsonReader reader(data_file.string());
  const auto data = reader.parse(ref::io::read_text(data_file), "what 'normproof train' wrote");
  config.train.encoder.vocab_size = reader.whole(data, "vocab_size", "vocab_size");
  return config;
}

}  // namespace

void WeightsCommand::add(CLI::App& app) {
  require(add_folder(app, "--run", folder, "The folder that normproof train --out made"));
  require(add_file(app, "--out", out, "A new file for the weights: .npz or .safetensors"));
  set_footer(
      app,
      R"(The parameters of the last checkpoint, in float64, under the names that a torch.nn.Module gives them
whose parts are embedding (Embedding), encoder (TransformerEncoder) and head (Linear): what
load_state_dict takes. docs/formats.md has the table. PyTorch's layer has LayerNorm alone: other
norms are refused. normproof train and normproof trace begin with such a file: --weights.

Examples:
  normproof weights --run run --out weights.npz
  normproof train --out next --weights weights.npz)");
}

ExitStatus WeightsCommand::run() const {
  const auto config_file = folder / "config.json", data_file = folder / "data.json",
             checkpoint_file = folder / "checkpoint.safetensors";
  std::error_code error;
  if (std::filesystem::exists(out, error))
    throw ref::numeric::UsageError(
        fmt::format("--out {} is there already; expected the name of a new file", out.string()));
  const training::RunConfig config = configuration_of(config_file, data_file);
  const training::Checkpoint checkpoint = training::read_checkpoint(checkpoint_file, config.train);
  if (checkpoint.run_sha256 !=
      ref::io::sha256(ref::io::read_text(config_file) + ref::io::read_text(data_file)))
    ref::io::file_failure(checkpoint_file.string(), "run_sha256",
                          "is not that of config.json and data.json beside it",
                          "the files of one run as 'normproof train' wrote them");
  const auto& state = checkpoint.state;
  const auto tensors = training::to_pytorch(config.train.encoder, state.parameters);
  ref::io::check_tensor_file(out);
  if (out.has_parent_path()) golden::certify::NewFolder::create(out.parent_path());
  ref::io::write_tensors(out, tensors);
  write_stdout(fmt::format("step {}: {} tensors\n", state.step, tensors.size()));
  return kSuccess;
}

}  // namespace normproof::verification::cli::commands
