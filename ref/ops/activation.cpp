#include "ref/ops/activation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ref/numeric/pi.hpp"
#include "ref/ops/activation_dispatch.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::ops {

using numeric::Clause;

namespace {

using tensor::shape_of;

constexpr std::size_t kActivationGrain = 4096;  // elements per range; does not affect the bits

// Returns the constants of GELU as precisely as T can represent them. If T has an error bound, the
// bound covers the rounding of the constants.
template <class T>
GeluConstants<T> gelu_constants() {
  if constexpr (std::is_same_v<T, double>) {
    return kGeluConstants;
  } else if constexpr (numeric::has_error_bound<T>) {
    const auto rounded = [](double nearest) { return T::rounded(nearest, 0); };
    const auto& c = kGeluConstants;
    return {rounded(c.sqrt_half), rounded(c.density_at_0), rounded(c.twice_sqrt_2_pi),
            rounded(c.cubic)};
  } else {
    const T pi = numeric::pi<T>();
    const T one(1), two(2);
    return {numeric::square_root(T(one / two)), one / numeric::square_root(T(two * pi)),
            two * numeric::square_root(T(two / pi)), T(44715) / T(1000000)};
  }
}

template <class T>
void check_element(std::string_view function, std::string_view argument, const Tensor<T>& t,
                   std::size_t i) {
  if (numeric::is_finite(t.data()[i])) return;
  numeric::not_finite_failure(
      function, argument,
      fmt::format("has the element {} = {}", tensor::index_to_string(i, shape_of(t)),
                  numeric::to_double(t.data()[i])),
      "finite values", Clause::C2);
}

// Checks the arguments, then calls run(arguments), the elementwise kernel.
template <class T, class Run>
Tensor<T> run_elementwise(std::string_view function, const Tensor<T>* grad_y, const Tensor<T>& x,
                          Run&& run, T* erf = nullptr,
                          const SoftplusParameters<T>* softplus = nullptr) {
  if (grad_y != nullptr)
    tensor::check_shape(function, "grad_y", shape_of(*grad_y), shape_of(x), Clause::C1);
  const GeluConstants<T> constants = gelu_constants<T>();
  Tensor<T> out = tensor::empty_tensor<T>(shape_of(x));
  const Elementwise<T> a{grad_y == nullptr ? nullptr : grad_y->data(),
                         x.data(),
                         &constants,
                         use_streaming_stores(x.size()),
                         out.data(),
                         erf,
                         softplus};
  for (std::size_t i = find_rejected_index(x.size(), kActivationGrain, run(a)); i < x.size(); ++i) {
    if (grad_y != nullptr) check_element(function, "grad_y", *grad_y, i);
    check_element(function, "x", x, i);
  }
  return out;
}

}  // namespace

#define NORMPROOF_FORWARD(f)                                                \
  template <numeric::Real T>                                                \
  Tensor<T> f(const Tensor<T>& x) {                                         \
    return run_elementwise<T>(#f, nullptr, x, [](const Elementwise<T>& a) { \
      return NORMPROOF_ACTIVATION_KERNEL(T, f, f##_elements<T>, a);         \
    });                                                                     \
  }
#define NORMPROOF_BACKWARD(f)                                               \
  template <numeric::Real T>                                                \
  Tensor<T> f(const Tensor<T>& grad_y, const Tensor<T>& x) {                \
    return run_elementwise<T>(#f, &grad_y, x, [](const Elementwise<T>& a) { \
      return NORMPROOF_ACTIVATION_KERNEL(T, f, f##_elements<T>, a);         \
    });                                                                     \
  }
NORMPROOF_FORWARD(identity)
NORMPROOF_FORWARD(relu)
NORMPROOF_FORWARD(gelu)
NORMPROOF_FORWARD(gelu_tanh)
NORMPROOF_FORWARD(silu)
NORMPROOF_BACKWARD(identity_backward)
NORMPROOF_BACKWARD(relu_backward)
NORMPROOF_BACKWARD(gelu_backward)
NORMPROOF_BACKWARD(gelu_tanh_backward)
NORMPROOF_BACKWARD(silu_backward)
NORMPROOF_FORWARD(relu_squared)
NORMPROOF_BACKWARD(relu_squared_backward)
NORMPROOF_FORWARD(sigmoid)
NORMPROOF_BACKWARD(sigmoid_backward)
NORMPROOF_FORWARD(log_sigmoid)
NORMPROOF_BACKWARD(log_sigmoid_backward)
NORMPROOF_FORWARD(tanh_activation)
NORMPROOF_BACKWARD(tanh_activation_backward)
NORMPROOF_FORWARD(mish)
NORMPROOF_BACKWARD(mish_backward)

namespace {

void check_softplus(std::string_view function, double beta, double threshold) {
  if (!(beta > 0 && std::isfinite(beta)))
    numeric::contract_failure(function, "beta", fmt::format("is {}", beta), "a finite number > 0",
                              Clause::C4);
  if (!(threshold >= 0))
    numeric::contract_failure(function, "threshold", fmt::format("is {}", threshold),
                              "a number >= 0", Clause::C4);
}

}  // namespace

template <numeric::Real T>
Tensor<T> softplus(const Tensor<T>& x, double beta, double threshold) {
  check_softplus("softplus", beta, threshold);
  const SoftplusParameters<T> parameters{T(beta), threshold};
  return run_elementwise<T>(
      "softplus", nullptr, x,
      [](const Elementwise<T>& a) {
        return NORMPROOF_ACTIVATION_KERNEL(T, softplus, softplus_elements<T>, a);
      },
      nullptr, &parameters);
}

template <numeric::Real T>
Tensor<T> softplus_backward(const Tensor<T>& grad_y, const Tensor<T>& x, double beta,
                            double threshold) {
  check_softplus("softplus_backward", beta, threshold);
  const SoftplusParameters<T> parameters{T(beta), threshold};
  return run_elementwise<T>(
      "softplus_backward", &grad_y, x,
      [](const Elementwise<T>& a) {
        return NORMPROOF_ACTIVATION_KERNEL(T, softplus_backward, softplus_backward_elements<T>, a);
      },
      nullptr, &parameters);
}

template <numeric::Real T>
Tensor<T> gelu_keeping_erf(const Tensor<T>& x, Tensor<T>& erf) {
  erf = tensor::empty_tensor<T>(shape_of(x));
  return run_elementwise<T>(
      "gelu", nullptr, x,
      [](const Elementwise<T>& a) {
        return NORMPROOF_ACTIVATION_KERNEL(T, gelu, gelu_elements<T>, a);
      },
      erf.data());
}

template <numeric::Real T>
Tensor<T> gelu_backward_from_erf(const Tensor<T>& grad_y, const Tensor<T>& x,
                                 const Tensor<T>& erf) {
  constexpr auto kName = "gelu_backward";
  tensor::check_shape(kName, "erf", shape_of(erf), shape_of(x), Clause::C3);
  return run_elementwise<T>(
      kName, &grad_y, x,
      [](const Elementwise<T>& a) {
        return NORMPROOF_ACTIVATION_KERNEL(T, gelu_backward, gelu_backward_elements<T>, a);
      },
      const_cast<T*>(erf.data()));  // NOLINT(cppcoreguidelines-pro-type-const-cast): it is read
}

#define NORMPROOF_INSTANTIATE(T)                                                                   \
  template Tensor<T> identity(const Tensor<T>&);                                                   \
  template Tensor<T> identity_backward(const Tensor<T>&, const Tensor<T>&);                        \
  template Tensor<T> relu(const Tensor<T>&);                                                       \
  template Tensor<T> relu_backward(const Tensor<T>&, const Tensor<T>&);                            \
  template Tensor<T> gelu(const Tensor<T>&);                                                       \
  template Tensor<T> gelu_keeping_erf(const Tensor<T>&, Tensor<T>&);                               \
  template Tensor<T> gelu_backward_from_erf(const Tensor<T>&, const Tensor<T>&, const Tensor<T>&); \
  template Tensor<T> gelu_backward(const Tensor<T>&, const Tensor<T>&);                            \
  template Tensor<T> gelu_tanh(const Tensor<T>&);                                                  \
  template Tensor<T> gelu_tanh_backward(const Tensor<T>&, const Tensor<T>&);                       \
  template Tensor<T> silu(const Tensor<T>&);                                                       \
  template Tensor<T> silu_backward(const Tensor<T>&, const Tensor<T>&);                            \
  template Tensor<T> relu_squared(const Tensor<T>&);                                               \
  template Tensor<T> relu_squared_backward(const Tensor<T>&, const Tensor<T>&);                    \
  template Tensor<T> sigmoid(const Tensor<T>&);                                                    \
  template Tensor<T> sigmoid_backward(const Tensor<T>&, const Tensor<T>&);                         \
  template Tensor<T> log_sigmoid(const Tensor<T>&);                                                \
  template Tensor<T> log_sigmoid_backward(const Tensor<T>&, const Tensor<T>&);                     \
  template Tensor<T> tanh_activation(const Tensor<T>&);                                            \
  template Tensor<T> tanh_activation_backward(const Tensor<T>&, const Tensor<T>&);                 \
  template Tensor<T> mish(const Tensor<T>&);                                                       \
  template Tensor<T> mish_backward(const Tensor<T>&, const Tensor<T>&);                            \
  template Tensor<T> softplus(const Tensor<T>&, double, double);                                   \
  template Tensor<T> softplus_backward(const Tensor<T>&, const Tensor<T>&, double, double);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::ops
