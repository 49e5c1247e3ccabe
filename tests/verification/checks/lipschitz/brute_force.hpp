#pragma once

#include <cstddef>
#include <vector>

#include "ref/norm/norm.hpp"
#include "ref/numeric/elementary.hpp"

namespace normproof::tests::verification::checks::lipschitz {

using normproof::ref::numeric::oracle100;
using Matrix = std::vector<std::vector<oracle100>>;

/// Computes the eigenvalues of a symmetric matrix by Jacobi rotations at 100 digits.
inline std::vector<oracle100> compute_eigenvalues(Matrix a) {
  const std::size_t n = a.size();
  for (int sweep = 0; sweep < 30; ++sweep) {
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a[p][q] == 0) continue;
        const oracle100 theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const oracle100 t = (theta < 0 ? -1 : 1) / (abs(theta) + sqrt(theta * theta + 1));
        const oracle100 c = 1 / sqrt(t * t + 1), s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const oracle100 x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y;
          a[k][q] = s * x + c * y;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const oracle100 x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y;
          a[q][k] = s * x + c * y;
        }
      }
    }
  }
  std::vector<oracle100> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(a[i][i]);
  return values;
}

inline oracle100 largest_eigenvalue(const Matrix& a) {
  oracle100 most = a[0][0];
  for (const oracle100& value : compute_eigenvalues(a)) most = value > most ? value : most;
  return most;
}

/// Returns the square block of the matrix `a` that consists of the rows and columns with the
/// indices in `part`.
inline Matrix select_square_block(const Matrix& a, const std::vector<std::size_t>& part) {
  Matrix result;
  for (const std::size_t i : part) {
    result.emplace_back();
    for (const std::size_t j : part) result.back().push_back(a[i][j]);
  }
  return result;
}

inline oracle100 spectral_norm(const Matrix& a) {
  const std::size_t n = a.size();
  Matrix gram_matrix(n, std::vector<oracle100>(n, oracle100(0)));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) gram_matrix[i][j] += a[k][i] * a[k][j];
  return sqrt(largest_eigenvalue(gram_matrix));
}

/// One step of a layer's forward as a function of x, at 100 digits.
struct LayerFunction {
  normproof::ref::model::NormOptions options;
  normproof::ref::model::NormInputs<double> inputs;
  normproof::ref::tensor::NamedTensors<double> state;

  std::vector<oracle100> operator()(const std::vector<oracle100>& x) const {
    using normproof::ref::tensor::convert;
    using normproof::ref::tensor::is_given;
    using normproof::ref::tensor::Tensor;
    normproof::ref::model::NormInputs<oracle100> in{
        .x = convert<oracle100>(inputs.x), .valid = inputs.valid, .mode = inputs.mode};
    for (std::size_t i = 0; i < x.size(); ++i) in.x.data()[i] = x[i];
    const auto set_if_present = [&](const char* name, const Tensor<double>& values) {
      if (is_given(values)) set_parameter(in, name, convert<oracle100>(values));
    };
    set_if_present("gamma", inputs.gamma);
    set_if_present("beta", inputs.beta);
    for (const auto& [name, values] : inputs.others) set_if_present(name.c_str(), values);
    normproof::ref::tensor::NamedTensors<oracle100> before;
    for (const auto& [name, values] : state) before.set(name, convert<oracle100>(values));
    const auto step = normproof::ref::norm::norm_forward<oracle100>(options, in, before);
    const auto& y = step.outputs.at("y");
    return {y.begin(), y.end()};
  }

  /// Returns the Jacobian dy/dx by central differences with step 1e-40. The error is near 1e-59.
  Matrix jacobian(const std::vector<oracle100>& x) const {
    const oracle100 h("1e-40");
    Matrix j(x.size(), std::vector<oracle100>(x.size()));
    for (std::size_t k = 0; k < x.size(); ++k) {
      std::vector<oracle100> forth = x, back = x;
      forth[k] += h;
      back[k] -= h;
      const auto above = (*this)(forth), below = (*this)(back);
      for (std::size_t i = 0; i < x.size(); ++i) j[i][k] = (above[i] - below[i]) / (2 * h);
    }
    return j;
  }
};

inline std::vector<oracle100> to_oracle_vector(const normproof::ref::tensor::Tensor<double>& x) {
  return {x.begin(), x.end()};
}

}  // namespace normproof::tests::verification::checks::lipschitz
