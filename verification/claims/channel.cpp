#include "verification/claims/channel.hpp"

#include <algorithm>
#include <numeric>

namespace normproof::verification::claims {

namespace {

ref::tensor::Tensor<oracle50> as_tensor(const Vector& values, Axis axis) {
  const ref::tensor::Shape shape = axis == Axis::batch ? ref::tensor::Shape{values.size(), 1}
                                                       : ref::tensor::Shape{1, values.size()};
  auto result = ref::tensor::empty_tensor<oracle50>(shape);
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

Vector as_vector(const ref::tensor::Tensor<oracle50>& t) {
  return Vector(t.data(), t.data() + t.size());
}

}  // namespace

Channel channel_step(const Subject& subject, const NormOptions& options, const Vector& x,
                     const Vector& grad_y, Axis axis) {
  NormInputs<oracle50> in;
  in.x = as_tensor(x, axis);
  in.grad_y = as_tensor(grad_y, axis);
  const auto step = subject.step<oracle50>(options, in);
  return {as_vector(step.outputs.at("y")), as_vector(step.outputs.at("grad_x"))};
}

NormOptions batch_norm_with(double eps) {
  return ref::model::BatchNormOptions{.eps = eps, .unbiased_running_variance = false};
}

NormOptions power_norm_v_with(double eps) {
  return ref::model::PowerNormVOptions{.eps = eps};
}

oracle50 dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), oracle50(0));
}

oracle50 square(const Vector& a) {
  return dot(a, a);
}

Vector wide(const std::vector<double>& values) {
  return Vector(values.begin(), values.end());
}

std::vector<double> narrow(const Vector& values) {
  std::vector<double> result;
  for (const oracle50& v : values) result.push_back(static_cast<double>(v));
  return result;
}

Vector unit(std::size_t size, std::size_t at) {
  Vector result(size);
  result[at] = 1;
  return result;
}

Vector without_one_and(const Vector& x, const Vector& v) {
  const oracle50 n = static_cast<double>(x.size());
  const oracle50 mean_x = std::accumulate(x.begin(), x.end(), oracle50(0)) / n;
  const oracle50 mean_v = std::accumulate(v.begin(), v.end(), oracle50(0)) / n;
  Vector d = x, result = v;
  for (oracle50& element : d) element -= mean_x;
  for (oracle50& element : result) element -= mean_v;
  const oracle50 along = dot(result, d) / square(d);
  for (std::size_t i = 0; i < x.size(); ++i) result[i] -= along * d[i];
  return result;
}

rc::Gen<Batch> channels(std::size_t least_rows, std::size_t most_rows, bool spread,
                        std::size_t extras) {
  const BatchKind kind{.least_rows = least_rows,
                       .most_rows = most_rows,
                       .most_features = 1,
                       .affine = false,
                       .least_eps = 0,
                       .most_eps = 0,
                       .extras = extras,
                       .degenerate = false};
  return batches(kind, [spread](const Batch& b) {
    return std::any_of(b.x.begin(), b.x.end(),
                       [&](double v) { return v != (spread ? b.x.front() : 0.0); });
  });
}

}  // namespace normproof::verification::claims
