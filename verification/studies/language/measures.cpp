#include "verification/studies/language/measures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ref/io/json_reader.hpp"
#include "verification/studies/language/followed_task.hpp"
#include "verification/studies/language/traced_task.hpp"
#include "verification/support/process/lines.hpp"

namespace normproof::verification::studies::language {

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

/// The ratio of a norm layer's gradient to the bound of this gradient, summarized over the training
/// steps.
struct BoundMeans {
  PieceMeans shares = {};
  NormLayerGradientBound found = {};
};

/// Pairs of the name of a norm layer and a value, in the order in which the names first occurred.
template <class T>
using ByNormLayer = std::vector<std::pair<std::string, T>>;

template <class T>
T& find_or_add_layer(ByNormLayer<T>& sites, const std::string& name) {
  const auto found = std::ranges::find(sites, name, &ByNormLayer<T>::value_type::first);
  return found != sites.end() ? found->second : sites.emplace_back(name, T()).second;
}

/// Returns the part of the key after the prefix, or nothing if the key does not begin with the
/// prefix.
std::optional<std::string> text_after_prefix(const std::string& key, std::string_view prefix) {
  if (!key.starts_with(prefix)) return std::nullopt;
  return key.substr(prefix.size());
}

}  // namespace

void read_measures(std::string_view metrics, const std::string& file, std::size_t planned,
                   std::int64_t warmup, CellResult& result) {
  PieceMeans losses;
  ByNormLayer<PieceMeans> sites;  // the keys are the norm layer and the statistic
  ByNormLayer<BoundMeans> bounds;
  for (const support::process::Line& line : support::process::split_lines(metrics)) {
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
      if (!value.is_number()) continue;
      const double number = value.get<double>();
      if (const auto site = text_after_prefix(key, kFluctuation)) {
        PieceMeans& means = find_or_add_layer(sites, *site);
        means.pieces[piece].add(number);
        if (static_cast<std::int64_t>(step) > warmup) means.after_warmup.add(number);
      } else if (const auto bounded = text_after_prefix(key, kGradientSharePrefix)) {
        BoundMeans& own = find_or_add_layer(bounds, *bounded);
        own.shares.pieces[piece].add(number);
        own.found.largest = std::max(own.found.largest.value_or(0), number);
      } else if (const auto counted = text_after_prefix(key, kBoundChannelsPrefix)) {
        double& channels = find_or_add_layer(bounds, *counted).found.channels;
        channels = std::min(channels, number);
      }
    }
  }
  result.training_loss = losses.series();
  for (const auto& [name, means] : sites) {
    const std::size_t dot = name.rfind('.');
    result.fluctuation.push_back(
        {name.substr(0, dot), name.substr(dot + 1), means.after_warmup.value(), means.series()});
  }
  for (auto& [name, own] : bounds) {
    own.found.site = name;
    own.found.pieces = own.shares.series();
    result.gradient_bound.push_back(std::move(own.found));
  }
}

}  // namespace normproof::verification::studies::language
