#include <iterator>
#include <limits>
#include <string_view>

#include "ref/numeric/elementary_accurate.hpp"
#include "ref/numeric/elementary_array.hpp"
#include "verification/checks/determinism/probe.hpp"

namespace normproof::verification::checks::determinism {
namespace {

namespace numeric = ref::numeric;

struct Function {
  const char* name;
  double (*of)(double);
  void (*apply_each)(const double*, std::size_t, double*);
  double (*accurate)(double);
  /// Six arguments for which the fast phase of the function is inconclusive, found among random
  /// arguments. Let hi + lo be the result of the fast phase and e its error bound. Rounding hi +
  /// (lo + e) gives a wrong result for two of the arguments, rounding hi + (lo - e) for two more,
  /// and rounding hi + lo for the last two.
  double undecided[6];
};

constexpr Function kFunctions[] = {
    {"exp",
     numeric::exp,
     numeric::exp,
     numeric::exp_accurate,
     {-0x1.4475ca9f20592p+4, -0x1.b6f201f063292p+3, -0x1.030c4a1c02a58p+1, -0x1.7deb10a52f394p+2,
      0x1.6754b683eddcp-2, -0x1.869ed8b66f456p+4}},
    {"log",
     numeric::log,
     numeric::log,
     numeric::log_accurate,
     {0x1.60d4478d0153dp+1, 0x1.5cc19a1d6f81dp+2, 0x1.d240b57a250f7p-3, 0x1.a75ab64143005p+2,
      0x1.00cdf0689ec13p+0, 0x1.ff8fba5cbc1b5p-1}},
    {"tanh",
     numeric::tanh,
     numeric::tanh,
     numeric::tanh_accurate,
     {0x1.52e7d968088c2p+1, 0x1.12f2efc30106p-4, 0x1.5346d4daf0c72p+1, 0x1.001a94b61e2e2p-2,
      0x1.e60dd620b9ee8p+0, 0x1.0852db27b66b2p-3}},
    {"erf",
     numeric::erf,
     numeric::erf,
     numeric::erf_accurate,
     {0x1.6cc506f3406cdp+0, 0x1.04547b53b49cep+1, 0x1.e4a41e1b68a52p-2, 0x1.7994768dd2195p+1,
      0x1.bd9586d327c38p-1, 0x1.2b79acb314c59p+0}},
};

struct Range {
  const char* function;
  const char* name;
  double lower;
  double upper;
};

// First the ranges in which softmax, GELU and losses evaluate the functions, then the full ranges
// in which results are distinct numbers. The range of exp includes subnormal results and overflow.
constexpr Range kRanges[] = {
    {"exp", "unit", -1, 1},           {"exp", "softmax", -30, 0},      {"exp", "whole", -708, 709},
    {"exp", "subnormal", -746, -708}, {"exp", "overflow", 709, 711},   {"log", "unit", 0, 1},
    {"log", "near_one", 0.99, 1.01},  {"log", "vocabulary", 1, 30522}, {"tanh", "unit", -1, 1},
    {"tanh", "gelu", -6, 6},          {"tanh", "tail", 5, 20},         {"erf", "unit", -1, 1},
    {"erf", "gelu", -6, 6},           {"erf", "tail", 3, 6.5},
};

constexpr std::size_t kArgumentCount = 1024;
constexpr std::size_t kAccurateCount = 48;

// An odd number of elements, so that an array ends with a partial vector.
constexpr std::size_t kOddCount = 509;

void evaluate(const Function& function, const std::vector<double>& x, Values& values) {
  std::vector<double> y(x.size());
  function.apply_each(x.data(), x.size(), y.data());
  values.add(y);
}

std::vector<double> special_arguments() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> x = {0.0,
                           0x1p-1074,
                           0x1p-1022,
                           0x1p-54,
                           0x1p-27,
                           0.5,
                           1,
                           2,
                           0x1p52,
                           0x1p1023,
                           std::numeric_limits<double>::max(),
                           kInfinity};
  for (std::size_t i = 0, n = x.size(); i < n; ++i) x.push_back(-x[i]);
  x.push_back(std::numeric_limits<double>::quiet_NaN());
  return x;
}

}  // namespace

void add_elementary_probes(std::vector<Probe>& probes) {
  for (const Range& range : kRanges) {
    for (const Function& function : kFunctions) {
      if (std::string_view(range.function) != function.name) continue;
      const std::string name = std::string("elementary/") + function.name + "_" + range.name;
      probes.push_back(
          {name, [name, function, range](Values& values) {
             evaluate(function,
                      Inputs(name).draw_uniforms(kArgumentCount, range.lower, range.upper), values);
           }});
    }
  }
  for (const Function& function : kFunctions) {
    const std::string prefix = std::string("elementary/") + function.name;
    probes.push_back({prefix + "_all_exponents", [=](Values& values) {
                        evaluate(function,
                                 Inputs(prefix).wide_range_numbers(kOddCount, -1074, 1023), values);
                      }});
    probes.push_back({prefix + "_middle_exponents", [=](Values& values) {
                        evaluate(function, Inputs(prefix).wide_range_numbers(kOddCount, -60, 9),
                                 values);
                      }});
    probes.push_back({prefix + "_special", [=](Values& values) {
                        evaluate(function, special_arguments(), values);
                        for (const double x : special_arguments()) values.add(function.of(x));
                      }});
    probes.push_back({prefix + "_undecided", [=](Values& values) {
                        evaluate(function,
                                 {std::begin(function.undecided), std::end(function.undecided)},
                                 values);
                        for (const double x : function.undecided) values.add(function.of(x));
                      }});
    // Calls the accurate phase directly, because ordinary arguments rarely reach it.
    probes.push_back({prefix + "_accurate", [=](Values& values) {
                        Inputs inputs(prefix + "_accurate");
                        for (std::size_t i = 0; i < kAccurateCount; ++i) {
                          const double x = inputs.wide_range_number(-30, 9);
                          values.add(function.accurate(x));
                          values.add(function.of(x));
                        }
                      }});
  }
}

}  // namespace normproof::verification::checks::determinism
