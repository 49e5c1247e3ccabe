#include "verification/golden/plain/plain_cross_entropy.hpp"

#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/plain/low_precision_number.hpp"
#include "verification/golden/plain/plain_loss.hpp"

namespace normproof::verification::golden::plain {

using corpus::output_dtype;
using corpus::usual_accumulation;

std::vector<StoredTensor> run_plain_cross_entropy(const Case& c, const EvalInputs& inputs,
                                                  const Style& style, Sites& sites) {
  const auto& options =
      std::get<ref::model::CrossEntropyOptions>(std::get<ref::model::FunctionOptions>(c.options));
  const auto run = [&]<class T>(T) {
    PlainLoss<T> loss(inputs.function, options, c.dtype, style, sites);
    loss.offer_errors_of_options();
    loss.run();
    std::vector<StoredTensor> tensors;
    tensors.push_back(stored_tensor("grad_logits", c.dtype, {loss.rows(), loss.classes()},
                                    loss.grad(), style, sites));
    tensors.push_back(stored_tensor("loss", output_dtype(c.dtype, "loss"), {loss.loss().size()},
                                    loss.loss(), style, sites));
    return tensors;
  };
  return in_arithmetic(style.accumulation.value_or(usual_accumulation(c.dtype)), run);
}

}  // namespace normproof::verification::golden::plain
