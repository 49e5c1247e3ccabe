#include "verification/claims/generators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace normproof::verification::claims {

namespace {

// The decimal steps that eps is drawn from.
constexpr double kEpsOfLayers[] = {1e-12, 1e-8, 1e-5, 1e-3, 0.1, 0.25, 1};

// How hard a number is to read: bits of its odd part, distance of its last bit from 1, its sign.
int complexity(double v) {
  if (v == 0 || !std::isfinite(v)) return v == 0 ? 0 : 100000;
  int exponent = 0;
  auto odd = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::fabs(v), &exponent), 53));
  int last = exponent - 53, bits = 53;
  while (odd % 2 == 0) odd /= 2, ++last, --bits;
  return 2 * (bits + std::abs(last)) + (v < 0 ? 1 : 0);
}

double with_bits(double v, int bits) {
  int exponent = 0;
  const double fraction = std::frexp(v, &exponent);
  return std::ldexp(std::trunc(std::ldexp(fraction, bits)), exponent - bits);
}

std::vector<double> draw_matrix(Draw& draw, const BatchKind& kind, std::size_t rows,
                                std::size_t features) {
  std::vector<double> x(rows * features);
  for (std::size_t j = 0; j < features; ++j) {
    const std::size_t style = draw.between(0, kind.degenerate ? 7 : 5);
    const double mean = draw.normal() * 2;
    const double scale = draw.power(-3, 2);
    const double offset = draw.power(0, 26);
    const double step = std::ldexp(1.0, -static_cast<int>(draw.between(0, 30)));
    const double constant = draw.chance(0.5) ? 0 : draw.dyadic();
    for (std::size_t i = 0; i < rows; ++i) {
      double& value = x[i * features + j];
      switch (style) {
        case 0:
          value = draw.dyadic();
          break;
        case 1:
          value = draw.normal();
          break;
        case 2:
          value = mean + scale * draw.normal();
          break;
        case 3:
          value = offset + draw.normal();
          break;
        case 4:
          value = mean + step * static_cast<double>(draw.between(0, 8));
          break;
        case 5:
          value = draw.power(-20, 20);
          break;
        default:
          value = constant;
      }
    }
  }
  return x;
}

std::vector<double> draw_gradient(Draw& draw, const std::vector<double>& x) {
  std::vector<double> g(x.size());
  const std::size_t style = draw.between(0, 4);
  const double mean = draw.normal();
  const double along = draw.normal();
  for (std::size_t i = 0; i < g.size(); ++i) {
    if (style == 0) g[i] = draw.dyadic();
    if (style == 1) g[i] = draw.normal();
    if (style == 2) g[i] = draw.normal() + mean;
    if (style == 3) g[i] = along * x[i] + draw.normal();
    if (style == 4) g[i] = draw.power(-10, 10);
  }
  return g;
}

Batch draw_batch(Draw& draw, const BatchKind& kind) {
  Batch b;
  const std::size_t wanted = draw.sized(kind.least_rows, kind.most_rows);
  const std::size_t padded =
      kind.masked ? draw.between(0, std::min<std::size_t>(kind.most_rows, 4)) : 0;
  b.rows = wanted + padded;
  b.features = draw.sized(kind.least_features, kind.most_features);
  b.x = draw_matrix(draw, kind, b.rows, b.features);
  b.grad_y = draw_gradient(draw, b.x);
  if (kind.affine && draw.chance(0.9)) {
    for (std::size_t j = 0; j < b.features; ++j) {
      double gamma = draw.chance(0.5) ? draw.dyadic() : draw.normal();
      if (gamma == 0 && !kind.zero_gamma) gamma = 1;
      b.gamma.push_back(gamma);
      b.beta.push_back(draw.normal());
    }
  }
  if (kind.masked) {
    b.valid.assign(b.rows, true);
    for (std::size_t left = padded; left > 0;) {
      const std::size_t i = draw.between(0, b.rows - 1);
      if (b.valid[i]) b.valid[i] = false, --left;
    }
  }
  for (std::size_t i = 0; i < kind.extras; ++i) b.extra.push_back(std::fabs(draw.power(-6, 5)));
  std::vector<double> eps;
  for (const double e : kEpsOfLayers)
    if (kind.least_eps <= e && e <= kind.most_eps) eps.push_back(e);
  b.eps = eps.empty() ? kind.most_eps : eps[draw.between(0, eps.size() - 1)];
  return b;
}

Batch without_row(const Batch& b, std::size_t row) {
  Batch result = b;
  const auto from = static_cast<std::ptrdiff_t>(row * b.features);
  const auto to = from + static_cast<std::ptrdiff_t>(b.features);
  result.x.erase(result.x.begin() + from, result.x.begin() + to);
  result.grad_y.erase(result.grad_y.begin() + from, result.grad_y.begin() + to);
  if (!b.valid.empty()) result.valid.erase(result.valid.begin() + static_cast<std::ptrdiff_t>(row));
  --result.rows;
  return result;
}

Batch without_feature(const Batch& b, std::size_t feature) {
  Batch result = b;
  --result.features;
  result.x.clear();
  result.grad_y.clear();
  for (std::size_t i = 0; i < b.rows; ++i)
    for (std::size_t j = 0; j < b.features; ++j)
      if (j != feature) {
        result.x.push_back(b.x_at(i, j));
        result.grad_y.push_back(b.g_at(i, j));
      }
  const auto at = static_cast<std::ptrdiff_t>(feature);
  if (!b.gamma.empty()) result.gamma.erase(result.gamma.begin() + at);
  if (!b.beta.empty()) result.beta.erase(result.beta.begin() + at);
  return result;
}

std::vector<Batch> simplify_batch(const Batch& b, const BatchKind& kind) {
  std::vector<Batch> result;
  const auto add = [&](auto change) {
    Batch simpler_batch = b;
    change(simpler_batch);
    result.push_back(std::move(simpler_batch));
  };
  for (std::size_t i = 0; i < b.rows; ++i)
    if (b.valid_rows() > kind.least_rows || !b.is_valid(i)) result.push_back(without_row(b, i));
  for (std::size_t j = 0; b.features > kind.least_features && j < b.features; ++j)
    result.push_back(without_feature(b, j));
  if (!b.valid.empty() && b.valid_rows() == b.rows) add([](Batch& c) { c.valid.clear(); });
  if (!b.beta.empty()) add([](Batch& c) { c.beta.clear(); });
  if (!b.gamma.empty()) add([](Batch& c) { c.gamma.clear(); });
  for (const double e : {1.0, 1e-5})
    if (kind.least_eps <= e && e <= kind.most_eps && b.eps != 1.0 && b.eps != e)
      add([&](Batch& c) { c.eps = e; });
  const auto elements = [&](std::vector<double> Batch::*field, bool zero = true) {
    for (std::size_t i = 0; i < (b.*field).size(); ++i)
      for (const double v : simpler((b.*field)[i]))
        if (zero || v != 0) add([&](Batch& c) { (c.*field)[i] = v; });
  };
  elements(&Batch::x);
  elements(&Batch::grad_y);
  elements(&Batch::gamma, kind.zero_gamma);
  elements(&Batch::beta);
  for (std::size_t i = 0; i < b.extra.size(); ++i)
    for (const double v : simpler(b.extra[i]))
      if (0x1p-6 <= v && v <= 0x1p6) add([&](Batch& c) { c.extra[i] = v; });
  return result;
}

template <class T>
ref::tensor::Tensor<T> tensor_of(const std::vector<double>& values,
                                 const ref::tensor::Shape& shape) {
  auto result = ref::tensor::empty_tensor<T>(shape);
  for (std::size_t i = 0; i < values.size(); ++i) result.data()[i] = T(values[i]);
  return result;
}

}  // namespace

std::size_t Draw::between(std::size_t least, std::size_t most) {
  return least + static_cast<std::size_t>(bits() % (most - least + 1));
}

std::size_t Draw::sized(std::size_t least, std::size_t most) {
  const auto opened = (most - least) * static_cast<std::size_t>(size_) / rc::kNominalSize;
  return between(least, std::min(most, least + 1 + opened));
}

bool Draw::chance(double probability) {
  return uniform() < probability;
}

double Draw::uniform(double least, double most) {
  return least + (most - least) * std::ldexp(static_cast<double>(bits() >> 11), -53);
}

double Draw::normal() {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += uniform();
  return sum;
}

double Draw::dyadic() {
  return static_cast<double>(between(0, 32)) / 4 - 4;
}

double Draw::power(int least, int most) {
  const auto steps = static_cast<std::size_t>(most - least);
  return sign() * std::ldexp(uniform(1, 2), least + static_cast<int>(between(0, steps)));
}

std::vector<double> simpler(double v) {
  std::vector<double> result;
  const auto add = [&](double candidate) {
    if (complexity(candidate) < complexity(v) &&
        std::find(result.begin(), result.end(), candidate) == result.end())
      result.push_back(candidate);
  };
  add(0);
  add(1);
  add(-1);
  add(std::fabs(v));
  add(std::trunc(v));
  for (const int bits : {1, 2, 3, 5, 8, 16, 32}) add(with_bits(v, bits));
  if (v != 0 && std::isfinite(v)) {
    const int exponent = std::ilogb(v);
    add(std::ldexp(v, -exponent));
    add(std::ldexp(v, exponent / 2 - exponent));
  }
  return result;
}

std::size_t Batch::valid_rows() const {
  return valid.empty() ? rows
                       : static_cast<std::size_t>(std::count(valid.begin(), valid.end(), true));
}

template <class T>
NormInputs<T> Batch::inputs() const {
  NormInputs<T> result;
  result.x = tensor_of<T>(x, {rows, features});
  if (!grad_y.empty()) result.grad_y = tensor_of<T>(grad_y, {rows, features});
  if (!gamma.empty()) result.gamma = tensor_of<T>(gamma, {gamma.size()});
  if (!beta.empty()) result.beta = tensor_of<T>(beta, {beta.size()});
  if (!valid.empty()) {
    result.valid = ref::tensor::Mask::from_shape({rows});
    for (std::size_t i = 0; i < rows; ++i) result.valid.data()[i] = valid[i];
  }
  return result;
}
template NormInputs<double> Batch::inputs() const;
template NormInputs<oracle50> Batch::inputs() const;
template NormInputs<oracle100> Batch::inputs() const;
template NormInputs<dual> Batch::inputs() const;
template NormInputs<ref::numeric::running_error> Batch::inputs() const;

rc::Gen<Batch> batches(const BatchKind& kind) {
  return batches(kind, [](const Batch&) { return true; });
}

rc::Gen<Batch> batches(const BatchKind& kind, std::function<bool(const Batch&)> accept) {
  return shrinking<Batch>(
      [=](Draw& draw) {
        for (int attempt = 0; attempt < 200; ++attempt) {
          Batch b = draw_batch(draw, kind);
          if (accept(b)) return b;
        }
        throw ref::numeric::ContractError("batches: 200 draws in a row miss the premises");
      },
      [=](const Batch& b) {
        std::vector<Batch> simpler_batches = simplify_batch(b, kind);
        std::erase_if(simpler_batches, [&](const Batch& c) { return !accept(c); });
        return simpler_batches;
      });
}

std::string show(const std::vector<double>& values) {
  std::vector<double> shown = values;
  for (double& v : shown) v += 0.0;  // no -0
  return fmt::format("({})", fmt::join(shown, ", "));
}

std::vector<double> column(const std::vector<double>& matrix, std::size_t features, std::size_t j) {
  std::vector<double> result;
  for (std::size_t i = j; i < matrix.size(); i += features) result.push_back(matrix[i]);
  return result;
}

std::string show(const Batch& b) {
  const auto matrix = [&](const std::vector<double>& values) {
    if (b.features == 1) return show(values);
    std::vector<std::string> rows;
    for (std::size_t i = 0; i < b.rows; ++i) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(i * b.features);
      rows.push_back(
          show(std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(b.features))));
    }
    return fmt::format("({})", fmt::join(rows, ", "));
  };
  std::string text = "x = " + matrix(b.x);
  if (!b.grad_y.empty()) text += ", grad_y = " + matrix(b.grad_y);
  if (!b.gamma.empty()) text += ", gamma = " + show(b.gamma);
  if (!b.beta.empty()) text += ", beta = " + show(b.beta);
  if (!b.valid.empty()) {
    std::vector<int> flags(b.valid.begin(), b.valid.end());
    text += fmt::format(", valid = ({})", fmt::join(flags, ", "));
  }
  if (!b.extra.empty()) text += ", extra = " + show(b.extra);
  return text + fmt::format(", eps = {}", b.eps);
}

std::string show(const oracle50& value) {
  return fmt::format("{:.6g}", static_cast<double>(value));
}

}  // namespace normproof::verification::claims
