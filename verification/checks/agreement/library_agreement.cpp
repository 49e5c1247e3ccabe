#include "verification/checks/agreement/library_agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpu/nn/cross_attention.hpp"
#include "gpu/nn/feed_forward.hpp"
#include "ref/numeric/random.hpp"
#include "verification/checks/agreement/device_encoder.hpp"
#include "verification/checks/agreement/library_samples.hpp"
#include "verification/checks/agreement/product_judge.hpp"
#include "verification/checks/agreement/random_cases.hpp"
#include "verification/checks/agreement/trajectory.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::checks::agreement {
namespace {

using gpu::device::Device;
using gpu::device::DeviceMask;
using gpu::device::DeviceTensor;
using gpu::device::upload;
using gpu::ops::Products;
using ref::tensor::Shape;

/// The arguments of compare_with_library_bounds. All parts of the comparison use them.
struct LibraryComparison {
  Device& device;
  const Products& library;
  ProductArithmetic arithmetic;
  std::uint64_t seed;
  Rows& rows;

  /// Runs f(products) as one case. Compares each product that f computes with the product's error
  /// bound. Reports an error that f throws.
  template <class F>
  void run(const std::string& operation, const std::string& name, bool exact, const F& f) const {
    rows.begin(operation, name);
    ProductJudge judge(rows, arithmetic, exact);
    const ObservedProducts tapped(library, [&](const ObservedProduct& seen) { judge(seen); });
    try {
      f(tapped);
    } catch (const ref::numeric::ContractError&) {
      rows.refuse();
      return;
    }
    if (judge.seen() == 0) rows.report_difference("asks for no product");
  }

  DeviceTensor<double> tensor(const std::string& name, const Shape& shape) const {
    return upload(device, make_moderate_tensor(seed, name, shape));
  }
  gpu::nn::Linear linear(const std::string& name, std::size_t to, std::size_t from) const {
    return {tensor(name + "/weight", {to, from}), tensor(name + "/bias", {to})};
  }
};

void compare_single_products(const LibraryComparison& subject, golden::corpus::Tier tier,
                             bool exact) {
  Device& device = subject.device;
  for (const ProductSample& sample : product_samples(subject.seed, subject.arithmetic, tier, exact))
    subject.run(exact ? "product, exact" : "product", sample.name, exact,
                [&](const Products& products) {
                  const auto a = upload(device, sample.a), b = upload(device, sample.b);
                  auto c = upload(device, sample.c);
                  auto left = gpu::ops::matrices(a.span(), a.shape());
                  auto right = gpu::ops::matrices(b.span(), b.shape());
                  if (sample.a_transposed) left = gpu::ops::transposed(left);
                  if (sample.b_transposed) right = gpu::ops::transposed(right);
                  gpu::ops::matmul_into(device, gpu::ops::matrices(c.span(), c.shape()), left,
                                        right, sample.add, products);
                });
}

const Shape kInputs[] = {{1, 1, 8}, {2, 5, 8}, {3, 17, 24}, {2, 33, 40}};

void compare_linear(const LibraryComparison& subject) {
  for (const Shape& shape : kInputs) {
    const std::string name = fmt::format("linear/{}", ref::tensor::to_string(shape));
    subject.run("linear", name, false, [&](const Products& products) {
      const auto map = subject.linear(name, 13, shape.back());
      Shape out = shape;
      out.back() = 13;
      const auto x = subject.tensor(name + "/x", shape);
      gpu::nn::linear(x, map, products);
      gpu::nn::linear_backward(subject.tensor(name + "/grad_y", out), x, map, products);
    });
  }
}

void compare_feed_forward(const LibraryComparison& subject) {
  for (const Shape& shape : kInputs) {
    const std::string name = fmt::format("feed_forward/{}", ref::tensor::to_string(shape));
    subject.run("feed_forward", name, false, [&](const Products& products) {
      const std::size_t d = shape.back();
      const gpu::nn::FeedForward parameters{subject.linear(name + "/first", 3 * d, d),
                                            subject.linear(name + "/second", d, 3 * d)};
      const gpu::nn::FeedForwardOptions options{ref::model::Activation::gelu, 0, {}, &products};
      const auto x = subject.tensor(name + "/x", shape);
      const auto forward = gpu::nn::feed_forward(x, parameters, options);
      gpu::nn::feed_forward_backward(subject.tensor(name + "/grad_y", shape), x, parameters,
                                     forward, options);
    });
  }
}

void compare_attention(const LibraryComparison& subject) {
  for (const Shape& shape : kInputs)
    for (const std::size_t heads : {1, 4}) {
      const std::string name =
          fmt::format("attention/{}/{} heads", ref::tensor::to_string(shape), heads);
      subject.run("attention", name, false, [&](const Products& products) {
        const std::size_t d = shape.back();
        const gpu::nn::Attention parameters{subject.linear(name + "/in", 3 * d, d),
                                            subject.linear(name + "/out", d, d)};
        const gpu::nn::AttentionOptions options{heads, 0, {}, &products};
        const auto x = subject.tensor(name + "/x", shape);
        const auto forward = gpu::nn::multi_head_attention(x, parameters, {}, options);
        gpu::nn::multi_head_attention_backward(subject.tensor(name + "/grad_y", shape), x,
                                               parameters, {}, forward, options);
      });
    }
}

void compare_cross_attention(const LibraryComparison& subject) {
  for (const Shape& shape : kInputs)
    for (const std::size_t keys : {3, 34}) {
      const std::string name =
          fmt::format("cross_attention/{}/{} keys", ref::tensor::to_string(shape), keys);
      subject.run("cross_attention", name, false, [&](const Products& products) {
        const std::size_t d = shape.back();
        const gpu::nn::CrossAttention parameters{subject.linear(name + "/query", d, d),
                                                 subject.linear(name + "/memory", 2 * d, d),
                                                 subject.linear(name + "/out", d, d)};
        const gpu::nn::AttentionOptions options{4, 0, {}, &products};
        const auto x = subject.tensor(name + "/x", shape);
        const auto memory = subject.tensor(name + "/memory", {shape[0], keys, d});
        const auto forward = gpu::nn::cross_attention(x, memory, parameters, {}, options);
        gpu::nn::cross_attention_backward(subject.tensor(name + "/grad_y", shape), x, memory,
                                          parameters, {}, forward, options);
      });
    }
}

void compare_encoders(const LibraryComparison& subject, golden::corpus::Tier tier,
                      const Finished& finished) {
  const std::vector<golden::corpus::Case> corpus = golden::recipes::corpus(tier);
  for (const std::string& operation : ref::model::encoder_operation_names()) {
    bool any = false;
    for (const golden::corpus::Case& c : corpus) {
      if (golden::corpus::case_operation_name(c) != operation) continue;
      const auto& encoder = std::get<ref::model::EncoderOperation>(c.options);
      any = true;
      const std::string name = golden::corpus::case_folder(c);
      const checks::evaluation::EvalInputs inputs = golden::recipes::inputs_of(c, name);
      subject.run(operation, name, false, [&](const Products& products) {
        run_encoder_on_device(subject.device, encoder, inputs.encoder, products);
      });
    }
    if (any) finished(subject.rows.last());
  }
}

}  // namespace

Rows compare_with_library_bounds(Device& device, const Products& library,
                                 gpu::ops::Precision precision, std::uint64_t seed,
                                 golden::corpus::Tier tier, const Finished& finished) {
  Rows rows;
  const LibraryComparison subject{device, library, product_arithmetic(precision), seed, rows};
  const auto finish = [&] { finished(rows.last()); };
  compare_single_products(subject, tier, true);
  finish();
  compare_single_products(subject, tier, false);
  finish();
  compare_linear(subject);
  finish();
  compare_feed_forward(subject);
  finish();
  compare_attention(subject);
  finish();
  compare_cross_attention(subject);
  finish();
  compare_encoders(subject, tier, finished);
  for (const TrainingTask task : kTrainingTasks) {
    for_each_training(seed, task, [&](const std::string& name, const TrainingRun& trajectory) {
      subject.run(row_name(task), name, false, [&](const Products& products) {
        run_training_on_device(
            device, trajectory, [](std::int64_t, double) {}, products);
      });
    });
    finish();
  }
  return rows;
}

}  // namespace normproof::verification::checks::agreement
