#include "verification/golden/museum/slice_kernel.hpp"

#include <cmath>
#include <variant>

namespace normproof::verification::golden::museum {

namespace model = ref::model;
using plain::PlainShape;
using plain::Slices;

namespace {

template <class Options>
const Options* options_of(const Case& c) {
  return std::get_if<Options>(&std::get<model::NormOptions>(c.options));
}

/// One run of a kernel on all slices of a case.
class SliceRun {
 public:
  SliceRun(KernelCase& work, const SliceKernel& kernel)
      : work_(work),
        kernel_(kernel),
        width_(work.shape().d_model),
        x_(work.in("x")),
        grad_y_(work.in("grad_y")),
        x_hat_(x_.size()) {}

  void run() {
    const Slices slices = find_slices(work_);
    Values mean, rstd;
    for (const auto& slice : slices) {
      const Moments moments = forward(slice);
      mean.push_back(moments.mean);
      rstd.push_back(moments.rstd);
      if (!grad_y_.empty()) backward(slice, moments);
    }
    store_if_requested("mean", mean);
    store_if_requested("rstd", rstd);
    if (work_.has_output("grad_gamma")) reduce();
  }

 private:
  double gamma(std::size_t i) const {
    const Values& values = work_.in("gamma");
    return values.empty() ? 1 : values[i % width_];
  }
  bool counts(std::size_t i) const {
    const Values& valid = work_.in("valid");
    const bool by_row = options_of<model::LayerNormOptions>(work_.of()) != nullptr ||
                        options_of<model::RMSNormOptions>(work_.of()) != nullptr;
    return valid.empty() || by_row || valid[i / width_] != 0;
  }

  Moments forward(const std::vector<std::size_t>& slice) {
    Values counted;
    for (const std::size_t i : slice)
      if (counts(i)) counted.push_back(x_[i]);
    const double eps = norm_eps(work_.of());
    const Moments moments = kernel_.measure
                                ? kernel_.measure(counted, eps)
                                : compute_correct_moments(counted, eps, kernel_.centred);
    const Values& beta = work_.in("beta");
    for (const std::size_t i : slice) {
      x_hat_[i] = kernel_.normalize ? kernel_.normalize(x_[i], moments)
                                    : (x_[i] - moments.mean) * moments.rstd;
      const double scaled =
          kernel_.scale ? kernel_.scale(x_hat_[i], gamma(i)) : x_hat_[i] * gamma(i);
      work_.out("y")[i] = beta.empty() ? scaled : scaled + beta[i % width_];
    }
    return moments;
  }

  void backward(const std::vector<std::size_t>& slice, const Moments& moments) {
    SliceGradient own{.moments = moments};
    for (const std::size_t i : slice) {
      own.gamma.push_back(gamma(i));
      own.g.push_back(gamma(i) * grad_y_[i]);
      own.x_hat.push_back(x_hat_[i]);
      own.counts.push_back(counts(i));
      own.n += counts(i) ? 1 : 0;
    }
    const Values grad =
        kernel_.backward ? kernel_.backward(own) : correct_backward(own, kernel_.centred);
    for (std::size_t k = 0; k < slice.size(); ++k) work_.out("grad_x")[slice[k]] = grad[k];
  }

  void reduce() {
    for (std::size_t d = 0; d < width_; ++d) {
      Values products, gradients;
      for (std::size_t i = d; i < x_.size(); i += width_) {
        products.push_back(grad_y_[i] * x_hat_[i]);
        gradients.push_back(grad_y_[i]);
      }
      const auto sum = [&](const Values& terms) {
        return kernel_.reduce ? kernel_.reduce(terms) : sum_of(terms);
      };
      work_.out("grad_gamma")[d] = sum(products);
      if (work_.has_output("grad_beta")) work_.out("grad_beta")[d] = sum(gradients);
    }
  }

  void store_if_requested(const std::string& name, const Values& values) {
    if (work_.has_output(name)) work_.out(name) = values;
  }

  KernelCase& work_;
  const SliceKernel& kernel_;
  std::size_t width_;
  const Values &x_, &grad_y_;
  Values x_hat_;
};

}  // namespace

double sum_of_squares(const Values& x, double mean) {
  double squares = 0;
  for (const double v : x) squares += (v - mean) * (v - mean);
  return squares;
}

Moments compute_correct_moments(const Values& x, double eps, bool centred) {
  const double n = static_cast<double>(x.size());
  const double mean = centred ? sum_of(x) / n : 0;
  return {mean, 1 / std::sqrt(sum_of_squares(x, mean) / n + eps)};
}

Values correct_backward(const SliceGradient& slice, bool centred) {
  double a = 0, c = 0;
  for (std::size_t k = 0; k < slice.g.size(); ++k) {
    a += centred ? slice.g[k] / slice.n : 0;
    c += slice.g[k] * slice.x_hat[k] / slice.n;
  }
  Values grad;
  for (std::size_t k = 0; k < slice.g.size(); ++k)
    grad.push_back(slice.moments.rstd *
                   (slice.counts[k] ? slice.g[k] - a - slice.x_hat[k] * c : slice.g[k]));
  return grad;
}

Slices find_slices(const KernelCase& work) {
  const PlainShape& shape = work.shape();
  if (const auto* const options = options_of<model::GroupNormOptions>(work.of()))
    return plain::cut_samples(shape, shape.d_model / static_cast<std::size_t>(options->groups));
  if (options_of<model::InstanceNormOptions>(work.of()) != nullptr)
    return plain::cut_samples(shape, 1);
  if (options_of<model::BatchNormOptions>(work.of()) != nullptr) return plain::cut_columns(shape);
  return plain::cut_rows(shape, shape.d_model);
}

void run_slices(KernelCase& work, const SliceKernel& kernel) {
  if (work.of().sequence || work.of().mode == model::Mode::inference) return;
  SliceRun(work, kernel).run();
}

std::vector<StoredTensor> run_slice_kernel(const Case& c, const SliceKernel& kernel) {
  KernelCase work(c);
  run_slices(work, kernel);
  return work.answer();
}

}  // namespace normproof::verification::golden::museum
