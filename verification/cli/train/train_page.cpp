#include "verification/cli/train/train_page.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "ref/io/json_reader.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/support/process/lines.hpp"
#include "verification/support/report/curves.hpp"
#include "verification/support/report/gnuplot.hpp"
#include "verification/support/report/html.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::train {

using support::report::Curve;
using support::report::draw;
using support::report::line;
using support::report::picture_preamble;
using support::report::plot;
using support::report::plural;

namespace {

using Points = std::vector<std::pair<double, double>>;

/// The curves of a training run, read from metrics.jsonl. The key is the name of the quantity.
struct TrainCurves {
  std::map<std::string, Points> loss, accuracy, bits, bleu, gradient, rstd;
  std::size_t steps = 0;
  std::string sha256;
};

void read_step(const nlohmann::json& line, training::Task task, TrainCurves& curves) {
  const double step = line.at("step").get<double>();
  const auto add = [&](std::map<std::string, Points>& named, const char* name, const char* field) {
    named[name].emplace_back(step, line.at(field).get<double>());
  };
  if (line.contains("validation_loss")) {
    add(curves.loss, "validation", "validation_loss");
    if (task == training::Task::language) {
      add(curves.bits, "validation", "validation_bits_per_character");
    } else if (task == training::Task::translate) {
      if (line.contains("validation_bleu")) add(curves.bleu, "validation", "validation_bleu");
    } else {
      add(curves.accuracy, "validation", "validation_accuracy");
      add(curves.accuracy, "validation, macro-F1", "validation_macro_f1");
    }
    return;
  }
  ++curves.steps;
  curves.sha256 = line.at("sha256").get<std::string>();
  add(curves.loss, "training", "loss");
  if (task == training::Task::language) add(curves.bits, "training", "bits_per_character");
  if (task == training::Task::classify) add(curves.accuracy, "training", "accuracy");
  add(curves.gradient, "whole", "gradient_norm");
  if (line.contains("max_weighted_gamma"))
    add(curves.gradient, "largest (1 - alpha) Gamma", "max_weighted_gamma");
  for (const auto& [site, statistics] : line.at("norms").items())
    if (statistics.contains("rstd"))
      curves.rstd[site].emplace_back(step, statistics.at("rstd").at(1).get<double>());
}

TrainCurves read_curves(std::string_view metrics, training::Task task) {
  TrainCurves curves;
  for (const support::process::Line& stored : support::process::split_lines(metrics)) {
    const std::string file = fmt::format("metrics.jsonl: line {}", stored.number);
    const nlohmann::json line =
        ref::io::JsonReader(file).parse(stored.text, "an object, as 'normproof train' writes it");
    try {
      read_step(line, task, curves);
    } catch (const nlohmann::json::exception&) {
      throw ref::numeric::FileError(
          fmt::format("{} is not a line of a run; expected what 'normproof train' writes", file));
    }
  }
  return curves;
}

void add_curves(support::report::Document& document, const std::map<std::string, Points>& named,
                const char* id, const char* title, bool logarithmic, const char* caption) {
  if (named.empty()) return;
  std::vector<Curve> curves;
  curves.reserve(named.size());
  for (const auto& [name, points] : named)
    curves.push_back({name, line(curves.size(), curves.size() >= 8), points});
  const std::string script = picture_preamble(title) +
                             (logarithmic ? "set logscale y\nset format y '10^{%T}'\n" : "") +
                             "set xlabel 'step'\nset key outside right noenhanced\n" + plot(curves);
  document.add(support::report::Figure{"", draw(script, id, title, 1100, 420), caption});
}

const char* loss_caption(training::Task task) {
  switch (task) {
    case training::Task::language:
      return "The mean cross-entropy of the characters of each batch, and of all validation "
             "characters after each epoch.";
    case training::Task::translate:
      return "The mean cross-entropy of the words of each batch, and of all validation words after "
             "each epoch.";
    case training::Task::classify:
      break;
  }
  return "The weighted cross-entropy of each batch, and of all validation sentences after each "
         "epoch.";
}

}  // namespace

std::string train_page(std::string_view metrics, const training::RunConfig& config) {
  const TrainCurves curves = read_curves(metrics, config.task);
  support::report::Document document{"normproof: training"};
  document.add(support::report::Heading{1, "normproof: a training run"});
  document.add(support::report::Paragraph{fmt::format(
      "{}; the state after the last one has the SHA-256", plural(curves.steps, "step"))});
  document.add(support::report::Code{curves.sha256});
  add_curves(document, curves.loss, "loss", "Loss", false, loss_caption(config.task));
  add_curves(document, curves.accuracy, "accuracy", "Accuracy", false,
             "The share of sentences whose class is predicted correctly, and the mean of F1 over "
             "the classes.");
  add_curves(document, curves.bits, "bits", "Bits per character", false,
             "The loss divided by log 2.");
  add_curves(document, curves.bleu, "bleu", "BLEU", false,
             "The BLEU of the greedy translations of the first validation pairs.");
  add_curves(document, curves.gradient, "gradient", "Gradient norm", true,
             "The L2 norm of the gradient of all parameters, before clipping.");
  add_curves(document, curves.rstd, "rstd", "rstd of each norm", true,
             "The mean of 1 / sqrt(statistic + eps) of each norm layer.");
  document.add(support::report::Heading{2, "Configuration"});
  document.add(support::report::Code{training::config_json(config)});
  return support::report::html(document);
}

}  // namespace normproof::verification::cli::train
