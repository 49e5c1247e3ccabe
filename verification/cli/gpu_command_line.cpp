#include "verification/cli/gpu_command_line.hpp"

#include <fmt/format.h>

#include <cmath>
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
  return parse_number<std::uint64_t>("--seed", texts.seed, 0,
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
  agree
      .add_option("--mode", texts.mode,
                  "ordered (default): our kernels, every bit; cublas: products\nof cuBLAS, or of a "
                  "library on the simulated device, each\nwithin its bound")
      ->type_name("ordered|cublas");
  agree
      .add_option("--precision", texts.precision,
                  "Of the operands in cublas mode: double (default), float32,\ntf32, bfloat16 or "
                  "float16; sums are float32 but for double")
      ->type_name("NAME");
  agree.add_option("--tier", texts.tier, "Of the golden corpus: quick (default) or standard")
      ->type_name("TIER");
  agree.add_option("--json", texts.json, "Write the rows as JSON")->type_name("FILE");
  agree.add_option("--junit", texts.junit, "Write the rows as JUnit XML")->type_name("FILE");
  agree.add_option("--html", texts.html, "Write the rows as one HTML page")->type_name("FILE");
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
  probe.add_option("--side", texts.side, "Rows and columns of a product (default: 8)")
      ->type_name("N");
  add_device(probe, texts);
  probe.footer(probe_order_footer());
}

GpuAgreeCommand gpu_agree_command(const CLI::App& verb, const GpuTexts& texts) {
  GpuAgreeCommand command;
  command.device = gpu::device::backend_of(texts.device);
  command.seed = seed_of(verb, texts, 1);
  command.jobs = thread_count(verb, "--jobs", texts.jobs);
  command.mode = parse_choice<GpuMode>(
      "--mode", texts.mode, {{"ordered", GpuMode::ordered}, {"cublas", GpuMode::cublas}});
  command.precision = gpu::ops::precision_of(texts.precision);
  if (command.mode == GpuMode::ordered && verb.count("--precision") > 0)
    throw ref::numeric::UsageError(
        "--precision is given without --mode cublas; expected it there alone, for ordered products "
        "are double");
  command.tier = parse_choice<golden::corpus::Tier>(
      "--tier", texts.tier,
      {{"quick", golden::corpus::Tier::quick}, {"standard", golden::corpus::Tier::standard}});
  command.json = path_of(verb, "--json");
  command.junit = path_of(verb, "--junit");
  command.html = path_of(verb, "--html");
  return command;
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

ProbeOrderCommand probe_order_command(const CLI::App& verb, const GpuTexts& texts) {
  using agreement::OrderPlace;
  using ref::numeric::UsageError;
  const agreement::OrderSubject& subject = agreement::order_subject(texts.subject);
  ProbeOrderCommand command;
  command.subject = subject.name;
  command.device = gpu::device::backend_of(texts.device);
  const bool device_given = verb.count("--device") > 0;
  if (device_given && subject.place == OrderPlace::ref)
    throw UsageError(fmt::format(
        "--device is given for {}, which the processor adds; expected a subject that begins with "
        "device- or cublas",
        subject.name));
  if (device_given && subject.place == OrderPlace::gpu_alone &&
      command.device != gpu::device::Backend::cuda)
    throw UsageError(
        fmt::format("--device is simulated for {}; expected cuda, or none", subject.name));
  command.terms = parse_number<std::size_t>("--terms", texts.terms, 1, 100'000);
  command.side = parse_number<std::size_t>("--side", texts.side, 1, 4096);
  if (verb.count("--side") > 0 && (!subject.is_product || subject.same_bits))
    throw UsageError(fmt::format(
        "--side is given for {}; expected it for matrix products of any extents", subject.name));
  constexpr double kMostAdditions = 2e10;
  const double cost = subject.least_cost(command.terms, command.side);
  if (cost > kMostAdditions)
    throw UsageError(fmt::format(
        "--terms is {} for {}, which takes {:.2g} additions at least; expected {} at most, for "
        "{:.2g} additions",
        command.terms, subject.name, cost,
        static_cast<std::size_t>(static_cast<double>(command.terms) *
                                 std::sqrt(kMostAdditions / cost)),
        kMostAdditions));
  return command;
}

}  // namespace normproof::verification::cli
