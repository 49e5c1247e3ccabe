#include "verification/cli/weights_command_line.hpp"

#include "verification/cli/help.hpp"
#include "verification/cli/option_values.hpp"

namespace normproof::verification::cli {

void add_weights(CLI::App& app, WeightsTexts& texts) {
  CLI::App& weights = *app.add_subcommand(
      "weights", "Write the weights of a run for PyTorch, or for another\nrun to begin with");
  weights.add_option("--run", texts.run, "The folder that normproof train --out made")
      ->required()
      ->type_name("DIR");
  weights.add_option("--out", texts.out, "A new file for the weights: .npz or .safetensors")
      ->required()
      ->type_name("FILE");
  weights.footer(weights_footer());
}

WeightsCommand weights_command(const CLI::App& command) {
  return {*path_of(command, "--run"), *path_of(command, "--out")};
}

}  // namespace normproof::verification::cli
