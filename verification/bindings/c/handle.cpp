#include "verification/bindings/c/handle.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "verification/bindings/c/verdict_sentence.hpp"
#include "verification/golden/certify/corpus_version.hpp"
#include "verification/golden/certify/user_case.hpp"
#include "verification/golden/gate/check_cases.hpp"
#include "verification/support/process/processors.hpp"

namespace golden = normproof::verification::golden;
namespace gate = golden::gate;
namespace io = normproof::ref::io;
namespace process = normproof::verification::support::process;
using normproof::ref::numeric::unknown_name;
using normproof::ref::numeric::UsageError;
using normproof::verification::bindings::c::require;
using normproof::verification::bindings::c::tensor_description;
using normproof::verification::bindings::c::TensorDescription;

namespace {

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::size_t parse_count(std::string_view option, const char* value) {
  constexpr std::size_t kMost = 1'000'000'000;
  const std::string_view text = value;
  std::size_t count = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9' || count > kMost)
      throw UsageError(fmt::format("{} is '{}'; expected a whole number", option, text));
    count = 10 * count + static_cast<std::size_t>(digit - '0');
  }
  return text.empty() ? 1 : count;
}

io::StoredTensor copy_tensor(TensorDescription&& tensor_description, const void* data) {
  const auto* const begin = static_cast<const std::byte*>(data);
  tensor_description.tensor.bytes.assign(begin, begin + tensor_description.bytes);
  return std::move(tensor_description.tensor);
}

/// Parses the value of an option that is on ("1") or off ("").
bool parse_switch(const char* option, const char* value) {
  require(*value == '\0' || std::string_view(value) == "1", "normproof_set",
          fmt::format("{} is '{}'; expected '1' or ''", option, value));
  return *value != '\0';
}

}  // namespace

void normproof_corpus::open(const char* place, const char* glob) {
  require(place != nullptr, "normproof_open", "the folder is null; expected a corpus");
  folder_ = golden::certify::corpus_folder(place);
  const std::string only = glob == nullptr ? "*" : glob;
  cases_ = golden::certify::list_corpus(folder_, only, "the glob");
  settings_.corpus = golden::certify::corpus_version(folder_);
  version_ = settings_.corpus->text();
  all_opened_ = only == "*";
}

/// Changes an option that the operation of a case may not have.
/// Throws    UsageError, with the options unchanged, if no open case has it
template <class Change>
void normproof_corpus::change_formulas(Change change) {
  gate::CheckOptions changed = options_;
  change(changed);
  gate::check_options_exist(cases_, changed);
  options_ = std::move(changed);
  bounds_.reset();
}

void normproof_corpus::set(const char* name, const char* value) {
  require(name != nullptr && value != nullptr, "normproof_set",
          "the name or the value is null; expected texts");
  const std::string_view option = name;
  if (option == "accumulation") {
    std::optional<golden::corpus::Accumulation> accumulation;
    if (*value != '\0') accumulation = golden::corpus::parse_accumulation(value);
    options_.accumulation = accumulation;
    bounds_.reset();
  } else if (option == "formula") {
    change_formulas([&](gate::CheckOptions& options) {
      options.formula = *value == '\0' ? golden::tolerance::Formula::two_pass
                                       : golden::tolerance::parse_formula(value);
    });
  } else if (option == "cast_order") {
    change_formulas([&](gate::CheckOptions& options) {
      options.cast_order = *value == '\0' ? golden::tolerance::CastOrder::after_gamma
                                          : golden::tolerance::parse_cast_order(value);
    });
  } else if (option == "loss_dtype") {
    change_formulas([&](gate::CheckOptions& options) {
      options.loss_dtype = *value == '\0' ? golden::tolerance::LossDtype::wide
                                          : golden::tolerance::parse_loss_dtype(value);
    });
  } else if (option == "scale_rounding") {
    change_formulas([&](gate::CheckOptions& options) {
      options.scale_rounding = *value == '\0' ? golden::corpus::ScaleRounding::floor
                                              : golden::corpus::parse_scale_rounding(value);
    });
  } else if (option == "flush_subnormals") {
    options_.flush_subnormals = parse_switch("flush_subnormals", value);
    bounds_.reset();
  } else if (option == "skip_diagnosis") {
    options_.skip_diagnosis = parse_switch("skip_diagnosis", value);
  } else if (option == "outputs") {
    std::vector<std::string> outputs = split_at_commas(value);
    if (!cases_.empty()) gate::check_outputs_exist(cases_, outputs);
    options_.outputs = std::move(outputs);
  } else if (option == "xfail") {
    settings_.xfail = value;
  } else if (option == "strict") {
    settings_.strict = parse_switch("strict", value);
  } else if (option == "min_cases") {
    settings_.min_cases = parse_count("min_cases", value);
  } else if (option == "repro") {
    repro_ = value;
  } else {
    throw UsageError(unknown_name(
        "option", name,
        {"accumulation", "cast_order", "flush_subnormals", "formula", "loss_dtype", "min_cases",
         "outputs", "repro", "scale_rounding", "skip_diagnosis", "strict", "xfail"}));
  }
}

void normproof_corpus::clear_stored_output() {
  answer_.clear();
  refusal_.reset();
}

void normproof_corpus::select(std::shared_ptr<const SelectedCase> chosen) {
  selected_ = std::move(chosen);
  bounds_.reset();
  judged_.reset();
  clear_stored_output();
}

void normproof_corpus::select(std::size_t which, normproof_case* out) {
  require(out != nullptr, "normproof_select", "out is null; expected a normproof_case");
  require(which < cases_.size(), "normproof_select",
          fmt::format("index is {}; expected less than {}", which, cases_.size()));
  select(nullptr);
  const auto own = user_cases_.find(which);
  select(std::make_shared<const SelectedCase>(
      own != user_cases_.end() ? own->second
                               : std::make_shared<const StoredCase>(
                                     golden::certify::read_case(folder_, cases_[which]))));
  index_ = which;
  *out = selected_->view();
}

const normproof_corpus::SelectedCase& normproof_corpus::require_selected_case(
    const char* function) const {
  require(selected_ != nullptr, function, "no case is selected; expected normproof_select first");
  return *selected_;
}

const char* normproof_corpus::option(const char* name) const {
  const SelectedCase& c = require_selected_case("normproof_option");
  require(name != nullptr, "normproof_option", "the name is null; expected a text");
  std::vector<std::string> known;
  for (const auto& [own, value] : c.options()) {
    if (own == name) return value.c_str();
    known.push_back(own);
  }
  throw UsageError(unknown_name("option", name, known));
}

void normproof_corpus::add(const char* name, std::int32_t dtype, std::int32_t rank,
                           const std::int64_t* shape, const void* data) {
  const char* const self = "normproof_answer";
  const SelectedCase& c = require_selected_case(self);
  require(name != nullptr, self, "the name is null; expected that of an output");
  TensorDescription given = tensor_description(self, name, dtype, rank, shape, data);
  require(golden::corpus::find(answer_, name) == nullptr, self,
          fmt::format("{} is there already; expected every output once", name));
  const io::StoredTensor* const expected = golden::corpus::find(c.stored().expected, name);
  const bool is_read = expected != nullptr && expected->shape == given.tensor.shape;
  answer_.push_back(is_read ? copy_tensor(std::move(given), data) : std::move(given.tensor));
}

void normproof_corpus::refuse(const char* function, bool declined, const char* reason) {
  require_selected_case(function);
  require(reason != nullptr, function, "the reason is null; expected a sentence");
  clear_stored_output();
  refusal_ = Refusal{declined, reason};
}

const golden::tolerance::Tolerance& normproof_corpus::bounds() {
  if (!bounds_)
    bounds_ = gate::tolerance_for_options(selected_->stored(), options_,
                                          {.threads = threads_, .progress = block_progress()});
  return *bounds_;
}

void normproof_corpus::judge(normproof_verdict* out) {
  const StoredCase& stored = require_selected_case("normproof_judge").stored();
  require(out != nullptr, "normproof_judge", "out is null; expected a normproof_verdict");
  if (results_.contains(index_)) history_.forget_from(index_);
  gate::CaseResult result =
      refusal_
          ? gate::CaseResult{.description =
                                 golden::certify::copy_without_inputs(stored.description),
                             .problem = refusal_->reason,
                             .declined = refusal_->declined}
          : gate::check_and_diagnose(stored, answer_, options_, bounds(),
                                     gate::earlier_cases(history_, stored.description.c, index_));
  verdict_ = normproof::verification::bindings::c::verdict_sentence(result);
  *out = {result.passed() ? 1 : 0, normproof::verification::bindings::c::largest_ratio(result),
          verdict_.c_str()};
  results_.insert_or_assign(index_, std::move(result));
  judged_index_ = index_;
  judged_ = refusal_ ? std::vector<io::StoredTensor>() : std::move(answer_);
  clear_stored_output();
}

void normproof_corpus::totals(std::size_t* judged_cases, std::size_t* passed) const {
  require(judged_cases != nullptr && passed != nullptr, "normproof_totals",
          "judged or passed is null; expected a size_t");
  *judged_cases = results_.size();
  *passed = static_cast<std::size_t>(
      std::ranges::count_if(results_, [](const auto& entry) { return entry.second.passed(); }));
}

const normproof_corpus::CaseDescription& normproof_corpus::at(const char* function,
                                                              std::size_t index) const {
  require(index < cases_.size(), function,
          fmt::format("index is {}; expected less than {}", index, cases_.size()));
  return cases_[index];
}

const char* normproof_corpus::path_at(std::size_t index) const {
  return at("normproof_case_path", index).path.c_str();
}

const char* normproof_corpus::json_at(std::size_t index) const {
  return at("normproof_case_json", index).case_text.c_str();
}

void normproof_corpus::expect(std::size_t* count, const normproof_expected** out) {
  const StoredCase& stored = require_selected_case("normproof_expect").stored();
  require(count != nullptr && out != nullptr, "normproof_expect",
          "count or out is null; expected where to write");
  expected_ = std::make_unique<normproof::verification::bindings::c::ExpectedValues>(
      stored, options_, bounds());
  *count = expected_->outputs().size();
  *out = expected_->outputs().data();
}

void normproof_corpus::watch(normproof_progress progress, void* user) {
  watch_ = progress;
  watch_user_ = user;
}

golden::certify::Progress normproof_corpus::block_progress() const {
  if (watch_ == nullptr) return {};
  return [this](std::size_t done, std::size_t of) {
    const std::int32_t stop =
        mode->call_in_caller_mode([&] { return watch_(watch_user_, "", done, of); });
    if (stop != 0) throw std::runtime_error("normproof_watch: progress stopped it");
  };
}

void normproof_corpus::certify_rows(const char* name, const char* op, const char* mode_name,
                                    const char* options_json, std::size_t input_count,
                                    const normproof_tensor* inputs, std::size_t row_count,
                                    const std::int64_t* rows, std::int32_t threads,
                                    std::size_t* out) {
  require(rows != nullptr || row_count == 0, "normproof_certify_rows",
          "rows is null; expected numbers of rows");
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < row_count; ++i) {
    require(rows[i] >= 0, "normproof_certify_rows",
            fmt::format("rows[{}] is {}; expected 0 or more", i, rows[i]));
    chosen.push_back(static_cast<std::size_t>(rows[i]));
  }
  certify(name, op, mode_name, options_json, 0, input_count, inputs, threads, out, &chosen);
}

void normproof_corpus::certify(const char* name, const char* op, const char* mode_name,
                               const char* options_json, std::int32_t is_sequence,
                               std::size_t input_count, const normproof_tensor* inputs,
                               std::int32_t threads, std::size_t* out,
                               const std::vector<std::size_t>* rows) {
  const char* const self = rows == nullptr ? "normproof_certify" : "normproof_certify_rows";
  require(name != nullptr && op != nullptr && mode_name != nullptr && out != nullptr, self,
          "name, op, mode or index is null; expected all of them");
  require(inputs != nullptr || input_count == 0, self, "inputs is null; expected tensors");
  require(threads >= 0, self, fmt::format("threads is {}; expected 0 or more", threads));
  golden::certify::UserCase question{
      .name = name,
      .op = op,
      .mode = mode_name,
      .options = golden::certify::parse_user_options(options_json == nullptr ? "" : options_json),
      .sequence = is_sequence != 0,
      .inputs = {}};
  for (std::size_t i = 0; i < input_count; ++i) {
    const normproof_tensor& input = inputs[i];
    require(input.name != nullptr, self, fmt::format("the input {} has no name", i));
    TensorDescription given =
        tensor_description(self, input.name, input.dtype, input.rank, input.shape, input.data);
    require(given.bytes == input.bytes, self,
            fmt::format("{} has {} bytes; expected {}, as its shape and dtype say", input.name,
                        input.bytes, given.bytes));
    question.inputs.push_back(copy_tensor(std::move(given), input.data));
  }
  constexpr int kMaxThreads = 64;
  threads_ = std::min(threads == 0 ? process::usable_processors() : threads, kMaxThreads);
  golden::corpus::Case c = golden::certify::make_user_case(std::move(question), threads_);
  // The user may supply a case of the corpus again, without one of its parameters. Then the new
  // case keeps the text `why` of the original case.
  for (const CaseDescription& known : cases_)
    if (golden::corpus::case_operation_name(known.c) == op && known.c.reason == name)
      c.why = known.c.why;
  const auto check_path = [&](const std::string& path) {
    require(std::ranges::find(cases_, path, &CaseDescription::path) == cases_.end(), self,
            fmt::format("{} is there already; expected another name", path));
  };
  if (rows == nullptr) check_path(case_folder(c));
  StoredCase certified =
      rows == nullptr
          ? golden::certify::certify_user_case(std::move(c), threads_, block_progress())
          : golden::certify::certify_rows(std::move(c), *rows, threads_, block_progress());
  check_path(certified.description.path);
  CaseDescription description = golden::certify::copy_without_inputs(certified.description);
  auto stored = std::make_shared<const StoredCase>(std::move(certified));
  *out = cases_.size();
  user_cases_.emplace(cases_.size(), std::move(stored));
  cases_.push_back(std::move(description));
  all_opened_ = false;
}
