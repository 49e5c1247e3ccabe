#include "verification/cli/train/trace.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "ref/numeric/parallel.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/train/training_source_options.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::train {

using support::report::clean_line;
using support::report::count_text;
using support::report::plural;

namespace {

using training::TracedStep;
using training::TraceSummary;

/// Returns the factor by which the relative distance of the parameters from the exact values grows
/// per step. It is computed from the first and the last step.
std::optional<double> growth_factor(const TraceSummary& summary) {
  const std::size_t steps = summary.steps.size();
  if (summary.bits == 0 || steps < 2) return std::nullopt;
  const double first = summary.steps.front().parameters.relative,
               last = summary.steps.back().parameters.relative;
  if (!(first > 0) || !(last > 0)) return std::nullopt;
  return std::pow(last / first, 1 / static_cast<double>(steps - 1));
}

std::string relative_text(const training::ExactDistance& distance) {
  return distance.is_relative() ? fmt::format("{:.2g}", distance.relative) : "-";
}

}  // namespace

std::string trace_text(const TraceCommand& command, const std::string& corpus,
                       const TraceSummary& summary) {
  std::string text = fmt::format(
      "{}: {}, {} tensors, {} elements{}\n", clean_line(corpus),
      plural(summary.steps.size(), "step"), count_text(summary.tensors),
      count_text(summary.elements),
      summary.bits > 0 ? fmt::format(", certified with {} bits", summary.bits) : std::string());
  if (summary.bits > 0) text += "how far the run in double is from the true trajectory:\n";
  text += fmt::format("{:>5} {:>22}", "step", "loss");
  if (summary.bits > 0)
    text += fmt::format(" {:>9} {:>10} {:>11}  {}", "of loss", "of grads", "of params",
                        "over the largest of");
  text += "\n";
  for (std::size_t s = 0; s < summary.steps.size(); ++s) {
    const TracedStep& step = summary.steps[s];
    text += fmt::format("{:>5} {:>22.17g}", s + 1, step.loss);
    if (summary.bits > 0)
      text += fmt::format(" {:>9} {:>10} {:>11}  {}", relative_text(step.loss_distance),
                          relative_text(step.gradients), relative_text(step.parameters),
                          step.parameters.tensor);
    text += "\n";
  }
  if (const auto growth = growth_factor(summary))
    text += fmt::format("the distance of the parameters grows {:.3g}-fold a step\n", *growth);
  return text + fmt::format("sha256 {}\n{}: config.json, data.json, initial{}, manifest.json, {}\n",
                            summary.steps.back().sha256, clean_line(command.out.string()),
                            command.suffix,
                            fmt::format("{} of a step", plural(summary.steps.size(), "file")));
}

support::report::Document trace_document(const std::string& corpus, const TraceSummary& summary) {
  support::report::Document document{"normproof: trace"};
  document.add(support::report::Paragraph{fmt::format(
      "{}: {}, {} tensors, {} elements{}", corpus, plural(summary.steps.size(), "step"),
      count_text(summary.tensors), count_text(summary.elements),
      summary.bits > 0 ? fmt::format(", certified with {} bits", summary.bits) : std::string())});
  const bool certified = summary.bits > 0;
  support::report::Table table = support::report::numbers_table(
      certified ? "Relative distance of the run in double from the true trajectory" : "", {},
      {"step", "loss"});
  if (certified)
    for (const char* name : {"of the loss", "of the gradients", "of the parameters"})
      table.columns.push_back(support::report::number_column(name));
  for (std::size_t s = 0; s < summary.steps.size(); ++s) {
    const TracedStep& step = summary.steps[s];
    table.rows.push_back({{{std::to_string(s + 1)}, {fmt::format("{:.17g}", step.loss)}}});
    if (certified)
      for (const training::ExactDistance* distance :
           {&step.loss_distance, &step.gradients, &step.parameters})
        table.rows.back().cells.push_back({relative_text(*distance)});
  }
  document.add(std::move(table));
  if (const auto growth = growth_factor(summary))
    document.add(support::report::Paragraph{
        fmt::format("The distance of the parameters grows {:.3g}-fold per step.", *growth)});
  document.add(support::report::Paragraph{"sha256 " + summary.steps.back().sha256});
  return document;
}

std::string trace_json(const TraceCommand& command, const std::string& corpus,
                       const TraceSummary& summary) {
  nlohmann::ordered_json object = {{"out", clean_line(command.out.string())},
                                   {"corpus", clean_line(corpus)},
                                   {"tensors", summary.tensors},
                                   {"elements", summary.elements},
                                   {"certified", training::certified_json(summary)},
                                   {"steps", training::steps_json(summary)}};
  const auto growth = growth_factor(summary);
  object["growth"] = growth ? nlohmann::ordered_json(*growth) : nlohmann::ordered_json();
  return object.dump(1) + "\n";
}

void TraceCommand::add(CLI::App& app) {
  require(add_folder_option(app, "--out", out, "A new folder"));
  add_number_option(app, "--steps", steps, 1, 9999, "Number of steps (default: 1)", "K");
  add_flag(
      app, "--certified", certified,
      "Write for each element the double nearest to the true value, and the remainder beside it");
  add_choice_option(app, "--format", suffix, {{"safetensors", ".safetensors"}, {"npz", ".npz"}},
                    "safetensors (default) or npz");
  add_training_source(app, source);
  add_initial_weights(app, weights);
  add_threads_option(app, threads);
  reports.add_with_json_flag(app);
  set_footer(
      app,
      R"(Writes config.json, data.json, initial.safetensors (the state before the first step),
step_0001.safetensors ... (batch, every intermediate tensor, every gradient, the state after the
step) and manifest.json. An implementation of the forward, the backward or the optimizer can be
checked against these files.
With --certified the steps are computed in ball arithmetic of thousands of bits, until the nearest
double of every element is certain. The printed distances of the run in double are then proved.

Examples:
  normproof trace --out t --steps 3
  normproof trace --out t --weights weights.npz
  normproof trace --out t --steps 20 --certified --set encoder.d_model=8 --set encoder.d_ff=8 \
    --set training.batch_size=2)");
}

Output TraceCommand::run() const {
  training::RunConfig config = load_config(source);
  ref::numeric::set_num_threads(threads);
  const TrainingData loaded = load_training_data(source, config);
  ProgressBar progress;
  const TraceSummary traced = training::trace(
      config, loaded.data,
      {.out = out,
       .steps = steps,
       .certified = certified,
       .suffix = suffix,
       .weights = load_weights(weights, config),
       .after_step = [&](const std::string& stage, std::size_t done, std::size_t total) {
         progress.show(fmt::format("tracing, {}", stage), done, total, "");
       }});
  return {.document = trace_document(loaded.corpus, traced),
          .text = trace_text(*this, loaded.corpus, traced),
          .json = trace_json(*this, loaded.corpus, traced)};
}

}  // namespace normproof::verification::cli::train
