#include "verification/checks/agreement/float32_outputs.hpp"

#include <utility>

#include "gpu/norm/float32_norm.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/scaling.hpp"

namespace normproof::verification::checks::agreement {

namespace {

namespace model = ref::model;
using gpu::device::Device;
using gpu::norm::DeviceNumbers;
using gpu::norm::download_numbers;
using gpu::norm::upload_numbers;
using ref::io::DType;
using ref::io::StoredTensor;
using ref::numeric::FloatType;
using ref::tensor::Shape;
using ref::tensor::Tensor;

/// Returns the float32 options for add_layer_norm or add_rms_norm; nothing for any other function.
std::optional<model::Float32NormOptions> float32_norm_options(
    const model::FunctionOptions& function) {
  if (const auto* const layer = std::get_if<model::AddLayerNormOptions>(&function))
    return model::Float32NormOptions{
        .centred = true, .eps = layer->eps, .zero_centred_gamma = layer->zero_centred_gamma};
  if (const auto* const rms = std::get_if<model::AddRMSNormOptions>(&function))
    return model::Float32NormOptions{
        .centred = false, .eps = rms->eps, .zero_centred_gamma = rms->zero_centred_gamma};
  return std::nullopt;
}

/// Returns the float32 options if the operation is layer_norm, rms_norm, add_layer_norm or
/// add_rms_norm. Returns nothing for any other operation. The result does not yet state the formats
/// of tensors and parameters.
std::optional<model::Float32NormOptions> float32_norm_options(const model::Operation& operation) {
  if (const auto* const function = std::get_if<model::FunctionOptions>(&operation))
    return float32_norm_options(*function);
  const auto* const norm = std::get_if<model::NormOptions>(&operation);
  if (norm == nullptr) return std::nullopt;
  if (const auto* const layer = std::get_if<model::LayerNormOptions>(norm))
    return model::Float32NormOptions{
        .centred = true, .eps = layer->eps, .zero_centred_gamma = layer->zero_centred_gamma};
  const auto* const rms = std::get_if<model::RMSNormOptions>(norm);
  if (rms == nullptr || rms->storage != model::StorageFormat::float64) return std::nullopt;
  return model::Float32NormOptions{
      .centred = false, .eps = rms->eps, .zero_centred_gamma = rms->zero_centred_gamma};
}

/// Returns the format that all tensors with one of these names have in the case. Returns the
/// argument `otherwise` if the case has no such tensor. Returns nothing if the formats differ, or
/// if float32_norm cannot store the format.
std::optional<FloatType> find_common_format(const golden::corpus::Case& c,
                                            std::initializer_list<const char*> names,
                                            FloatType otherwise) {
  std::optional<FloatType> found;
  for (const char* const name : names) {
    const StoredTensor* const tensor = golden::corpus::find(c.inputs, name);
    if (tensor == nullptr) continue;
    const std::optional<FloatType> type = ref::io::float_type(tensor->dtype);
    if (!type || !model::is_stored_by_float32_norm(*type) || (found && *found != *type))
      return std::nullopt;
    found = type;
  }
  return found ? found : otherwise;
}

class DeviceOutputs {
 public:
  DeviceOutputs(const golden::corpus::Case& c, Shape shape) : case_(c), shape_(std::move(shape)) {}

  DeviceNumbers given(Device& device, const char* name, FloatType type) const {
    const StoredTensor* const tensor = golden::corpus::find(case_.inputs, name);
    if (tensor == nullptr) return {};
    const std::size_t width = tensor->shape.back();
    const std::vector<double> values = ref::io::widen(*tensor);
    Tensor<float> numbers = ref::tensor::empty_tensor<float>(
        tensor->shape.size() == 1 ? Shape{width} : Shape{values.size() / width, width});
    for (std::size_t i = 0; i < values.size(); ++i)
      numbers.data()[i] = static_cast<float>(values[i]);
    return upload_numbers(device, type, numbers);
  }

  void put(const char* name, const DeviceNumbers& from) {
    const DType dtype = from.type() == FloatType::float32    ? DType::float32
                        : from.type() == FloatType::bfloat16 ? DType::bfloat16
                                                             : DType::float16;
    put(name, dtype, from.shape().size() == 1 ? from.shape() : shape_, download_numbers(from));
  }
  /// Adds an output with one value per row.
  void add_statistic(const char* name, const DeviceNumbers& from) {
    put(name, DType::float32, Shape(shape_.begin(), shape_.end() - 1), download_numbers(from));
  }

  std::vector<StoredTensor> tensors;

 private:
  void put(const char* name, DType dtype, const Shape& shape, const Tensor<float>& numbers) {
    const std::vector<double> values(numbers.data(), numbers.data() + numbers.size());
    tensors.push_back(ref::io::make_tensor(name, dtype, shape, values));
  }

  const golden::corpus::Case& case_;
  Shape shape_;
};

}  // namespace

std::optional<std::vector<StoredTensor>> run_float32_norm_on_device(Device& device,
                                                                    const golden::corpus::Case& c) {
  std::optional<model::Float32NormOptions> options = float32_norm_options(c.options);
  const StoredTensor* const x = golden::corpus::find(c.inputs, "x");
  if (!options || x == nullptr || c.sequence || golden::corpus::is_scaled(c)) return std::nullopt;
  const auto storage =
      find_common_format(c, {"x", "grad_y", "residual", "grad_sum"}, FloatType::float32);
  if (!storage) return std::nullopt;
  const auto parameters = find_common_format(c, {"gamma", "beta"}, *storage);
  if (!parameters) return std::nullopt;
  options->storage = *storage;
  options->parameters = *parameters;

  DeviceOutputs answer(c, x->shape);
  const gpu::norm::Float32NormInputs in{.x = answer.given(device, "x", *storage),
                                        .gamma = answer.given(device, "gamma", *parameters),
                                        .beta = answer.given(device, "beta", *parameters),
                                        .grad_y = answer.given(device, "grad_y", *storage),
                                        .residual = answer.given(device, "residual", *storage),
                                        .grad_sum = answer.given(device, "grad_sum", *storage)};
  const gpu::norm::Float32NormForward forward = gpu::norm::float32_norm(*options, in);
  answer.put("y", forward.y);
  if (forward.sum.is_given()) {
    answer.put("sum", forward.sum);
  } else {
    answer.add_statistic("rstd", forward.rstd);
    if (options->centred) answer.add_statistic("mean", forward.mean);
  }
  if (!in.grad_y.is_given()) return std::move(answer.tensors);
  const auto gradients = gpu::norm::float32_norm_backward(*options, in, forward);
  answer.put("grad_x", gradients.grad_x);
  // For add_layer_norm and add_rms_norm, the corpus omits the gradients of absent parameters.
  const bool all = !forward.sum.is_given();
  if (all || in.gamma.is_given()) answer.put("grad_gamma", gradients.grad_gamma);
  if (all || in.beta.is_given()) answer.put("grad_beta", gradients.grad_beta);
  return std::move(answer.tensors);
}

}  // namespace normproof::verification::checks::agreement
