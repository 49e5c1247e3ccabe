#include "verification/training/beam_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/ops/softmax.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::verification::training {

using ref::numeric::Clause;
using ref::tensor::Tensor;

namespace {

void throw_beam_error(std::string_view argument, const std::string& is, const std::string& expected,
                      Clause clause) {
  ref::numeric::contract_failure("beam_search", argument, is, expected, clause);
}

void check_beam(const BeamOptions& options) {
  if (options.width < 1) throw_beam_error("width", "is 0", "1 or more", Clause::C1);
  if (options.max_length < 1) throw_beam_error("max_length", "is 0", "1 or more", Clause::C1);
  if (!(options.length_penalty >= 0) || !ref::numeric::is_finite(options.length_penalty))
    throw_beam_error("length_penalty", fmt::format("is {}", options.length_penalty), "0 or more",
                     Clause::C2);
}

void check_logits(const Tensor<double>& logits, std::int32_t end) {
  if (logits.dimension() != 1 || end < 0 || static_cast<std::size_t>(end) >= logits.size())
    throw_beam_error(
        "logits",
        fmt::format("have shape {}", ref::tensor::to_string(ref::tensor::shape_of(logits))),
        fmt::format("[V] with V above end, {}", end), Clause::C3);
}

/// A token that may follow a hypothesis in the beam.
struct Extension {
  std::size_t hypothesis;
  std::int32_t token;
  double log_probability;
};

/// A hypothesis in the beam, together with the tokens that may follow it, the most likely first.
class BeamEntry {
 public:
  BeamEntry(Hypothesis hypothesis, std::unique_ptr<DecodingState> state)
      : hypothesis_(std::move(hypothesis)), state_(std::move(state)) {}

  /// Feeds the last token of the hypothesis to the model. If the hypothesis is empty, feeds the
  /// token `begin`. Then sorts the beginning of the ranking: the first `most` entries are the most
  /// likely next tokens, the most likely first.
  void read(const BeamOptions& options, std::size_t most) {
    const auto& tokens = hypothesis_.tokens;
    const Tensor<double> logits = state_->append(tokens.empty() ? options.begin : tokens.back());
    check_logits(logits, options.end);
    log_probabilities_ = ref::ops::log_softmax(logits);
    order_.resize(logits.size());
    std::iota(order_.begin(), order_.end(), std::int32_t{0});
    const auto of = [&](std::int32_t token) { return logits.data()[token]; };
    std::ranges::partial_sort(
        order_, order_.begin() + static_cast<std::ptrdiff_t>(std::min(most, order_.size())),
        [&](std::int32_t a, std::int32_t b) { return of(a) != of(b) ? of(a) > of(b) : a < b; });
    next_ = 0;
  }

  bool has_extension() const { return next_ < order_.size(); }
  Extension step(std::size_t number) const {
    const std::int32_t token = order_[next_];
    return {number, token, hypothesis_.log_probability + log_probabilities_.data()[token]};
  }
  void skip_extension() { ++next_; }

  Hypothesis extend(const Extension& step, const BeamOptions& options) const {
    Hypothesis longer = hypothesis_;
    longer.tokens.push_back(step.token);
    longer.log_probability = step.log_probability;
    longer.ended = step.token == options.end;
    longer.score =
        step.log_probability / length_penalty(longer.tokens.size(), options.length_penalty);
    return longer;
  }
  std::unique_ptr<DecodingState> fork() const { return state_->fork(); }

 private:
  Hypothesis hypothesis_;
  std::unique_ptr<DecodingState> state_;
  Tensor<double> log_probabilities_;
  /// All tokens of the vocabulary. The tokens that were ranked come first, in order from the best.
  std::vector<std::int32_t> order_;
  std::size_t next_ = 0;
};

bool is_better(const Extension& a, const Extension& b) {
  if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
  return a.token != b.token ? a.token < b.token : a.hypothesis < b.hypothesis;
}

/// Returns the best extensions over all hypotheses of the beam, the best first. The argument `most`
/// is the maximum number of extensions.
std::vector<Extension> best_extensions(std::vector<BeamEntry>& beam, std::size_t most) {
  std::vector<Extension> steps;
  while (steps.size() < most) {
    const BeamEntry* best = nullptr;
    Extension chosen{};
    for (std::size_t i = 0; i < beam.size(); ++i) {
      if (!beam[i].has_extension()) continue;
      const Extension step = beam[i].step(i);
      if (best != nullptr && !is_better(step, chosen)) continue;
      best = &beam[i];
      chosen = step;
    }
    if (best == nullptr) break;
    beam[chosen.hypothesis].skip_extension();
    steps.push_back(chosen);
  }
  return steps;
}

}  // namespace

double length_penalty(std::size_t length, double alpha) {
  return ref::numeric::exp(alpha * ref::numeric::log((5 + static_cast<double>(length)) / 6));
}

std::vector<Hypothesis> beam_search(const DecodingState& start, const BeamOptions& options) {
  check_beam(options);
  std::vector<Hypothesis> finished;
  std::vector<BeamEntry> beam;
  beam.emplace_back(Hypothesis{}, start.fork());
  for (std::size_t length = 1; !beam.empty(); ++length) {
    const std::size_t most = options.width - finished.size();
    for (BeamEntry& branch : beam) branch.read(options, most);
    std::vector<BeamEntry> longer;
    for (const Extension& step : best_extensions(beam, most)) {
      const BeamEntry& branch = beam[step.hypothesis];
      Hypothesis hypothesis = branch.extend(step, options);
      if (hypothesis.ended || length == options.max_length)
        finished.push_back(std::move(hypothesis));
      else
        longer.emplace_back(std::move(hypothesis), branch.fork());
    }
    beam = std::move(longer);
  }
  std::ranges::stable_sort(finished, [](const Hypothesis& a, const Hypothesis& b) {
    return a.ended != b.ended ? a.ended : a.score > b.score;
  });
  return finished;
}

}  // namespace normproof::verification::training
