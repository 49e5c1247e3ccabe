#include "verification/cli/trace.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "ref/numeric/parallel.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/text.hpp"

namespace normproof::verification::cli {
namespace {

using training::TracedStep;
using training::TraceSummary;

/// By what factor the parameters' relative distance grows a step, from the first to the last step.
std::optional<double> growth_of(const TraceSummary& summary) {
  const std::size_t steps = summary.steps.size();
  if (summary.bits == 0 || steps < 2) return std::nullopt;
  const double first = summary.steps.front().parameters.relative,
               last = summary.steps.back().parameters.relative;
  if (!(first > 0) || !(last > 0)) return std::nullopt;
  return std::pow(last / first, 1 / static_cast<double>(steps - 1));
}

std::string relative_text(const training::Distance& distance) {
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
  if (const auto growth = growth_of(summary))
    text += fmt::format("the distance of the parameters grows {:.3g}-fold a step\n", *growth);
  return text + fmt::format("sha256 {}\n{}: config.json, data.json, initial{}, manifest.json, {}\n",
                            summary.steps.back().sha256, clean_line(command.out.string()),
                            command.suffix,
                            fmt::format("{} of a step", plural(summary.steps.size(), "file")));
}

std::string trace_json(const TraceCommand& command, const std::string& corpus,
                       const TraceSummary& summary) {
  nlohmann::ordered_json object = {{"out", clean_line(command.out.string())},
                                   {"corpus", clean_line(corpus)},
                                   {"tensors", summary.tensors},
                                   {"elements", summary.elements},
                                   {"certified", training::certified_json(summary)},
                                   {"steps", training::steps_json(summary)}};
  const auto growth = growth_of(summary);
  object["growth"] = growth ? nlohmann::ordered_json(*growth) : nlohmann::ordered_json();
  return object.dump(1) + "\n";
}

void trace(const TraceCommand& command) {
  training::RunConfig config = load_config(command.source);
  ref::numeric::set_num_threads(command.threads);
  const TrainingData loaded = load_training_data(command.source, config);
  ProgressBar progress;
  const TraceSummary summary = training::trace(
      config, loaded.data,
      {.out = command.out,
       .steps = command.steps,
       .certified = command.certified,
       .suffix = command.suffix,
       .weights = load_weights(command.weights, config),
       .after_step = [&](const std::string& stage, std::size_t done, std::size_t steps) {
         progress.show(fmt::format("tracing, {}", stage), done, steps, "");
       }});
  write_stdout(command.json ? trace_json(command, loaded.corpus, summary)
                            : trace_text(command, loaded.corpus, summary));
}

}  // namespace normproof::verification::cli
