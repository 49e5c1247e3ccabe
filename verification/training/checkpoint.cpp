#include "verification/training/checkpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "ref/io/content_sha256.hpp"
#include "ref/io/file_failure.hpp"
#include "ref/io/tensor_file.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::verification::training {

using ref::io::DType;
using ref::io::StoredTensor;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

constexpr const char* kHash = "sha256";
constexpr const char* kRun = "run_sha256";
constexpr const char* kMetricsHash = "metrics_sha256";

StoredTensor count(const char* name, std::uint64_t value) {
  const std::vector<std::int64_t> values = {static_cast<std::int64_t>(value)};
  return ref::io::make_tensor(name, {1}, std::span<const std::int64_t>(values));
}

/// Returns the hash of all tensors except the tensor that stores this hash.
std::string hash_tensors(std::vector<StoredTensor> tensors) {
  std::erase_if(tensors, [](const StoredTensor& tensor) { return tensor.name == kHash; });
  return ref::io::content_sha256(tensors);
}

StoredTensor hash_tensor(const char* name, const std::string& hash) {
  std::vector<double> bytes;
  for (std::size_t i = 0; i < hash.size(); i += 2)
    bytes.push_back(static_cast<double>(std::stoi(hash.substr(i, 2), nullptr, 16)));
  return ref::io::make_tensor(name, DType::uint8, {bytes.size()}, bytes);
}

/// Finds the tensors of a checkpoint file by name, and throws a FileError if one is missing.
class CheckpointReader {
 public:
  CheckpointReader(std::string file, std::vector<StoredTensor> tensors)
      : file_(std::move(file)), tensors_(std::move(tensors)) {
    const StoredTensor* const hash = find(kHash);
    if (hash == nullptr || *hash != hash_tensor(kHash, hash_tensors(tensors_)))
      ref::io::file_failure(file_, kHash, "is not that of the other tensors: the file was altered",
                            "a checkpoint that 'normproof train' wrote");
  }

  std::uint64_t count(const char* name) const {
    const StoredTensor* const tensor = find(name);
    if (tensor == nullptr) ref::io::file_failure(file_, name, "is absent", "a count");
    return static_cast<std::uint64_t>(ref::io::widen(*tensor).at(0));
  }

  std::string hash(const char* name) const {
    const StoredTensor* const tensor = find(name);
    if (tensor == nullptr || tensor->dtype != DType::uint8)
      ref::io::file_failure(file_, name, "is absent", "the bytes of a hash");
    return fmt::format("{:02x}", fmt::join(tensor->bytes, ""));
  }

  /// Returns the tensors that the file holds under the names `prefix`/<name>, for each name in
  /// `expected`. Throws a FileError if one is absent or its shape differs from the shape in
  /// `expected`.
  NamedTensors<double> all(const char* prefix, const NamedTensors<double>& expected) const {
    NamedTensors<double> result;
    for (const auto& [name, like] : expected) {
      const std::string full = fmt::format("{}/{}", prefix, name);
      const StoredTensor* const tensor = find(full);
      const ref::tensor::Shape shape = ref::tensor::shape_of(like);
      if (tensor == nullptr || tensor->shape != shape || tensor->dtype != DType::float64)
        ref::io::file_failure(
            file_, full,
            tensor == nullptr ? "is absent" : "has shape " + ref::tensor::to_string(tensor->shape),
            fmt::format("float64 {}, as the configuration has it", ref::tensor::to_string(shape)));
      const std::vector<double> values = ref::io::widen(*tensor);
      Tensor<double> read = ref::tensor::empty_tensor<double>(shape);
      std::ranges::copy(values, read.data());
      result.set(name, std::move(read));
    }
    return result;
  }

 private:
  const StoredTensor* find(std::string_view name) const {
    const auto found = std::ranges::find(tensors_, name, &StoredTensor::name);
    return found == tensors_.end() ? nullptr : &*found;
  }

  std::string file_;
  std::vector<StoredTensor> tensors_;
};

}  // namespace

void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint) {
  std::vector<StoredTensor> tensors;
  const auto& state = checkpoint.state;
  for_each_tensor(state, [&](const std::string& name, const Tensor<double>& values) {
    tensors.push_back(ref::io::make_tensor(name, ref::tensor::shape_of(values),
                                           std::span(values.data(), values.size())));
  });
  tensors.push_back(count("step", static_cast<std::uint64_t>(state.step)));
  tensors.push_back(count("optimizer_step", static_cast<std::uint64_t>(state.optimizer.step)));
  tensors.push_back(count("metrics_bytes", checkpoint.metrics.bytes));
  if (!checkpoint.metrics.sha256.empty())
    tensors.push_back(hash_tensor(kMetricsHash, checkpoint.metrics.sha256));
  tensors.push_back(hash_tensor(kRun, checkpoint.run_sha256));
  tensors.push_back(hash_tensor(kHash, hash_tensors(tensors)));
  ref::io::write_tensors(file, tensors);
}

std::string read_run_sha256(const std::filesystem::path& file) {
  return CheckpointReader(file.string(), ref::io::read_tensors(file)).hash(kRun);
}

Checkpoint read_checkpoint(const std::filesystem::path& file,
                           const ref::train::TrainState<double>& like) {
  const CheckpointReader reader(file.string(), ref::io::read_tensors(file));
  Checkpoint checkpoint;
  checkpoint.state.parameters = reader.all("parameter", like.parameters);
  checkpoint.state.norms = reader.all("norm", like.norms);
  checkpoint.state.optimizer.moments = reader.all("moment", like.optimizer.moments);
  checkpoint.state.optimizer.step = static_cast<std::int64_t>(reader.count("optimizer_step"));
  checkpoint.state.step = static_cast<std::int64_t>(reader.count("step"));
  checkpoint.metrics.bytes = reader.count("metrics_bytes");
  if (checkpoint.metrics.bytes > 0) checkpoint.metrics.sha256 = reader.hash(kMetricsHash);
  checkpoint.run_sha256 = reader.hash(kRun);
  return checkpoint;
}

}  // namespace normproof::verification::training
