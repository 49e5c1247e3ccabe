#include "verification/c_abi/normproof.h"

#include <fmt/format.h>

#include <algorithm>
#include <cfenv>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/nan_sign.hpp"
#include "verification/golden/gate/check.hpp"

namespace {

namespace golden = normproof::verification::golden;
namespace io = normproof::ref::io;
using io::DType;
using io::kDTypes;
using normproof::ref::numeric::FileError;
using normproof::ref::numeric::unknown_name;
using normproof::ref::numeric::UsageError;
using normproof::ref::numeric::without_nan_sign;

constexpr std::int32_t kMostAxes = 8;  // no output has more, and a wild number is not followed
constexpr const char* kNoMemory = "normproof: memory is exhausted";
constexpr const char* kNoHandle = "normproof: the handle is null; expected one of normproof_open";

std::int32_t number_of(DType dtype) {
  return static_cast<std::int32_t>(std::ranges::find(kDTypes, dtype) - std::begin(kDTypes));
}

/// Candidates flush subnormal numbers to zero, or round otherwise: the gate does not.
class OwnMode {
 public:
  OwnMode() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~OwnMode() { std::fesetenv(&callers_); }
  OwnMode(const OwnMode&) = delete;
  OwnMode& operator=(const OwnMode&) = delete;

 private:
  std::fenv_t callers_;
};

/// A case that is read, and what normproof_case points to.
struct Selected {
  explicit Selected(golden::certify::StoredCase read) : stored(std::move(read)) {
    const golden::corpus::Case& c = stored.description.c;
    op = golden::corpus::op_of(c);
    nlohmann::json object = nlohmann::json::object();
    for (auto& [name, value] : normproof::ref::model::list_options(c.options)) {
      object[name] = value;
      options.emplace_back(name, value);
    }
    options_json = object.dump();
    shapes.reserve(c.inputs.size());
    for (const io::StoredTensor& tensor : c.inputs) {
      const auto& shape = shapes.emplace_back(tensor.shape.begin(), tensor.shape.end());
      inputs.push_back({tensor.name.c_str(), number_of(tensor.dtype),
                        static_cast<std::int32_t>(shape.size()), shape.data(), tensor.bytes.data(),
                        tensor.bytes.size()});
    }
  }
  Selected(const Selected&) = delete;
  Selected& operator=(const Selected&) = delete;

  normproof_case view() const {
    const golden::corpus::Case& c = stored.description.c;
    return {stored.description.path.c_str(),
            op.c_str(),
            c.mode == golden::corpus::Mode::training ? "training" : "inference",
            options_json.c_str(),
            c.why.c_str(),
            stored.description.case_text.c_str(),
            number_of(c.dtype),
            c.sequence ? 1 : 0,
            inputs.size(),
            inputs.data()};
  }

  const golden::certify::StoredCase stored;
  std::string op, options_json;
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<std::vector<std::int64_t>> shapes;
  std::vector<normproof_tensor> inputs;
};

double ratio_of(const golden::gate::CaseResult& result) {
  double ratio = 0;
  bool compared = result.problem.empty();
  for (const golden::gate::TensorResult& t : result.tensors) {
    compared = compared && t.problem.empty();
    ratio = std::max(ratio, t.ratio);
  }
  return compared ? ratio : std::numeric_limits<double>::infinity();
}

std::string element_text(const golden::gate::TensorResult& t) {
  return fmt::format("{} at {}: got {:.9g}, exact {:.9g}, bound {:.3g} (ratio {:.3g})", t.name,
                     t.where, without_nan_sign(t.got), without_nan_sign(t.exact), t.bound, t.ratio);
}

/// What fails, output by output, then the diagnosis; of what passes, the worst element.
std::string sentence_of(const golden::gate::CaseResult& result) {
  if (result.passed()) {
    const auto worst =
        std::ranges::max_element(result.tensors, {}, &golden::gate::TensorResult::ratio);
    return worst->where.empty() ? "passed" : fmt::format("passed; {}", element_text(*worst));
  }
  std::string text = result.problem;
  const auto add = [&text](const std::string& part) {
    text += fmt::format("{}{}", text.empty() ? "" : "; ", part);
  };
  for (const golden::gate::TensorResult& t : result.tensors) {
    if (t.passed()) continue;
    if (t.problem.empty())
      add(fmt::format("{}, {} of {} elements", element_text(t), t.failed.size(), t.count));
    else
      add(fmt::format("{} {}", t.name, t.problem));
  }
  for (const golden::gate::Diagnosis& diagnosis : result.diagnosis) add(diagnosis.sentence());
  return text;
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

void require(bool met, const char* function, std::string_view sentence) {
  if (!met) throw UsageError(fmt::format("{}: {}", function, sentence));
}

enum class Outcome : char { unjudged, failed, passed };

}  // namespace

struct normproof_corpus {
  std::filesystem::path folder = {};
  std::vector<golden::certify::CaseDescription> cases = {};
  golden::gate::CheckOptions options = {};
  std::vector<Outcome> outcomes = {};
  std::optional<Selected> selected = {};
  std::size_t index = 0;
  std::vector<io::StoredTensor> answer = {};
  std::string verdict = {};
  std::string error_text = {};
  const char* error = "";  ///< error_text, or a literal where memory is exhausted

  void open(const char* place, const char* glob) {
    require(place != nullptr, "normproof_open", "the folder is null; expected a corpus");
    folder = golden::certify::corpus_folder(place);
    cases = golden::certify::list_corpus(folder, glob == nullptr ? "*" : glob, "the glob");
    outcomes.assign(cases.size(), Outcome::unjudged);
  }

  void set(const char* name, const char* value) {
    require(name != nullptr && value != nullptr, "normproof_set",
            "the name or the value is null; expected texts");
    const std::string_view option = name;
    if (option == "accumulation") {
      options.accumulation.reset();
      if (*value != '\0') options.accumulation = golden::corpus::accumulation_of(value);
    } else if (option == "formula") {
      options.formula =
          *value == '\0' ? golden::gate::Formula::two_pass : golden::gate::formula_of(value);
    } else if (option == "outputs") {
      std::vector<std::string> outputs = split_at_commas(value);
      golden::gate::check_outputs_known(cases, outputs);
      options.outputs = std::move(outputs);
    } else {
      throw UsageError(unknown_name("option", name, {"accumulation", "formula", "outputs"}));
    }
  }

  void select(std::size_t which, normproof_case* out) {
    require(out != nullptr, "normproof_select", "out is null; expected a normproof_case");
    require(which < cases.size(), "normproof_select",
            fmt::format("index is {}; expected less than {}", which, cases.size()));
    selected.reset();
    answer.clear();
    selected.emplace(golden::certify::read_case(folder, cases[which]));
    index = which;
    *out = selected->view();
  }

  const Selected& current(const char* function) const {
    require(selected.has_value(), function, "no case is selected; expected normproof_select first");
    return *selected;
  }

  const char* option(const char* name) const {
    const Selected& c = current("normproof_option");
    require(name != nullptr, "normproof_option", "the name is null; expected a text");
    std::vector<std::string> known;
    for (const auto& [own, value] : c.options) {
      if (own == name) return value.c_str();
      known.push_back(own);
    }
    throw UsageError(unknown_name("option", name, known));
  }

  void add(const char* name, std::int32_t dtype, std::int32_t rank, const std::int64_t* shape,
           const void* data) {
    const char* const self = "normproof_answer";
    const Selected& c = current(self);
    require(name != nullptr, self, "the name is null; expected that of an output");
    require(dtype >= 0 && static_cast<std::size_t>(dtype) < std::size(kDTypes), self,
            fmt::format("{} has the dtype {}; expected NORMPROOF_FLOAT64 to NORMPROOF_BOOLEAN",
                        name, dtype));
    require(rank >= 0 && rank <= kMostAxes, self,
            fmt::format("{} has the rank {}; expected 0 to {}", name, rank, kMostAxes));
    require(rank == 0 || shape != nullptr, self,
            fmt::format("{} has the rank {} and no shape; expected as many extents as the rank",
                        name, rank));
    io::StoredTensor tensor{name, kDTypes[dtype], {}, {}};
    for (const std::int64_t extent : std::span(shape, static_cast<std::size_t>(rank))) {
      require(extent >= 0, self,
              fmt::format("{} has the extent {}; expected 0 or more", name, extent));
      tensor.shape.push_back(static_cast<std::size_t>(extent));
    }
    const std::optional<std::size_t> bytes = io::byte_size(tensor.dtype, tensor.shape);
    require(bytes.has_value(), self,
            fmt::format("{} has too large a shape; expected a size that fits in 63 bits", name));
    require(data != nullptr || *bytes == 0, self,
            fmt::format("the data of {} is null; expected its elements", name));
    require(golden::corpus::find(answer, name) == nullptr, self,
            fmt::format("{} is there already; expected every output once", name));
    const io::StoredTensor* const expected = golden::corpus::find(c.stored.expected, name);
    if (expected != nullptr && expected->shape == tensor.shape) {
      const auto* const begin = static_cast<const std::byte*>(data);
      tensor.bytes.assign(begin, begin + *bytes);
    }
    answer.push_back(std::move(tensor));
  }

  void judge(normproof_verdict* out) {
    const Selected& c = current("normproof_judge");
    require(out != nullptr, "normproof_judge", "out is null; expected a normproof_verdict");
    const golden::gate::CaseResult result =
        golden::gate::check_and_diagnose(c.stored, answer, options);
    verdict = sentence_of(result);
    answer.clear();
    outcomes[index] = result.passed() ? Outcome::passed : Outcome::failed;
    *out = {result.passed() ? 1 : 0, ratio_of(result), verdict.c_str()};
  }

  void totals(std::size_t* judged_cases, std::size_t* passed) const {
    require(judged_cases != nullptr && passed != nullptr, "normproof_totals",
            "judged or passed is null; expected a size_t");
    *passed = static_cast<std::size_t>(std::ranges::count(outcomes, Outcome::passed));
    *judged_cases =
        *passed + static_cast<std::size_t>(std::ranges::count(outcomes, Outcome::failed));
  }
};

namespace {

std::int32_t complain(normproof_corpus& corpus, std::int32_t status,
                      const char* sentence) noexcept {
  try {
    corpus.error_text = sentence;
    corpus.error = corpus.error_text.c_str();
  } catch (...) {
    corpus.error = kNoMemory;
  }
  return status;
}

/// No exception leaves a function of C.
template <class F>
std::int32_t guarded(normproof_corpus* corpus, F&& f) noexcept {
  if (corpus == nullptr) return NORMPROOF_USAGE;
  const OwnMode mode;
  corpus->error = "";
  try {
    f();
    return NORMPROOF_OK;
  } catch (const UsageError& error) {
    return complain(*corpus, NORMPROOF_USAGE, error.what());
  } catch (const FileError& error) {
    return complain(*corpus, NORMPROOF_FILE, error.what());
  } catch (const std::bad_alloc&) {
    return complain(*corpus, NORMPROOF_FAILED, kNoMemory);
  } catch (const std::exception& error) {
    return complain(*corpus, NORMPROOF_FAILED, error.what());
  } catch (...) {
    return complain(*corpus, NORMPROOF_FAILED, "normproof: an unknown error");
  }
}

}  // namespace

std::int32_t normproof_abi_version() {
  return NORMPROOF_ABI_VERSION;
}

std::int32_t normproof_open(const char* folder, const char* glob, normproof_corpus** out) {
  if (out == nullptr) return NORMPROOF_USAGE;
  *out = new (std::nothrow) normproof_corpus;
  if (*out == nullptr) return NORMPROOF_FAILED;
  return guarded(*out, [&] { (*out)->open(folder, glob); });
}

void normproof_close(normproof_corpus* corpus) {
  delete corpus;
}

const char* normproof_error(const normproof_corpus* corpus) {
  return corpus == nullptr ? kNoHandle : corpus->error;
}

std::size_t normproof_case_count(const normproof_corpus* corpus) {
  return corpus == nullptr ? 0 : corpus->cases.size();
}

std::int32_t normproof_set(normproof_corpus* corpus, const char* name, const char* value) {
  return guarded(corpus, [&] { corpus->set(name, value); });
}

std::int32_t normproof_select(normproof_corpus* corpus, std::size_t index, normproof_case* out) {
  return guarded(corpus, [&] { corpus->select(index, out); });
}

const char* normproof_option(normproof_corpus* corpus, const char* name) {
  const char* value = nullptr;
  guarded(corpus, [&] { value = corpus->option(name); });
  return value;
}

std::int32_t normproof_answer(normproof_corpus* corpus, const char* name, std::int32_t dtype,
                              std::int32_t rank, const std::int64_t* shape, const void* data) {
  return guarded(corpus, [&] { corpus->add(name, dtype, rank, shape, data); });
}

std::int32_t normproof_judge(normproof_corpus* corpus, normproof_verdict* out) {
  return guarded(corpus, [&] { corpus->judge(out); });
}

std::int32_t normproof_totals(normproof_corpus* corpus, std::size_t* judged, std::size_t* passed) {
  return guarded(corpus, [&] { corpus->totals(judged, passed); });
}
