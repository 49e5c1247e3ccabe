#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "verification/bindings/c/boundary.hpp"
#include "verification/bindings/c/selected_case.hpp"
#include "verification/golden/candidate/candidate.hpp"
#include "verification/golden/gate/refuted_mutations.hpp"
#include "verification/golden/reports/golden_report.hpp"

/// The implementation of the handle of normproof.h. It has one method per function of that header.
/// The methods report errors by exceptions.
struct normproof_corpus {
  void open(const char* place, const char* glob);
  void set(const char* name, const char* value);
  void select(std::size_t which, normproof_case* out);
  const char* option(const char* name) const;
  void add(const char* name, std::int32_t dtype, std::int32_t rank, const std::int64_t* shape,
           const void* data);
  void refuse(const char* function, bool declined, const char* reason);
  void judge(normproof_verdict* out);
  void totals(std::size_t* judged, std::size_t* passed) const;

  const char* path_at(std::size_t index) const;
  const char* json_at(std::size_t index) const;
  void expect(std::size_t* count, const normproof_expected** out);
  void certify(const char* name, const char* op, const char* mode, const char* options_json,
               std::int32_t is_sequence, std::size_t input_count, const normproof_tensor* inputs,
               std::int32_t threads, std::size_t* out,
               const std::vector<std::size_t>* rows = nullptr);
  void watch(normproof_progress progress, void* user);
  void certify_rows(const char* name, const char* op, const char* mode, const char* options_json,
                    std::size_t input_count, const normproof_tensor* inputs, std::size_t row_count,
                    const std::int64_t* rows, std::int32_t threads, std::size_t* out);
  void verdict_json(const char** out);
  void shares(const char* output, std::size_t* count, const double** out);
  void report(const char* form, const char** out, std::int32_t* passed);
  void relation(const char* name, normproof_ask ask, void* user, const char** outcome,
                const char** sentence);
  void make(const char* place, const char* tiers, const char* glob, std::int32_t jobs,
            normproof_progress progress, void* user);
  void layers(const char** out);

  std::size_t count() const { return cases_.size(); }
  const char* version() const { return version_.c_str(); }

  const char* error = "";  ///< the message: error_text, or a literal if memory is exhausted
  std::string error_text = {};
  /// The object that restores the caller's floating-point mode at the end of a call. Null outside a
  /// call.
  const normproof::verification::bindings::c::DefaultFloatingPointMode* mode = nullptr;

 private:
  using CaseDescription = normproof::verification::golden::certify::CaseDescription;
  using StoredCase = normproof::verification::golden::certify::StoredCase;
  using StoredTensor = normproof::ref::io::StoredTensor;
  using SelectedCase = normproof::verification::bindings::c::SelectedCase;

  /// The reason why the candidate did not compute the selected case: it declined the case or
  /// failed.
  struct Refusal {
    bool declined;
    std::string reason;
  };

  const SelectedCase& require_selected_case(const char* function) const;
  const CaseDescription& at(const char* function, std::size_t index) const;
  void select(std::shared_ptr<const SelectedCase> chosen);
  template <class Change>
  void change_formulas(Change change);
  void clear_stored_output();
  /// Returns the tolerance of the selected case. It is computed at the first call.
  const normproof::verification::golden::tolerance::Tolerance& bounds();
  /// Returns a function that calls the one of `watch`, or an empty function if there is none.
  normproof::verification::golden::certify::Progress block_progress() const;
  normproof::verification::golden::candidate::CandidateOutput ask_candidate(
      const StoredCase& variant, normproof_ask ask, void* user);
  normproof::verification::golden::reports::ReportSettings report_settings() const;
  normproof::verification::golden::reports::GoldenReport full_report() const;

  std::filesystem::path folder_ = {};
  std::string version_ = {};
  bool all_opened_ = false;  ///< whether the glob "*" selected every case
  std::vector<CaseDescription> cases_ = {};
  /// User-supplied cases; the key is the index of the case.
  std::map<std::size_t, std::shared_ptr<const StoredCase>> user_cases_ = {};
  normproof::verification::golden::gate::CheckOptions options_ = {.maps = true};
  normproof::verification::golden::gate::SearchHistory history_ = {};
  normproof::verification::golden::reports::ReportSettings settings_ = {};
  std::string repro_ = {};  ///< command that repeats a check; may contain {path}
  std::map<std::size_t, normproof::verification::golden::gate::CaseResult> results_ = {};

  normproof_progress watch_ = nullptr;
  void* watch_user_ = nullptr;
  /// The number of threads of the last certification, which derive bounds too.
  int threads_ = 1;

  std::shared_ptr<const SelectedCase> selected_ = {};
  std::size_t index_ = 0;  ///< index of the selected case
  std::optional<normproof::verification::golden::tolerance::Tolerance> bounds_ = {};
  std::vector<StoredTensor> answer_ = {};
  std::optional<Refusal> refusal_ = {};
  /// The candidate's outputs that the last verdict judged.
  std::optional<std::vector<StoredTensor>> judged_ = {};
  std::optional<std::size_t> judged_index_ = {};

  // The storage of the texts that functions returned to the caller.
  std::string verdict_ = {}, json_ = {}, report_ = {}, layers_ = {}, outcome_ = {}, sentence_ = {};
  std::unique_ptr<normproof::verification::bindings::c::ExpectedValues> expected_ = {};
  std::vector<double> shares_ = {};
};
