#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "verification/claims/engine/control.hpp"
#include "verification/claims/fixtures/channel.hpp"
#include "verification/claims/ledger/ledger.hpp"

// Claims of group T: LayerNorm compared with BatchNorm, as in textbooks.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

using namespace ref::model;

Vector token(const TestedImplementation& subject, double eps, const Vector& x) {
  return channel_step(subject, make_layer_norm_options(eps), x, Vector(x.size()), Axis::features).y;
}

// ---- T1: LN(c x; c^2 eps) = LN(x; eps), and LN(c x) = LN(x) if eps = 0.

struct ScaledBatch {
  double c = 1, eps_after = 0;
  Vector before, after;
  oracle50 bound;
};

// Draws the factor c. If eps = 0, c is any number; otherwise it is a power of two, so that c^2 eps
// is a double, as the options require.
ScaledBatch scaled(const TestedImplementation& subject, const Batch& b) {
  ScaledBatch s;
  s.c = b.eps == 0 ? b.extra[0] : std::ldexp(1.0, std::ilogb(b.extra[0]));
  s.eps_after = s.c * s.c * b.eps;
  const Vector x = wide(b.x);
  Vector stretched = x;
  for (oracle50& v : stretched) v *= s.c;
  s.before = token(subject, b.eps, x);
  s.after = token(subject, s.eps_after, stretched);
  s.bound = 2 * Slice(x, {}, Statistic::variance, b.eps).x_hat_roundoff();
  return s;
}

Claim layer_norm_scale_claim() {
  return {.id = "T1",
          .title = "LayerNorm does not see the scale of its input",
          .statement =
              "LN(c x; c² ε) = LN(x; ε) for c > 0: at ε = 0 exactly invariant, else up to the "
              "share of ε in σ² + ε",
          .source = "[BKH16] section 5; derived: docs/derivations/claims.md, T",
          .assumptions = "σ > 0; per token",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            const auto& subject = run.subject;
            const auto property = [&](double max_eps) {
              const BatchKind kind{.min_rows = 2,
                                   .max_rows = 8,
                                   .max_features = 1,
                                   .affine = false,
                                   .min_eps = max_eps == 0 ? 0 : 1e-12,
                                   .max_eps = max_eps,
                                   .extras = 1,
                                   .degenerate = false};
              return Property<Batch>{
                  .cases = batches(kind,
                                   [](const Batch& b) {
                                     return std::any_of(b.x.begin(), b.x.end(),
                                                        [&](double v) { return v != b.x[0]; });
                                   }),
                  .judge =
                      [&](const Batch& b) {
                        const ScaledBatch s = scaled(subject, b);
                        Judgement all = judge_condition(true);
                        for (std::size_t i = 0; i < s.before.size(); ++i)
                          all = worse_judgement(
                              all, within(absolute(s.after[i] - s.before[i]), s.bound));
                        return all;
                      },
                  .describe =
                      [&](const Batch& b) {
                        const ScaledBatch s = scaled(subject, b);
                        return fmt::format("x = {}, ε = {}: y = {}; c = {}, c² ε = {}: y = {}",
                                           show(b.x), b.eps, show(narrow(s.before)), s.c,
                                           s.eps_after, show(narrow(s.after)));
                      },
                  .worst_meaning = "|LN(c x) − LN(x)| / bound of rounding at 50 digits"};
            };
            return combine_parts(examine(run, property(0)), examine(run, property(1)),
                                 "with ε > 0, as c² ε");
          }};
}

// ---- T2, T4: the output of a row alone and of the same row among others, bit for bit.

struct RowComparison {
  bool same = true;
  std::string first;  // the first element that differs
};

RowComparison compare_row_alone(const TestedImplementation& subject, const NormOptions& options,
                                const Batch& b, Mode mode) {
  NormInputs<double> in = b.inputs<double>();
  in.mode = mode;
  const auto together = subject.step<double>(options, in);
  RowComparison result;
  for (std::size_t i = 0; i < b.rows; ++i) {
    Batch row = b;
    row.rows = 1;
    const auto at = static_cast<std::ptrdiff_t>(i * b.features);
    const auto width = static_cast<std::ptrdiff_t>(b.features);
    row.x.assign(b.x.begin() + at, b.x.begin() + at + width);
    row.grad_y.assign(b.grad_y.begin() + at, b.grad_y.begin() + at + width);
    NormInputs<double> one = row.inputs<double>();
    one.mode = mode;
    const auto apart = subject.step<double>(options, one);
    for (const char* name : {"y", "grad_x"})
      for (std::size_t j = 0; j < b.features; ++j) {
        const double with = together.outputs.at(name).data()[i * b.features + j];
        const double without = apart.outputs.at(name).data()[j];
        if (with == without || !result.same) continue;
        result.same = false;
        result.first =
            fmt::format("{} of row {}: {} alone, {} in the batch", name, i, without, with);
      }
  }
  return result;
}

Property<Batch> row_alone_property(const TestedImplementation& subject, bool layer_norm,
                                   Mode mode) {
  const auto compare = [&subject, layer_norm, mode](const Batch& b) {
    const NormOptions options =
        layer_norm ? make_layer_norm_options(b.eps) : make_batch_norm_options(b.eps);
    return compare_row_alone(subject, options, b, mode);
  };
  return {.cases = batches({.min_rows = 2, .max_rows = 6, .max_features = 4}),
          .judge = [=](const Batch& b) { return judge_condition(compare(b).same); },
          .describe = [=](const Batch& b) { return show(b) + ": " + compare(b).first; },
          .worst_meaning = "exact: equal bits, or not"};
}

Claim layer_norm_batch_claim() {
  return {.id = "T2",
          .title = "LayerNorm does not see the batch",
          .statement =
              "y_i and grad_x_i of LN are functions of row i alone: the same bits with any "
              "other rows beside it",
          .source = "[BKH16] section 3",
          .assumptions = "double, training",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            return examine(run, row_alone_property(run.subject, true, Mode::training));
          }};
}

Claim batch_norm_batch_claim() {
  return {.id = "T4",
          .title = "BatchNorm does not see the batch",
          .statement = "y_i and grad_x_i of BN are functions of row i alone",
          .source = "[IS15] section 3.1",
          .assumptions = "double, training, at least two rows",
          .expected = Verdict::refuted,
          .dropped = "inference: running statistics; in training every row moves μ_B and σ_B²",
          .check = [](const Run& run) {
            return refute_with_control(
                examine(run, row_alone_property(run.subject, false, Mode::training)),
                [&] {
                  return examine(reduce_case_count(run),
                                 row_alone_property(run.subject, false, Mode::inference));
                },
                "in inference it holds, bit by bit");
          }};
}

// ---- T3: the input [[a, b], [c, d]] has two values per row and per column.

struct Square {
  Judgement judgement = judge_condition(true);
  std::vector<double> layer_norm, batch_norm;
};

// Returns the normalized value of the larger of two numbers with the distance d: d/2 / sqrt(d^2/4 +
// eps) = 1/sqrt(1 + 4 eps/d^2).
oracle50 normalized_larger_of_two(const oracle50& apart, const oracle50& eps) {
  return 1 / sqrt(oracle50(1 + 4 * eps / (apart * apart)));
}

Square compute_square(const TestedImplementation& subject, const Batch& b) {
  const auto in = b.inputs<oracle50>();
  const auto ln = subject.step<oracle50>(make_layer_norm_options(b.eps), in).outputs.at("y");
  const auto bn = subject.step<oracle50>(make_batch_norm_options(b.eps), in).outputs.at("y");
  Square result;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) {
      const oracle50 here = b.x_at(i, j);
      const oracle50 in_row = here - oracle50(b.x_at(i, 1 - j));
      const oracle50 in_column = here - oracle50(b.x_at(1 - i, j));
      const auto expected = [&](const oracle50& apart) {
        const oracle50 y = normalized_larger_of_two(apart, b.eps);
        return apart < 0 ? oracle50(-y) : y;
      };
      const std::size_t at = 2 * i + j;
      const auto bound = [&](const std::vector<Members>& slices, std::size_t which) {
        return Slice(b, slices[which], Statistic::variance).x_hat_roundoff();
      };
      result.judgement = worse_judgement(
          result.judgement,
          worse_judgement(
              within(absolute(ln.data()[at] - expected(in_row)), bound(rows(b), i)),
              within(absolute(bn.data()[at] - expected(in_column)), bound(columns(b), j))));
      result.layer_norm.push_back(static_cast<double>(ln.data()[at]));
      result.batch_norm.push_back(static_cast<double>(bn.data()[at]));
    }
  return result;
}

std::string show_square(const std::vector<double>& m) {
  return fmt::format("(({:.6g}, {:.6g}), ({:.6g}, {:.6g}))", m[0], m[1], m[2], m[3]);
}

Claim square_claim() {
  return {
      .id = "T3",
      .title = "two by two: LN gives rows (−1, 1), BN columns (−1, 1), up to ε",
      .statement =
          "x of two rows and two features: LN makes row (a, b), a < b, into (−v, v), v = "
          "1/√(1 + 4ε/(b − a)²); BN does the same with each column. [[1,2],[2,3]]: v = 1/√(1 + 4ε)",
      .source = "[BKH16], [IS15]; derived: docs/derivations/claims.md, T",
      .assumptions = "ε ≥ 10⁻¹²; distinct values in every row and column",
      .expected = Verdict::holds,
      .check = [](const Run& run) {
        const auto& subject = run.subject;
        const BatchKind kind{.min_rows = 2,
                             .max_rows = 2,
                             .min_features = 2,
                             .max_features = 2,
                             .affine = false,
                             .degenerate = false};
        Evidence evidence = examine(
            run, Property<Batch>{
                     .cases = batches(kind,
                                      [](const Batch& b) {
                                        return b.x[0] != b.x[1] && b.x[2] != b.x[3] &&
                                               b.x[0] != b.x[2] && b.x[1] != b.x[3];
                                      }),
                     .judge = [&](const Batch& b) { return compute_square(subject, b).judgement; },
                     .describe =
                         [&](const Batch& b) {
                           const Square s = compute_square(subject, b);
                           return fmt::format("{}: LN {}, BN {}", show(b),
                                              show_square(s.layer_norm), show_square(s.batch_norm));
                         },
                     .worst_meaning = "|y − closed form| / bound of rounding at 50 digits"});
        Batch b;
        b.rows = b.features = 2;
        b.x = {1, 2, 2, 3};
        b.eps = 1e-5;
        const Square s = compute_square(subject, b);
        evidence.detail =
            fmt::format("[[1,2],[2,3]], ε = 1e-05: LN {}, BN {}, 1 − v = {:.3g}",
                        show_square(s.layer_norm), show_square(s.batch_norm), 1 - s.layer_norm[1]);
        return evidence;
      }};
}

// ---- T5: changes of a channel's input that leave BatchNorm's output unchanged.

Claim affine_claim() {
  return {.id = "T5",
          .title = "BatchNorm does not see the scale and the shift of a channel",
          .statement =
              "BN(c x + t) = BN(x) for c > 0 and any t, at ε = 0, and the gradient is 1/c of it",
          .source = "[IS15] section 3.3; derived: docs/derivations/claims.md, T",
          .assumptions = "ε = 0, σ > 0, training",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            const auto& subject = run.subject;
            struct Both {
              Channel before, after;
              oracle50 bound_y, bound_gradient, c;
            };
            const auto moved = [&](const Batch& b) {
              const Vector x = wide(b.x), g = wide(b.grad_y);
              Vector z = x;
              for (oracle50& v : z) v = b.extra[0] * v + b.extra[1];
              const Slice before(x, g, Statistic::variance, 0), after(z, g, Statistic::variance, 0);
              return Both{channel_step(subject, make_batch_norm_options(0), x, g),
                          channel_step(subject, make_batch_norm_options(0), z, g),
                          before.x_hat_roundoff() + after.x_hat_roundoff(),
                          before.gradient_roundoff() + b.extra[0] * after.gradient_roundoff(),
                          b.extra[0]};
            };
            return examine(
                run,
                Property<Batch>{
                    .cases = channels(2, 8, true, 2),
                    .judge =
                        [=](const Batch& b) {
                          const Both m = moved(b);
                          Judgement all = judge_condition(true);
                          for (std::size_t i = 0; i < b.rows; ++i)
                            all = worse_judgement(
                                all,
                                worse_judgement(
                                    within(absolute(m.after.y[i] - m.before.y[i]), m.bound_y),
                                    within(absolute(m.c * m.after.grad_x[i] - m.before.grad_x[i]),
                                           m.bound_gradient)));
                          return all;
                        },
                    .describe =
                        [=](const Batch& b) {
                          const Both m = moved(b);
                          return fmt::format("{}: y = {}, of c x + t: {}", show(b),
                                             show(narrow(m.before.y)), show(narrow(m.after.y)));
                        },
                    .worst_meaning = "difference / bound of rounding at 50 digits"});
          }};
}

}  // namespace

std::vector<Claim> textbook_claims() {
  return {layer_norm_scale_claim(), layer_norm_batch_claim(), square_claim(),
          batch_norm_batch_claim(), affine_claim()};
}

}  // namespace normproof::verification::claims::ledger
