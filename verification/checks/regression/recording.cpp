#include "verification/checks/regression/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <optional>

#include "ref/io/sha256.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/golden/certify/for_each_in_parallel.hpp"
#include "verification/golden/certify/manifest.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/gate/judged_values.hpp"

namespace normproof::verification::checks::regression {

using golden::certify::StoredCase;
using ref::numeric::FileError;

namespace {

/// Returns the tensor with every NaN replaced by the same NaN, because operations may give any NaN.
StoredTensor canonicalize_nans(const StoredTensor& tensor) {
  std::vector<double> values = ref::io::widen(tensor);
  if (!ref::io::is_float(tensor.dtype)) return tensor;
  const auto is_nan = [](double x) { return std::isnan(x); };
  if (std::ranges::none_of(values, is_nan)) return tensor;
  std::ranges::replace_if(values, is_nan, std::numeric_limits<double>::quiet_NaN());
  return ref::io::make_tensor(tensor.name, tensor.dtype, tensor.shape, values);
}

/// Returns those outputs of a candidate that the case expects, sorted by name.
/// Throws    FileError whose message is one sentence
std::vector<StoredTensor> select_outputs_to_store(const StoredCase& stored,
                                                  const std::vector<StoredTensor>& answer) {
  std::vector<StoredTensor> kept;
  for (const StoredTensor& tensor : answer) {
    if (tensor.name.ends_with("_lo")) continue;
    const std::vector<std::string>& known = stored.description.outputs;
    if (std::ranges::find(known, tensor.name) == known.end())
      throw FileError(ref::numeric::unknown_name("tensor", tensor.name, known));
    const StoredTensor& expected = *golden::corpus::find(stored.expected, tensor.name);
    if (tensor.shape != expected.shape)
      throw FileError(fmt::format("{} has shape {}; expected {}", tensor.name,
                                  ref::tensor::to_string(tensor.shape),
                                  ref::tensor::to_string(expected.shape)));
    kept.push_back(canonicalize_nans(tensor));
  }
  if (kept.empty()) throw FileError("the answer has no output; expected y at least");
  std::ranges::sort(kept, {}, &StoredTensor::name);
  return kept;
}

/// Compares a block-scaled output with the exact values. The block scales are another output of the
/// same case.
RecordedOutput fingerprint_block_scaled_output(const StoredCase& stored,
                                               const std::vector<StoredTensor>& answer,
                                               const StoredTensor& tensor,
                                               const golden::tolerance::Tolerance& bounds) {
  const auto judged = golden::gate::compute_judged_values(stored, answer, tensor.name, bounds);
  const StoredTensor high = ref::io::make_tensor("high", tensor.shape, judged.high);
  const StoredTensor low = ref::io::make_tensor("low", tensor.shape, judged.low);
  auto bound = ref::tensor::empty_tensor<double>(tensor.shape);
  std::ranges::copy(judged.bound, bound.data());
  return {tensor.name, std::string(ref::io::to_string(tensor.dtype)), judged.high.size(),
          ref::io::content_sha256({tensor}), error_statistics(tensor, high, &low, bound)};
}

std::vector<RecordedOutput> fingerprints(const StoredCase& stored,
                                         const std::vector<StoredTensor>& answer) {
  const golden::corpus::Case& c = stored.description.c;
  const golden::tolerance::Tolerance bounds =
      golden::tolerance::derive_tolerance(c, golden::corpus::usual_accumulation(c.dtype));
  std::vector<RecordedOutput> outputs;
  for (const StoredTensor& tensor : answer) {
    if (golden::corpus::is_scaled(c)) {
      outputs.push_back(fingerprint_block_scaled_output(stored, answer, tensor, bounds));
      continue;
    }
    const StoredTensor& high = *golden::corpus::find(stored.expected, tensor.name);
    outputs.push_back(
        {tensor.name, std::string(ref::io::to_string(tensor.dtype)),
         tensor.bytes.size() / ref::io::item_size(tensor.dtype), ref::io::content_sha256({tensor}),
         error_statistics(tensor, high, golden::corpus::find(stored.expected, tensor.name + "_lo"),
                          bounds.bound.at(tensor.name))});
  }
  return outputs;
}

/// Runs the candidate on a case. Returns the outputs to store. Returns nothing if the candidate
/// declines the case or fails; if it fails, `problem` says why.
std::optional<std::vector<StoredTensor>> get_outputs(const StoredCase& stored,
                                                     const golden::candidate::Candidate& candidate,
                                                     std::string& problem) {
  try {
    const golden::candidate::CandidateOutput output = candidate(stored);
    if (!output.is_declined()) return select_outputs_to_store(stored, output.tensors());
  } catch (const FileError& error) {
    problem = error.what();
  } catch (const ref::numeric::ContractError& error) {  // an int64 that no double can represent
    problem = sentence(error.violation());
  }
  return std::nullopt;
}

}  // namespace

std::vector<RecordedCase> record_cases(const std::filesystem::path& golden,
                                       const std::vector<golden::certify::CaseDescription>& cases,
                                       const golden::candidate::Candidate& candidate,
                                       const Keep& keep, int jobs,
                                       const std::function<void(std::size_t done)>& finished) {
  std::vector<RecordedCase> recorded(cases.size());
  std::mutex mutex;
  std::size_t done = 0;
  golden::certify::for_each_in_parallel(cases.size(), jobs, [&](std::size_t i) {
    const StoredCase stored = golden::certify::read_case(golden, cases[i]);
    RecordedCase& own = recorded[i];
    own.path = cases[i].path;
    own.case_sha256 = ref::io::sha256(cases[i].case_text);
    if (const auto answer = get_outputs(stored, candidate, own.problem)) {
      own.outputs = fingerprints(stored, *answer);
      own.answer_sha256 = ref::io::content_sha256(*answer);
      keep(own.answer_sha256, *answer);
    }
    const std::lock_guard lock(mutex);
    ++done;
    if (finished) finished(done);
  });
  std::erase_if(recorded, [](const RecordedCase& own) {
    return own.problem.empty() && own.answer_sha256.empty();
  });
  return recorded;
}

Recording summarize(const std::vector<RecordedCase>& cases) {
  Recording recording;
  recording.cases = cases.size();
  std::map<std::string, std::pair<std::size_t, ErrorStatistics>> layers;
  for (const RecordedCase& recorded : cases) {
    recording.answered += recorded.problem.empty() ? 1 : 0;
    recording.outputs += recorded.outputs.size();
    const std::size_t begin = recorded.path.find('/') + 1;
    auto& [outputs, layer] =
        layers[recorded.path.substr(begin, recorded.path.find('/', begin) - begin)];
    for (const RecordedOutput& output : recorded.outputs) {
      ++outputs;
      layer.judged += output.error.judged;
      layer.max_ulp = std::max(layer.max_ulp, output.error.max_ulp);
      layer.max_share = std::max(layer.max_share, output.error.max_share);
      layer.mean_ulp += output.error.mean_ulp;
      layer.mean_share += output.error.mean_share;
    }
  }
  for (auto& [name, layer] : layers) {
    auto& [outputs, error] = layer;
    if (outputs == 0) continue;
    error.mean_ulp /= static_cast<double>(outputs);
    error.mean_share /= static_cast<double>(outputs);
    recording.layers.push_back({name, error});
  }
  return recording;
}

}  // namespace normproof::verification::checks::regression
