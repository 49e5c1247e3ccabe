#include "verification/checks/evaluation/function_inputs.hpp"

#include <algorithm>

#include "ref/tensor/contract.hpp"
#include "verification/operands/optional_operands.hpp"

namespace normproof::verification::checks::evaluation {

using operands::adds_residual;
using operands::FunctionInputs;
using operands::required_operands;
using ref::io::StoredTensor;
using ref::tensor::Shape;

namespace {

bool has_extent_0(const Shape& shape) {
  return std::ranges::find(shape, std::size_t{0}) != shape.end();
}

class FunctionReader {
 public:
  FunctionReader(const TensorReader& reader, std::string_view function)
      : reader_(reader), function_(function) {
    std::vector<std::string> known = required_operands(function);
    for (const std::string& name : operands::accepted_operands(function)) known.push_back(name);
    reader.check_names(known);
  }

  FunctionInputs read() {
    if (function_ == "attention")
      attention();
    else if (function_ == "cross_entropy")
      cross_entropy();
    else if (function_ == "rope")
      rope();
    else
      read_row_function();
    return std::move(inputs_);
  }

 private:
  void take(const StoredTensor& tensor) {
    inputs_.tensors.set(tensor.name, slice(reader_.values(tensor), 0, tensor.shape));
  }
  void take_optional(const char* name, const Shape& shape) {
    const StoredTensor* const tensor = reader_.find(name);
    if (tensor == nullptr) return;
    reader_.check_shape(*tensor, shape);
    take(*tensor);
  }
  void take_grad_y(const Shape& of_y) { take_optional("grad_y", of_y); }
  void take_valid(const Shape& shape) {
    const StoredTensor* const valid = reader_.find("valid");
    if (valid == nullptr) return;
    reader_.check_shape(*valid, shape);
    inputs_.valid = to_mask(slice(reader_.mask_values(*valid), 0, shape));
  }

  /// Reads the inputs of a function whose tensors all have the shape of x.
  void read_row_function() {
    const StoredTensor& x = reader_.required("x", "the tensor x, [..., D]");
    const Shape& shape = x.shape;
    if (shape.size() < 2 || has_extent_0(shape))
      reader_.fail("x", "has shape " + ref::tensor::to_string(shape),
                   "[..., D] of rank 2 at least, every extent at least 1");
    if (adds_residual(function_) && shape.size() > 3)
      reader_.fail("x", "has shape " + ref::tensor::to_string(shape), "[N,D] or [B,T,D]");
    take(x);
    for (const std::string& name : required_operands(function_)) {
      if (name == x.name) continue;
      const StoredTensor& other =
          reader_.required(name, "the tensor " + name + ", of the shape of x");
      reader_.check_shape(other, shape);
      take(other);
    }
    if (adds_residual(function_)) {
      take_optional("grad_sum", shape);
      for (const char* parameter : {"gamma", "beta"}) take_optional(parameter, {shape.back()});
    }
    take_grad_y(function_ == "log_sum_exp" ? Shape(shape.begin(), shape.end() - 1) : shape);
    take_valid(shape);
  }

  const StoredTensor& heads(const char* name, const char* axes) {
    const StoredTensor& tensor =
        reader_.required(name, std::string("the tensor ") + name + ", " + axes);
    if (tensor.shape.size() != 4 || has_extent_0(tensor.shape))
      reader_.fail(name, "has shape " + ref::tensor::to_string(tensor.shape),
                   std::string(axes) + ", every extent at least 1");
    take(tensor);
    return tensor;
  }

  void attention() {
    const Shape& q = heads("q", "[B,H,T,D]").shape;
    const Shape& k = heads("k", "[B,G,S,D]").shape;
    const StoredTensor& v = heads("v", "[B,G,S,E]");
    if (k[0] != q[0] || k[3] != q[3] || q[1] % k[1] != 0)
      reader_.fail("k", "has shape " + ref::tensor::to_string(k),
                   "the B and D of q, " + ref::tensor::to_string(q) + ", and a divisor of its H");
    reader_.check_shape(v, {k[0], k[1], k[2], v.shape[3]});
    take_grad_y({q[0], q[1], q[2], v.shape[3]});
    take_valid({k[0], k[2]});
  }

  void rope() {
    const StoredTensor& x = reader_.required("x", "the tensor x, [..., T, D]");
    const Shape& shape = x.shape;
    if (shape.size() < 2 || shape.back() < 2 || has_extent_0(shape))
      reader_.fail("x", "has shape " + ref::tensor::to_string(shape),
                   "[..., T, D], every extent at least 1 and D at least 2");
    take(x);
    const StoredTensor& cos = reader_.required("cos", "the tensor cos, [T,P]");
    const StoredTensor& sin = reader_.required("sin", "the tensor sin, [T,P]");
    const std::size_t tokens = shape[shape.size() - 2];
    if (cos.shape.size() != 2 || cos.shape[0] != tokens || has_extent_0(cos.shape) ||
        2 * cos.shape[1] > shape.back())
      reader_.fail("cos", "has shape " + ref::tensor::to_string(cos.shape),
                   "[T,P], T of x and 2 P at most its D: " + ref::tensor::to_string(shape));
    reader_.check_shape(sin, cos.shape);
    take(cos);
    take(sin);
    take_grad_y(shape);
  }

  void cross_entropy() {
    const StoredTensor& logits = reader_.required("logits", "the tensor logits, [N,C]");
    const Shape& shape = logits.shape;
    if (shape.size() != 2 || has_extent_0(shape))
      reader_.fail("logits", "has shape " + ref::tensor::to_string(shape),
                   "[N,C], every extent at least 1");
    take(logits);
    const StoredTensor& targets = reader_.required("targets", "the tensor targets, [N]");
    reader_.check_shape(targets, {shape[0]});
    inputs_.targets = reader_.ids(targets, shape[1]);
    if (const StoredTensor* const weights = reader_.find("class_weights")) {
      reader_.check_shape(*weights, {shape[1]});
      take(*weights);
    }
    take_valid({shape[0]});
  }

  const TensorReader& reader_;
  std::string_view function_;
  FunctionInputs inputs_;
};

}  // namespace

FunctionInputs function_inputs(const TensorReader& reader, std::string_view function) {
  return FunctionReader(reader, function).read();
}

}  // namespace normproof::verification::checks::evaluation
