#include "verification/checks/evaluation/function_inputs.hpp"

#include <algorithm>
#include <variant>

#include "ref/model/operation_info.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::verification::checks::evaluation {

using ref::io::StoredTensor;
using ref::model::FunctionInputs;
using ref::model::FunctionOptions;
using ref::model::OperandInfo;
using ref::model::OperandType;
using ref::model::OperationInfo;
using ref::tensor::Shape;

namespace {

bool has_zero_extent(const Shape& shape) {
  return std::ranges::find(shape, std::size_t{0}) != shape.end();
}

/// Returns the shape that the operand's description prescribes if x has the given shape.
Shape expected_operand_shape(const OperandInfo& operand, const Shape& x) {
  if (operand.shape == "[D]") return {x.back()};
  if (operand.shape == "[...]") return {x.begin(), x.end() - 1};
  return x;
}

/// Reads the inputs of one function. There is one overload for each rule by which the shapes of a
/// function's inputs depend on each other.
class FunctionReader {
 public:
  FunctionReader(const TensorReader& reader, const OperationInfo& info)
      : reader_(reader), info_(info) {
    std::vector<std::string> known;
    for (const OperandInfo& operand : info.operands) known.push_back(operand.name);
    reader.check_names(known);
  }

  FunctionInputs read_all_operands() { return std::move(inputs_); }

  /// Reads the inputs of a function. Each tensor has the shape of x, or the part of that shape that
  /// the tensor's description states.
  template <class Options>
  void operator()(const Options&) {
    const OperandInfo& described = info_.operands.front();
    const StoredTensor& x = reader_.required(described.name, "the tensor x, [..., D]");
    const Shape& shape = x.shape;
    if (shape.size() < 2 || has_zero_extent(shape))
      reader_.fail("x", "has shape " + ref::tensor::to_string(shape),
                   "[..., D] of rank 2 at least, every extent at least 1");
    if (!described.shape.starts_with("[...") && shape.size() > 3)
      reader_.fail("x", "has shape " + ref::tensor::to_string(shape), described.shape);
    for (const OperandInfo& operand : info_.operands) {
      if (operand.optional) continue;
      const StoredTensor& tensor =
          reader_.required(operand.name, "the tensor " + operand.name + ", of the shape of x");
      reader_.check_shape(tensor, expected_operand_shape(operand, shape));
      take(tensor);
    }
    for (const OperandInfo& operand : info_.operands)
      if (operand.optional && operand.type == OperandType::real)
        read_optional_operand(operand.name, expected_operand_shape(operand, shape));
    read_mask_of_x(shape);
  }

  void operator()(const ref::model::AttentionOptions&) {
    const Shape& q = heads("q", "[B,H,T,D]").shape;
    const Shape& k = heads("k", "[B,G,S,D]").shape;
    const StoredTensor& v = heads("v", "[B,G,S,E]");
    if (k[0] != q[0] || k[3] != q[3] || q[1] % k[1] != 0)
      reader_.fail("k", "has shape " + ref::tensor::to_string(k),
                   "the B and D of q, " + ref::tensor::to_string(q) + ", and a divisor of its H");
    reader_.check_shape(v, {k[0], k[1], k[2], v.shape[3]});
    read_grad_y({q[0], q[1], q[2], v.shape[3]});
    read_optional_operand("sinks", {q[1]});
    read_bias({q[0], q[1], q[2], k[2]});
    read_mask_of_x({k[0], k[2]});
  }

  void operator()(const ref::model::MergeAttentionStatesOptions&) {
    const StoredTensor& o = reader_.required("o", "the tensor o, [P,B,H,T,E]");
    const Shape& shape = o.shape;
    if (shape.size() != 5 || has_zero_extent(shape))
      reader_.fail("o", "has shape " + ref::tensor::to_string(shape),
                   "[P,B,H,T,E], every extent at least 1");
    take(o);
    const StoredTensor& logs = reader_.required("log_sum_exp", "the tensor log_sum_exp, [P,B,H,T]");
    reader_.check_shape(logs, {shape.begin(), shape.end() - 1});
    take(logs);
    read_grad_y({shape.begin() + 1, shape.end()});
  }

  void operator()(const ref::model::RopeOptions&) {
    const StoredTensor& x = reader_.required("x", "the tensor x, [..., T, D]");
    const Shape& shape = x.shape;
    if (shape.size() < 2 || shape.back() < 2 || has_zero_extent(shape))
      reader_.fail("x", "has shape " + ref::tensor::to_string(shape),
                   "[..., T, D], every extent at least 1 and D at least 2");
    take(x);
    const StoredTensor& cos = reader_.required("cos", "the tensor cos, [T,P]");
    const StoredTensor& sin = reader_.required("sin", "the tensor sin, [T,P]");
    const std::size_t tokens = shape[shape.size() - 2];
    if (cos.shape.size() != 2 || cos.shape[0] != tokens || has_zero_extent(cos.shape) ||
        2 * cos.shape[1] > shape.back())
      reader_.fail("cos", "has shape " + ref::tensor::to_string(cos.shape),
                   "[T,P], T of x and 2 P at most its D: " + ref::tensor::to_string(shape));
    reader_.check_shape(sin, cos.shape);
    take(cos);
    take(sin);
    read_grad_y(shape);
  }

  void operator()(const ref::model::CrossEntropyOptions&) {
    const StoredTensor& logits = reader_.required("logits", "the tensor logits, [N,C]");
    const Shape& shape = logits.shape;
    if (shape.size() != 2 || has_zero_extent(shape))
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
    read_mask_of_x({shape[0]});
  }

 private:
  void take(const StoredTensor& tensor) {
    inputs_.tensors.set(tensor.name, select_step_slice(reader_.values(tensor), 0, tensor.shape));
  }
  void read_optional_operand(std::string_view name, const Shape& shape) {
    const StoredTensor* const tensor = reader_.find(name);
    if (tensor == nullptr) return;
    reader_.check_shape(*tensor, shape);
    take(*tensor);
  }
  /// Reads the bias of attention scores [B,H,T,S]. Its first two extents may be 1.
  void read_bias(const Shape& scores) {
    const StoredTensor* const bias = reader_.find("bias");
    if (bias == nullptr) return;
    Shape expected = scores;
    for (std::size_t axis = 0; axis < 2 && axis < bias->shape.size(); ++axis)
      if (bias->shape[axis] == 1) expected[axis] = 1;
    reader_.check_shape(*bias, expected);
    take(*bias);
  }
  void read_grad_y(const Shape& of_y) { read_optional_operand("grad_y", of_y); }
  void read_mask_of_x(const Shape& shape) {
    const StoredTensor* const valid = reader_.find("valid");
    if (valid == nullptr) return;
    reader_.check_shape(*valid, shape);
    inputs_.valid = convert_to_mask(select_step_slice(reader_.mask_values(*valid), 0, shape));
  }

  const StoredTensor& heads(const char* name, const char* axes) {
    const StoredTensor& tensor =
        reader_.required(name, std::string("the tensor ") + name + ", " + axes);
    if (tensor.shape.size() != 4 || has_zero_extent(tensor.shape))
      reader_.fail(name, "has shape " + ref::tensor::to_string(tensor.shape),
                   std::string(axes) + ", every extent at least 1");
    take(tensor);
    return tensor;
  }

  const TensorReader& reader_;
  const OperationInfo& info_;
  FunctionInputs inputs_;
};

}  // namespace

FunctionInputs function_inputs(const TensorReader& reader, const FunctionOptions& function) {
  FunctionReader read(reader, ref::model::operation_info(function));
  std::visit(read, function);
  return read.read_all_operands();
}

}  // namespace normproof::verification::checks::evaluation
