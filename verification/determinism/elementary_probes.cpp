#include <limits>
#include <string_view>

#include "ref/numeric/elementary_accurate.hpp"
#include "ref/numeric/elementary_array.hpp"
#include "verification/determinism/probe.hpp"

namespace normproof::verification::determinism {
namespace {

namespace numeric = ref::numeric;

struct Function {
  const char* name;
  double (*of)(double);
  void (*of_each)(const double*, std::size_t, double*);
  double (*accurate)(double);
};

constexpr Function kFunctions[] = {
    {"exp", numeric::exp, numeric::exp, numeric::exp_accurate},
    {"log", numeric::log, numeric::log, numeric::log_accurate},
    {"tanh", numeric::tanh, numeric::tanh, numeric::tanh_accurate},
    {"erf", numeric::erf, numeric::erf, numeric::erf_accurate},
};

struct Range {
  const char* function;
  const char* name;
  double lower;
  double upper;
};

// Where softmax, GELU and losses evaluate them, then to the ends where the result is still a number
// of its own; exp to results that are subnormal and to overflow.
constexpr Range kRanges[] = {
    {"exp", "unit", -1, 1},           {"exp", "softmax", -30, 0},      {"exp", "whole", -708, 709},
    {"exp", "subnormal", -746, -708}, {"exp", "overflow", 709, 711},   {"log", "unit", 0, 1},
    {"log", "near_one", 0.99, 1.01},  {"log", "vocabulary", 1, 30522}, {"tanh", "unit", -1, 1},
    {"tanh", "gelu", -6, 6},          {"tanh", "tail", 5, 20},         {"erf", "unit", -1, 1},
    {"erf", "gelu", -6, 6},           {"erf", "tail", 3, 6.5},
};

constexpr std::size_t kArguments = 1024;
constexpr std::size_t kAccurate = 48;

// Odd, so that the end of an array is no whole pack.
constexpr std::size_t kOdd = 509;

void evaluate(const Function& function, const std::vector<double>& x, Values& values) {
  std::vector<double> y(x.size());
  function.of_each(x.data(), x.size(), y.data());
  values.add(y);
}

std::vector<double> special() {
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
      probes.push_back({name, [name, function, range](Values& values) {
                          evaluate(function,
                                   Inputs(name).uniforms(kArguments, range.lower, range.upper),
                                   values);
                        }});
    }
  }
  for (const Function& function : kFunctions) {
    const std::string prefix = std::string("elementary/") + function.name;
    probes.push_back({prefix + "_all_exponents", [=](Values& values) {
                        evaluate(function, Inputs(prefix).wides(kOdd, -1074, 1023), values);
                      }});
    probes.push_back({prefix + "_middle_exponents", [=](Values& values) {
                        evaluate(function, Inputs(prefix).wides(kOdd, -60, 9), values);
                      }});
    probes.push_back({prefix + "_special", [=](Values& values) {
                        evaluate(function, special(), values);
                        for (const double x : special()) values.add(function.of(x));
                      }});
    // The accurate phase, which ordinary arguments hardly ever reach.
    probes.push_back({prefix + "_accurate", [=](Values& values) {
                        Inputs inputs(prefix + "_accurate");
                        for (std::size_t i = 0; i < kAccurate; ++i) {
                          const double x = inputs.wide(-30, 9);
                          values.add(function.accurate(x));
                          values.add(function.of(x));
                        }
                      }});
  }
}

}  // namespace normproof::verification::determinism
