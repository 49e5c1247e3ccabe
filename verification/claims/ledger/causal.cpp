#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ref/model/norm_layers.hpp"
#include "verification/claims/engine/control.hpp"
#include "verification/claims/fixtures/encoder_case.hpp"
#include "verification/claims/ledger/ledger.hpp"

// Claims L1 to L5: whether later tokens influence earlier positions of a causal encoder.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

using ref::model::NormPlacement;

/// The norms that a claim is about, and the kind of step in which they run: training or inference.
struct CausalStep {
  std::vector<NormOptions> norms;
  Mode mode = Mode::training;
  bool follows_a_step = false;  ///< whether a training step with other tokens precedes it
};

/// Makes the inputs of a causal encoder from a case. It uses W_Q = W_1 and W_K = W_2, so that
/// attention depends on the visible tokens. In x, the tokens from position `kept` on are replaced
/// by the rows of grad_y at the same positions. If there is a preceding step, its input is grad_y.
StackInputs<double> causal_inputs(EncoderCase c, const CausalStep& step, NormOptions norm,
                                  std::size_t kept) {
  const std::size_t d = c.d_model;
  std::copy(c.grad_y.begin() + static_cast<long>(kept * d), c.grad_y.end(),
            c.x.begin() + static_cast<long>(kept * d));
  StackInputs<double> in = c.inputs<double>(false);
  in.config.causal = true;
  std::visit(
      [&](auto& options) {
        if constexpr (requires { options.eps; }) options.eps = c.eps;
      },
      norm);
  in.config.norm = norm;
  for (std::size_t l = 0; l < c.layers.size(); ++l) {
    double* weight = in.layers[l].attention.in.weight.data();
    std::copy(c.layers[l].first.begin(), c.layers[l].first.end(), weight);
    std::copy(c.layers[l].second.begin(), c.layers[l].second.end(), weight + d * d);
  }
  in.mode = step.mode;
  if (step.follows_a_step) {
    in.before = in.x;
    std::copy(c.grad_y.begin(), c.grad_y.end(), in.before.data());
  }
  return in;
}

/// The two outputs of one position: y with the original later tokens, and y' with changed later
/// tokens.
struct Position {
  std::string where;
  std::vector<double> own, moved;

  /// Returns the maximum over the features of |y' - y| / max(|y|, |y'|), where y and y' are the two
  /// outputs. It exceeds 2^-54 if y and y' differ in any feature.
  double largest_relative_change() const {
    double most = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const double difference = std::fabs(moved[i] - own[i]);
      if (difference != 0)
        most = std::max(most, difference / std::max(std::fabs(own[i]), std::fabs(moved[i])));
    }
    return most;
  }
  /// Returns the maximum over the features of |y' - y|, divided by the maximum of |y|, where y and
  /// y' are the two outputs.
  double relative_change() const {
    double change = 0, size = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      change = std::max(change, std::fabs(moved[i] - own[i]));
      size = std::max(size, std::fabs(own[i]));
    }
    return change == 0 ? 0 : change / size;
  }
};

/// Runs the encoder with one norm, as post-norm and as pre-norm. Returns all positions except the
/// last one. Each position has two outputs: with the original later tokens, and with changed later
/// tokens.
std::vector<Position> positions(const TestedImplementation& subject, EncoderCase c,
                                const CausalStep& step, const NormOptions& norm) {
  std::vector<Position> result;
  for (const bool pre : {false, true}) {
    c.placement = pre ? NormPlacement::pre : NormPlacement::post;
    c.final_norm = pre;
    const auto run = [&](std::size_t kept) {
      return subject.stack_double(causal_inputs(c, step, norm, kept)).y;
    };
    const auto own = run(c.tokens);
    for (std::size_t kept = 1; kept < c.tokens; ++kept) {
      const auto moved = run(kept);
      for (std::size_t t = 0; t < kept; ++t) {
        const auto row = [&](const Tensor<double>& y) {
          const double* begin = y.data() + t * c.d_model;
          return std::vector<double>(begin, begin + c.d_model);
        };
        result.push_back({fmt::format("{} {}, position {}, later tokens from {} on",
                                      pre ? "pre-norm" : "post-norm", norm_name(norm), t, kept),
                          row(own), row(moved)});
      }
    }
  }
  return result;
}

Position find_worst_position(const TestedImplementation& subject, const EncoderCase& c,
                             const CausalStep& step) {
  Position worst;
  double most = -1;
  for (const NormOptions& norm : step.norms)
    for (const Position& p : positions(subject, c, step, norm))
      if (const double share = p.largest_relative_change(); share > most) {
        most = share;
        worst = p;
      }
  return worst;
}

rc::Gen<EncoderCase> sentences() {
  return encoders({.min_tokens = 2,
                   .max_tokens = 4,
                   .min_d_model = 2,
                   .max_d_model = 4,
                   .max_layers = 2,
                   .positive_eps = true});
}

Property<EncoderCase> judge_causality(const TestedImplementation& subject, const CausalStep& step) {
  return {
      .cases = sentences(),
      .judge =
          [&subject, step](const EncoderCase& c) {
            Judgement all = judge_condition(true);
            for (const NormOptions& norm : step.norms)
              for (const Position& p : positions(subject, c, step, norm))
                all = worse_judgement(all, within(p.largest_relative_change(), 0x1p-54));
            return all;
          },
      .describe =
          [&subject, step](const EncoderCase& c) {
            const Position p = find_worst_position(subject, c, step);
            return fmt::format("{}, with other tokens those of grad_y; {}: y = {}, then {}",
                               show(c), p.where, show(p.own), show(p.moved));
          },
      .worst_meaning =
          "|y′ − y| / max(|y|, |y′|) of one output, in units of 2⁻⁵⁴: doubles that differ at all "
          "have more than 1"};
}

/// Returns a text with the change of the first position's output if all other tokens change. The
/// change is relative to the largest element of the output.
std::string describe_typical_leak(const Run& run, const CausalStep& step, const NormOptions& norm) {
  constexpr std::size_t kEncoders = 100;
  const auto cases = sentences();
  std::vector<double> moved;
  for (std::size_t i = 0; i < kEncoders; ++i) {
    const EncoderCase c = cases(make_case_random(run, i), rc::kNominalSize).value();
    moved.push_back(positions(run.subject, c, step, norm).front().relative_change());
  }
  std::ranges::sort(moved);
  return fmt::format(
      "post-norm {}: the first position moves by {:.2g} of its largest output in the "
      "median of {} encoders, by {:.2g} at most",
      norm_name(norm), moved[kEncoders / 2], kEncoders, moved.back());
}

/// Combines the evidence of all norms. The result is `refuted` if the claim is refuted for each of
/// the norms. The control is the same claim in inference mode, where it must hold.
Evidence refute_each_norm(const Run& run, const CausalStep& step) {
  Evidence main;
  for (std::size_t i = 0; i < step.norms.size(); ++i) {
    CausalStep alone = step;
    alone.norms = {step.norms[i]};
    const Evidence one = examine(run, judge_causality(run.subject, alone));
    if (i == 0 || (one.observed == Verdict::holds && main.observed == Verdict::refuted)) {
      main = one;
    } else {
      main.worst = std::max(main.worst, one.worst);
      main = add_remark(main, fmt::format("{}: {} of {} leak", norm_name(alone.norms.front()),
                                          one.violations, one.cases));
    }
  }
  main = refute_with_control(
      main,
      [&] {
        CausalStep inference = step;
        inference.mode = Mode::inference;
        return examine(reduce_case_count(run), judge_causality(run.subject, inference));
      },
      "in inference");
  for (const NormOptions& norm : step.norms)
    main = add_remark(main, describe_typical_leak(run, step, norm));
  return main;
}

/// Returns the layers, with their default options, that satisfy `wanted`.
std::vector<NormOptions> norms_satisfying(bool (*wanted)(const ref::model::NormLayer&)) {
  std::vector<NormOptions> norms;
  for (const std::string& name : ref::model::norm_names()) {
    const NormOptions options = ref::model::norm_options(name);
    if (wanted(ref::model::norm_layer(options))) norms.push_back(options);
  }
  return norms;
}

constexpr auto kDerivationSource = "derived: docs/derivations/claims.md, L1 to L5";
constexpr auto kSentenceAssumption =
    "one sentence of 2 to 4 tokens, one or two layers, post-norm and pre-norm, W_Q = W_1, W_K = "
    "W_2, ε > 0; the head, a map of each position by itself, is left out";

/// Makes a claim that a step is causal: no output depends on later tokens.
Claim causal_claim(const char* id, const char* title, const char* statement,
                   const CausalStep& step) {
  return {
      .id = id,
      .title = title,
      .statement = statement,
      .source = kDerivationSource,
      .assumptions = kSentenceAssumption,
      .expected = Verdict::holds,
      .check = [step](const Run& run) { return examine(run, judge_causality(run.subject, step)); }};
}

/// Makes a claim that is refuted: the claim that a step is causal. It is refuted because the step
/// uses statistics of the batch.
Claim leaking_claim(const char* id, const char* title, const char* statement, const char* dropped,
                    const CausalStep& step) {
  Claim claim = causal_claim(id, title, statement, step);
  claim.expected = Verdict::refuted;
  claim.dropped = dropped;
  claim.check = [step](const Run& run) { return refute_each_norm(run, step); };
  return claim;
}

}  // namespace

std::vector<Claim> causal_claims() {
  using namespace ref::model;
  const auto of_causal =
      norms_satisfying([](const NormLayer& layer) { return !layer.uses_statistics_per_sample(); });
  const auto of_a_row =
      norms_satisfying([](const NormLayer& layer) { return !layer.uses_statistics_over_rows(); });
  const NormOptions warming_up = PowerNormOptions{.warmup_iterations = 1};
  const NormOptions released = PowerNormReleasedOptions{.warmup_iterations = 1};
  return {
      causal_claim("L1", "a causal encoder sees no later token in inference",
                   "in inference the output of position t is a function of the tokens up to t, bit "
                   "for bit, for every norm that a causal encoder takes",
                   {of_causal, Mode::inference, true}),
      causal_claim(
          "L2", "norms over one row do not see later tokens in training",
          "in training of layer_norm, rms_norm, scale_norm, group_scaling, dyt and none the "
          "output of position t is a function of the tokens up to t, bit for bit",
          {of_a_row}),
      leaking_claim("L3", "BatchNorm is causal in training",
                    "in training of batch_norm and batch_renorm the output of position t is a "
                    "function of the tokens up to t, bit for bit",
                    "running statistics: those of the batch are over later tokens too. "
                    "batch_renorm leaks where r or d is clamped, otherwise by rounding alone",
                    {{BatchNormOptions{}, BatchRenormOptions{}}}),
      leaking_claim("L4", "PN-V and PowerNorm in its warm-up are causal in training",
                    "in training of power_norm_v, and of power_norm and power_norm_released in "
                    "their warm-up, the output of position t is a function of the tokens up to t, "
                    "bit for bit",
                    "running statistics: the batch's ψ is over later tokens too",
                    {{PowerNormVOptions{}, warming_up, released}}),
      causal_claim("L5", "PowerNorm behind its warm-up is causal in training",
                   "in training of power_norm and power_norm_released behind their warm-up the "
                   "output of position t is a function of the tokens up to t and of the steps "
                   "before, bit for bit",
                   {{warming_up, released}, Mode::training, true})};
}

}  // namespace normproof::verification::claims::ledger
