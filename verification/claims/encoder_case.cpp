#include "verification/claims/encoder_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ref/numeric/random.hpp"
#include "ref/numeric/square_root.hpp"

namespace normproof::verification::claims {

namespace {

using Numbers = std::vector<double>;
constexpr Numbers LayerWeights::*kMatrices[] = {&LayerWeights::value, &LayerWeights::first,
                                                &LayerWeights::second};
constexpr const char* kMatrixNames[] = {"W_V", "W_1", "W_2"};

/// +-size at one place of each row and each column.
Numbers signed_permutation(Draw& draw, std::size_t d, double size = 1) {
  std::vector<std::size_t> places(d);
  for (std::size_t i = 0; i < d; ++i) places[i] = i;
  Numbers w(d * d);
  for (std::size_t i = 0; i < d; ++i) {
    std::swap(places[i], places[draw.between(i, d - 1)]);
    w[i * d + places[i]] = size * draw.sign();
  }
  return w;
}

EncoderCase draw_encoder(Draw& draw, const EncoderKind& kind) {
  EncoderCase c{.tokens = draw.sized(1, kind.most_tokens),
                .d_model = draw.sized(kind.least_d_model, kind.most_d_model),
                .placement = kind.placement,
                .final_norm = kind.final_norm};
  constexpr double kEps[] = {1e-5, 0.25, 1};
  if (kind.positive_eps) c.eps = kEps[draw.between(0, 2)];
  const bool dyadic = kind.positive_eps && draw.chance(0.5);
  const auto numbers = [&](std::size_t count) {
    Numbers values(count);
    for (double& v : values) v = dyadic ? draw.dyadic() : draw.normal();
    return values;
  };
  const std::size_t d = c.d_model;
  c.x = numbers(c.tokens * d);
  c.grad_y = numbers(c.tokens * d);
  c.layers.resize(draw.sized(kind.least_layers, kind.most_layers));
  for (LayerWeights& layer : c.layers) {
    const auto orthogonal = [&](double size) { return signed_permutation(draw, d, size); };
    const bool pre = kind.placement == ref::model::NormPlacement::pre;
    layer.value = kind.orthogonal && pre ? orthogonal(1) : numbers(d * d);
    layer.first = kind.orthogonal ? orthogonal(1) : numbers(d * d);
    layer.second = kind.orthogonal ? orthogonal(draw.chance(0.5) ? 2 : 0.5) : numbers(d * d);
  }
  return c;
}

Numbers without(const Numbers& matrix, std::size_t rows, std::size_t columns, std::size_t row,
                std::size_t column) {
  Numbers result;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      if (i != row && j != column) result.push_back(matrix[i * columns + j]);
  return result;
}

EncoderCase without_last_feature(const EncoderCase& c) {
  EncoderCase result = c;
  const std::size_t last = --result.d_model, d = c.d_model;
  result.x = without(c.x, c.tokens, d, c.tokens, last);
  result.grad_y = without(c.grad_y, c.tokens, d, c.tokens, last);
  for (LayerWeights& layer : result.layers)
    for (const auto matrix : kMatrices) layer.*matrix = without(layer.*matrix, d, d, last, last);
  return result;
}

std::vector<EncoderCase> simplify_encoder(const EncoderCase& c, const EncoderKind& kind) {
  std::vector<EncoderCase> result;
  const auto add = [&](auto change) {
    result.push_back(c);
    change(result.back());
  };
  if (c.layers.size() > kind.least_layers)
    for (std::size_t l = 0; l < c.layers.size(); ++l)
      add([&](EncoderCase& s) { s.layers.erase(s.layers.begin() + static_cast<long>(l)); });
  if (c.tokens > 1)
    add([](EncoderCase& s) {
      --s.tokens;
      s.x.resize(s.tokens * s.d_model);
      s.grad_y.resize(s.tokens * s.d_model);
    });
  if (kind.orthogonal || !kind.positive_eps) return result;
  if (c.d_model > kind.least_d_model) result.push_back(without_last_feature(c));
  if (c.eps != 1) add([](EncoderCase& s) { s.eps = 1; });
  const auto elements = [&](const Numbers& values, auto field) {
    for (std::size_t i = 0; i < values.size(); ++i)
      for (const double v : simpler(values[i])) add([&](EncoderCase& s) { field(s)[i] = v; });
  };
  for (std::size_t l = 0; l < c.layers.size(); ++l)
    for (const auto matrix : kMatrices) {
      const auto field = [=](EncoderCase& s) -> Numbers& { return s.layers[l].*matrix; };
      const Numbers& values = c.layers[l].*matrix;
      if (std::any_of(values.begin(), values.end(), [](double v) { return v != 0; }))
        add([&](EncoderCase& s) { field(s).assign(values.size(), 0); });
      elements(values, field);
    }
  elements(c.x, [](EncoderCase& s) -> Numbers& { return s.x; });
  elements(c.grad_y, [](EncoderCase& s) -> Numbers& { return s.grad_y; });
  return result;
}

class NormalNumbers {
 public:
  NormalNumbers(const std::string& stream, std::uint64_t seed) : stream_(seed, stream) {}
  Numbers draw(std::size_t count) {
    Numbers values(count);
    for (double& v : values) v = stream_.normal(next_++);
    return values;
  }

 private:
  ref::numeric::RandomStream stream_;
  std::uint64_t next_ = 0;
};

double length_of(const Numbers& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return ref::numeric::square_root(sum);
}

Numbers normalised(Numbers x) {
  const auto d = static_cast<double>(x.size());
  double sum = 0;
  for (const double v : x) sum += v;
  for (double& v : x) v -= sum / d;
  const double s = length_of(x) / ref::numeric::square_root(d);
  for (double& v : x) v /= s;
  return x;
}

Numbers sum_of(Numbers a, const Numbers& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

/// W v, W = z v^T/(||v|| sqrt(D)).
Numbers meet(NormalNumbers& normal, const Numbers& v, Numbers& w) {
  const std::size_t d = v.size();
  const double length = length_of(v), root = ref::numeric::square_root(static_cast<double>(d));
  Numbers image = normal.draw(d);
  w.assign(d * d, 0);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; length > 0 && j < d; ++j)
      w[i * d + j] = image[i] * v[j] / length / root;
    image[i] *= length / root;
  }
  return image;
}

template <class T>
Tensor<T> filled(const Numbers& values, const ref::tensor::Shape& shape, std::size_t at = 0) {
  Tensor<T> result = ref::tensor::full_tensor<T>(shape, T(0));
  for (std::size_t i = 0; i < values.size(); ++i) result.data()[at + i] = T(values[i]);
  return result;
}

}  // namespace

template <class T>
StackInputs<T> EncoderCase::inputs(bool backward) const {
  const std::size_t d = d_model;
  StackInputs<T> in;
  in.config.d_model = in.config.d_ff = d;
  in.config.num_heads = 1;
  in.config.placement = placement;
  in.config.norm = ref::model::LayerNormOptions{.eps = eps};
  in.final_norm = final_norm;
  in.x = filled<T>(x, {1, tokens, d});
  if (backward) in.grad_y = filled<T>(grad_y, {1, tokens, d});
  Numbers identity(d * d);
  for (std::size_t i = 0; i < d; ++i) identity[i * d + i] = 1;
  for (const LayerWeights& layer : layers) {
    auto& p = in.layers.emplace_back();
    p.attention.in = {filled<T>(layer.value, {3 * d, d}, 2 * d * d), filled<T>({}, {3 * d})};
    p.attention.out = {filled<T>(identity, {d, d}), filled<T>({}, {d})};
    p.feed_forward.first = {filled<T>(layer.first, {d, d}), filled<T>({}, {d})};
    p.feed_forward.second = {filled<T>(layer.second, {d, d}), filled<T>({}, {d})};
  }
  return in;
}
template StackInputs<double> EncoderCase::inputs(bool) const;
template StackInputs<ref::numeric::ball> EncoderCase::inputs(bool) const;

rc::Gen<EncoderCase> encoders(const EncoderKind& kind) {
  return shrinking<EncoderCase>([=](Draw& draw) { return draw_encoder(draw, kind); },
                                [=](const EncoderCase& c) { return simplify_encoder(c, kind); });
}

EncoderCase gaussian_network(const Run& run, std::string_view kind, std::size_t index,
                             std::size_t tokens, std::size_t d_model, std::size_t layers) {
  NormalNumbers normal(fmt::format("claims/{}/{}/{}", run.claim, kind, index), run.seed);
  EncoderCase c{.tokens = tokens, .d_model = d_model};
  c.x = normal.draw(tokens * d_model);
  c.grad_y = normal.draw(tokens * d_model);
  const double root = ref::numeric::square_root(static_cast<double>(d_model));
  c.layers.resize(layers);
  for (LayerWeights& layer : c.layers)
    for (const auto matrix : kMatrices) {
      layer.*matrix = normal.draw(d_model * d_model);
      for (double& v : layer.*matrix) v /= root;
    }
  return c;
}

EncoderCase network_in_law(const Run& run, ref::model::NormPlacement placement, std::size_t index,
                           std::size_t d_model, std::size_t layers) {
  NormalNumbers normal(fmt::format("claims/{}/in law/{}/{}/{}", run.claim, d_model, layers, index),
                       run.seed);
  const bool post = placement == ref::model::NormPlacement::post;
  EncoderCase c{.d_model = d_model, .placement = placement, .final_norm = !post};
  c.x = normal.draw(d_model);
  c.grad_y = normal.draw(d_model);
  Numbers x = c.x;
  c.layers.resize(layers);
  for (LayerWeights& layer : c.layers) {
    x = sum_of(x, meet(normal, post ? x : normalised(x), layer.value));
    if (post) x = normalised(x);
    Numbers active = meet(normal, post ? x : normalised(x), layer.first);
    for (double& v : active) v = std::max(v, 0.0);
    x = sum_of(x, meet(normal, active, layer.second));
    if (post) x = normalised(x);
  }
  return c;
}

std::string show(const EncoderCase& c) {
  const auto matrix = [&](const Numbers& values) {
    std::vector<std::string> rows;
    rows.reserve(values.size() / c.d_model);
    for (std::size_t at = 0; at < values.size(); at += c.d_model)
      rows.push_back(show(Numbers(values.begin() + static_cast<long>(at),
                                  values.begin() + static_cast<long>(at + c.d_model))));
    return fmt::format("({})", fmt::join(rows, ", "));
  };
  std::string text =
      fmt::format("x = {}, grad_y = {}, eps = {}", matrix(c.x), matrix(c.grad_y), c.eps);
  for (std::size_t l = 0; l < c.layers.size(); ++l)
    for (std::size_t m = 0; m < std::size(kMatrices); ++m) {
      const Numbers& values = c.layers[l].*kMatrices[m];
      if (std::any_of(values.begin(), values.end(), [](double v) { return v != 0; }))
        text += fmt::format(", layer {}: {} = {}", l, kMatrixNames[m], matrix(values));
    }
  return text;
}

}  // namespace normproof::verification::claims
