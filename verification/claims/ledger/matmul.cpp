#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "ref/ops/matmul.hpp"
#include "verification/checks/compare/bound.hpp"
#include "verification/claims/engine/control.hpp"
#include "verification/claims/fixtures/generators.hpp"
#include "verification/claims/ledger/ledger.hpp"

// Claims of group M: the error bound of the sum of products of rule R1.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

using ref::numeric::ball;
using ref::tensor::Tensor;
namespace bound = checks::compare::bound;

constexpr std::size_t kMaxDepth = 600;  // past two boundaries of R1's blocks of 256
constexpr slong kBits = 400;

/// The factors of a matrix product, a [rows,depth] and b [depth,columns], row-major.
struct Factors {
  std::size_t rows = 1, depth = 1, columns = 1;
  std::vector<double> a, b;

  Tensor<double> left() const { return tensor(a, rows, depth); }
  Tensor<double> right() const { return tensor(b, depth, columns); }

 private:
  static Tensor<double> tensor(const std::vector<double>& values, std::size_t rows,
                               std::size_t columns) {
    auto t = ref::tensor::empty_tensor<double>({rows, columns});
    std::copy(values.begin(), values.end(), t.begin());
    return t;
  }
};

/// Draws the factors of a product. They are normal numbers, numbers with random magnitudes over 90
/// binary orders, or numbers whose products cancel. Products that cancel come in pairs: the second
/// product is the negative of the first one, multiplied by 1 or by 1 + 2^-40.
Factors draw_factors(Draw& draw) {
  Factors f;
  f.rows = draw.size_for_case(1, 3);
  f.columns = draw.size_for_case(1, 3);
  f.depth = draw.chance(0.7) ? draw.size_for_case(1, 40) : draw.between(1, kMaxDepth);
  const std::size_t family = draw.between(0, 2);
  const auto number = [&] { return family == 1 ? draw.power(-45, 45) : draw.normal(); };
  for (std::size_t i = 0; i < f.rows * f.depth; ++i) f.a.push_back(number());
  for (std::size_t i = 0; i < f.depth * f.columns; ++i) f.b.push_back(number());
  if (family == 2) {
    for (std::size_t k = 1; k < f.depth; k += 2) {
      for (std::size_t i = 0; i < f.rows; ++i)
        f.a[i * f.depth + k] = -f.a[i * f.depth + k - 1] * (draw.chance(0.5) ? 1 : 1 + 0x1p-40);
      for (std::size_t j = 0; j < f.columns; ++j)
        f.b[k * f.columns + j] = f.b[(k - 1) * f.columns + j];
    }
  }
  return f;
}

Factors select_depths(const Factors& f, std::size_t begin, std::size_t end) {
  Factors result{f.rows, end - begin, f.columns, {}, {}};
  for (std::size_t i = 0; i < f.rows; ++i)
    for (std::size_t k = begin; k < end; ++k) result.a.push_back(f.a[i * f.depth + k]);
  for (std::size_t i = begin * f.columns; i < end * f.columns; ++i) result.b.push_back(f.b[i]);
  return result;
}

Factors select_one_element(const Factors& f, std::size_t row, std::size_t column) {
  Factors result{1, f.depth, 1, {}, {}};
  for (std::size_t k = 0; k < f.depth; ++k) {
    result.a.push_back(f.a[row * f.depth + k]);
    result.b.push_back(f.b[k * f.columns + column]);
  }
  return result;
}

std::vector<Factors> simplify_factors(const Factors& f) {
  std::vector<Factors> result;
  if (f.rows * f.columns > 1) {
    for (std::size_t i = 0; i < f.rows; ++i)
      for (std::size_t j = 0; j < f.columns; ++j) result.push_back(select_one_element(f, i, j));
    return result;
  }
  for (std::size_t part = f.depth / 2; part > 0; part /= 2) {
    result.push_back(select_depths(f, part, f.depth));
    result.push_back(select_depths(f, 0, f.depth - part));
  }
  if (f.depth > 8) return result;
  for (std::size_t k = 0; k < f.depth; ++k) {
    for (const double v : simpler_doubles(f.a[k])) {
      result.push_back(f);
      result.back().a[k] = v;
    }
    for (const double v : simpler_doubles(f.b[k])) {
      result.push_back(f);
      result.back().b[k] = v;
    }
  }
  return result;
}

std::string describe(const Run& run, const Factors& f) {
  const double got = run.subject.matmul(f.left(), f.right()).data()[0];
  const ref::numeric::BallPrecision precision(kBits);
  const auto exact =
      ref::ops::matmul(ref::tensor::convert<ball>(f.left()), ref::tensor::convert<ball>(f.right()));
  return fmt::format("a = {}, b = {}: {}, exactly {}", show(f.a), show(f.b), got,
                     ref::numeric::to_double(exact.data()[0]));
}

/// Returns the same factors with signs such that all terms have the same sign.
Factors make_terms_same_sign(Factors f) {
  for (double& v : f.a) v = std::fabs(v);
  for (double& v : f.b) v = std::fabs(v);
  return f;
}

/// Returns a property of every element of a product. It holds for an element if
/// `judge(error, exact, bound)` holds, where `error` is |computed - exact|, and `bound` is the
/// error bound of the element.
template <class Judge>
Property<Factors> element_property(const Run& run, Judge judge, const char* worst_meaning,
                                   std::function<Factors(Draw&)> draw = draw_factors) {
  return {.cases = make_shrinking_generator<Factors>(std::move(draw), simplify_factors),
          .judge =
              [&run, judge](const Factors& f) {
                const Tensor<double> a = f.left(), b = f.right();
                const Tensor<double> c = run.subject.matmul(a, b);
                const Tensor<double> limit = bound::matmul(a, b);
                const ref::numeric::BallPrecision precision(kBits);
                const auto exact =
                    ref::ops::matmul(ref::tensor::convert<ball>(a), ref::tensor::convert<ball>(b));
                Judgement all = judge_condition(true);
                for (std::size_t i = 0; i < c.size(); ++i)
                  all = worse_judgement(all, judge(f.depth, ball(c.data()[i]) - exact.data()[i],
                                                   exact.data()[i], limit.data()[i]));
                return all;
              },
          .describe = [&run](const Factors& f) { return describe(run, f); },
          .worst_meaning = worst_meaning};
}

double largest(const ball& x) {
  return std::max(x.upper(), -x.lower());
}
double smallest_magnitude(const ball& x) {
  return std::max({x.lower(), -x.upper(), 0.0});
}

}  // namespace

std::vector<Claim> matmul_claims() {
  return {
      {.id = "M1",
       .title = "The error of a matrix product is within its bound",
       .statement =
           "|ĉ − Σ aₖbₖ| ≤ γ(r) Σ |aₖbₖ| + K η (1 + γ(r)), r = min(K, 256) + ⌈K/256⌉ − 1, for "
           "every element",
       .source = "derived: docs/error_analysis.md, section 7; [Hig02] section 3.1",
       .assumptions = "finite a, b; no overflow; random, graded over 90 binary orders, cancelling",
       .expected = Verdict::holds,
       .check =
           [](const Run& run) {
             return examine(run, element_property(
                                     run,
                                     [](std::size_t, const ball& error, const ball&, double limit) {
                                       return within(largest(error), limit);
                                     },
                                     "|ĉ − c| / bound, c enclosed at 400 bits"));
           }},
      {.id = "M2",
       .title = "A matrix product is accurate to γ(r) of itself",
       .statement = "|ĉ − c| ≤ γ(r) |c|, c = Σ aₖbₖ, for every element",
       .source = "folklore: one relative tolerance for all elements; refuted: "
                 "docs/error_analysis.md, section 7",
       .assumptions = "finite a, b; no overflow, no underflow",
       .expected = Verdict::refuted,
       .dropped = "all aₖbₖ of one sign; where they cancel, Σ |aₖbₖ| is no multiple of |c|",
       .check = [](const Run& run) {
         const auto relative = [](std::size_t depth, const ball& error, const ball& exact, double) {
           return within(smallest_magnitude(error),
                         bound::gamma(bound::matmul_roundings(depth)) * largest(exact));
         };
         constexpr auto kShare = "|ĉ − c| / (γ(r) |c|)";
         return refute_with_control(
             examine(run, element_property(run, relative, kShare)),
             [&] {
               const auto draw = [](Draw& source) {
                 return make_terms_same_sign(draw_factors(source));
               };
               return examine(reduce_case_count(run),
                              element_property(run, relative, kShare, draw));
             },
             "where all aₖbₖ have one sign it holds");
       }}};
}

}  // namespace normproof::verification::claims::ledger
