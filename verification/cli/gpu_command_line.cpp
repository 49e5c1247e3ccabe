#include "verification/cli/gpu_command_line.hpp"

#include <limits>

#include "ref/model/train_options.hpp"
#include "verification/agreement/order_subjects.hpp"
#include "verification/cli/help.hpp"
#include "verification/cli/option_values.hpp"

namespace normproof::verification::cli {

namespace {

void add_device(CLI::App& command, GpuTexts& texts) {
  command
      .add_option("--device", texts.device,
                  "simulated (default): kernels on the processor, in an order\nof the seed; cuda: "
                  "on the first GPU")
      ->type_name("simulated|cuda");
}

void add_seed_and_jobs(CLI::App& verb, GpuTexts& texts, const char* seed) {
  verb.add_option("--seed", texts.seed, seed)->type_name("N");
  verb.add_option("--jobs", texts.jobs,
                  "Threads of the reference (default: the number of\nprocessors); no bit depends "
                  "on it")
      ->type_name("N");
}

std::uint64_t seed_of(const CLI::App& verb, const GpuTexts& texts, std::uint64_t otherwise) {
  if (verb.count("--seed") == 0) return otherwise;
  return parse_number<std::uint64_t>("--seed", texts.seed, 1,
                                     std::numeric_limits<std::uint64_t>::max());
}

}  // namespace

void add_gpu(CLI::App& app, GpuTexts& texts) {
  CLI::App& gpu = *app.add_subcommand(
      "gpu", "Hold the GPU path against the reference, bit for bit,\non a GPU or a simulated one");
  CLI::App& agree =
      *gpu.add_subcommand("agree", "Compare every operation on many inputs, a row an operation");
  add_device(agree, texts);
  add_seed_and_jobs(agree, texts, "Seed of the random inputs (default: 1)");
  agree.add_option("--json", texts.json, "Write the rows as JSON")->type_name("FILE");
  agree.add_option("--junit", texts.junit, "Write the rows as JUnit XML")->type_name("FILE");
  agree.footer(gpu_agree_footer());
  CLI::App& train = *gpu.add_subcommand(
      "train", "Train a small encoder there and by the reference, and\nprint the hash of both");
  add_device(train, texts);
  train.add_option("--norm", texts.norm, "The norm of the encoder (default: layer_norm)")
      ->type_name("NORM");
  train.add_option("--optimizer", texts.optimizer, "sgd (default), adam or adamw")
      ->type_name("NAME");
  train.add_option("--steps", texts.steps, "Steps of training (default: 10)")->type_name("N");
  add_seed_and_jobs(train, texts, "Seed of weights, data and dropout (default: 42)");
  train.footer(gpu_train_footer());
  for (CLI::App* verb : gpu.get_subcommands({})) verb->allow_extras();
  gpu.footer(gpu_footer());
}

void add_probe_order(CLI::App& app, GpuTexts& texts) {
  CLI::App& probe =
      *app.add_subcommand("probe-order", "Find out in which order a sum or a product is added");
  probe.add_option("SUBJECT", texts.subject, "What adds; see below")->required()->type_name("");
  probe.add_option("--terms", texts.terms, "How many terms (default: 600)")->type_name("N");
  add_device(probe, texts);
  probe.footer(probe_order_footer());
}

GpuAgreeCommand gpu_agree_command(const CLI::App& verb, const GpuTexts& texts) {
  return {gpu::device::backend_of(texts.device), seed_of(verb, texts, 1),
          thread_count(verb, "--jobs", texts.jobs), path_of(verb, "--json"),
          path_of(verb, "--junit")};
}

GpuTrainCommand gpu_train_command(const CLI::App& verb, const GpuTexts& texts) {
  ref::model::norm_options(texts.norm);  // refuses an unknown name
  ref::model::optimizer_options(texts.optimizer);
  return {gpu::device::backend_of(texts.device),
          texts.norm,
          texts.optimizer,
          seed_of(verb, texts, 42),
          parse_number<std::int64_t>("--steps", texts.steps, 1, 1'000'000),
          thread_count(verb, "--jobs", texts.jobs)};
}

ProbeOrderCommand probe_order_command(const GpuTexts& texts) {
  agreement::order_subject(texts.subject);  // refuses an unknown name
  return {texts.subject, gpu::device::backend_of(texts.device),
          parse_number<std::size_t>("--terms", texts.terms, 1, 100'000)};
}

}  // namespace normproof::verification::cli
