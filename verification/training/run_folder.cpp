#include "verification/training/run_folder.hpp"

#include <fmt/format.h>

#include <vector>

#include "ref/io/atomic_file.hpp"
#include "ref/io/file_failure.hpp"
#include "ref/io/sha256.hpp"
#include "ref/model/option_fields.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/training/averaging.hpp"

namespace normproof::verification::training {

RunFolder read_run_folder(const std::filesystem::path& folder) {
  const auto config_file = folder / "config.json";
  const std::string config = ref::io::read_text(config_file);
  RunFolder run{folder,
                parse_config(config, config_file.string()),
                ref::io::read_text(folder / "data.json"),
                {}};
  run.sha256 = ref::io::sha256(config + run.data);
  return run;
}

RunFolder read_run_folder(const std::filesystem::path& folder, Task task) {
  RunFolder run = read_run_folder(folder);
  if (run.config.task == task) return run;
  throw ref::numeric::UsageError(fmt::format(
      "the run in {} has the task {}; expected one that 'normproof train --task {}' made",
      folder.string(), ref::model::print_field(run.config.task), ref::model::print_field(task)));
}

ref::train::TrainState<double> read_last_state(const RunFolder& run, std::size_t average,
                                               const ref::train::TrainState<double>& like) {
  if (average < 1)
    ref::numeric::contract_failure("read_last_state", "average", "is 0", "1 or more",
                                   ref::numeric::Clause::C1);
  const std::vector<std::filesystem::path> files =
      average == 1 ? std::vector{run.path / "checkpoint.safetensors"}
                   : find_last_checkpoints(run.path, average);
  Checkpoint checkpoint = mean_checkpoint(files, like);
  if (checkpoint.run_sha256 != run.sha256)
    ref::io::file_failure(files.front().string(), "run_sha256",
                          "is not that of config.json and data.json beside it",
                          "the files of one run as 'normproof train' wrote them");
  return std::move(checkpoint.state);
}

}  // namespace normproof::verification::training
