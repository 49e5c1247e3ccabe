#include "verification/language_study/measures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ref/io/json_reader.hpp"
#include "verification/language_study/followed_task.hpp"
#include "verification/process/lines.hpp"

namespace normproof::verification::language_study {

using nlohmann::json;

namespace {

class Mean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  std::optional<double> value() const {
    return count_ == 0 ? std::nullopt : std::optional(sum_ / static_cast<double>(count_));
  }

 private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

struct PieceMeans {
  std::vector<Mean> pieces = std::vector<Mean>(kPieces);
  Mean after_warmup = {};

  Series series() const {
    Series series;
    for (const Mean& mean : pieces) series.push_back(mean.value());
    return series;
  }
};

/// A norm layer and its statistic, in the order in which they first come.
using Sites = std::vector<std::pair<std::string, PieceMeans>>;

PieceMeans& site_means(Sites& sites, const std::string& name) {
  const auto found = std::ranges::find(sites, name, &Sites::value_type::first);
  return found != sites.end() ? found->second : sites.emplace_back(name, PieceMeans()).second;
}

}  // namespace

void take_measures(std::string_view metrics, const std::string& file, std::size_t planned,
                   std::int64_t warmup, CellResult& result) {
  PieceMeans losses;
  Sites sites;
  for (const process::Line& line : process::split_lines(metrics)) {
    const ref::io::JsonReader reader(fmt::format("{}: line {}", file, line.number));
    const json object = reader.parse(line.text, "a line of a run");
    const std::uint64_t step = reader.whole(object, "step", "step");
    if (object.contains("validation_loss")) {
      const json& loss = object["validation_loss"];
      result.validation_loss.push_back(loss.is_number() ? std::optional(loss.get<double>())
                                                        : std::nullopt);
      if (object.contains("validation_bleu"))
        result.validation_bleu.push_back(
            reader.number(object, "validation_bleu", "validation_bleu"));
      continue;
    }
    if (step < 1 || step > planned)
      reader.fail("step", fmt::format("is {}", step), fmt::format("1 to {}", planned));
    const std::size_t piece = (step - 1) * kPieces / planned;
    result.steps = step;
    result.sha256 = reader.sha256(object, "sha256", "sha256");
    losses.pieces[piece].add(reader.number(object, "loss", "loss"));
    if (object.contains("max_weighted_gamma") && object["max_weighted_gamma"].is_number())
      result.max_weighted_gamma = std::max(result.max_weighted_gamma.value_or(0),
                                           object["max_weighted_gamma"].get<double>());
    for (const auto& [key, value] : object.items()) {
      if (!key.starts_with(kFluctuation) || !value.is_number()) continue;
      PieceMeans& means = site_means(sites, key.substr(kFluctuation.size()));
      means.pieces[piece].add(value.get<double>());
      if (static_cast<std::int64_t>(step) > warmup) means.after_warmup.add(value.get<double>());
    }
  }
  result.training_loss = losses.series();
  for (const auto& [name, means] : sites) {
    const std::size_t dot = name.rfind('.');
    result.fluctuation.push_back(
        {name.substr(0, dot), name.substr(dot + 1), means.after_warmup.value(), means.series()});
  }
}

}  // namespace normproof::verification::language_study
