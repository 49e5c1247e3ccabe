#include "verification/bindings/c/normproof.h"

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "ref/model/operation_info.hpp"
#include "ref/model/operation_names.hpp"
#include "ref/numeric/format_names.hpp"
#include "ref/numeric/multiprecision_memory.hpp"
#include "verification/bindings/c/handle.hpp"
#include "verification/golden/certify/corpus_version.hpp"

namespace {

using normproof::ref::numeric::ContractError;
using normproof::ref::numeric::FileError;
using normproof::ref::numeric::UsageError;
using normproof::verification::bindings::c::DefaultFloatingPointMode;

constexpr const char* kNoMemory = "normproof: memory is exhausted";
constexpr const char* kNoHandle = "normproof: the handle is null; expected one of normproof_open";

std::int32_t record_error(normproof_corpus& corpus, std::int32_t status,
                          const char* sentence) noexcept {
  try {
    corpus.error_text = sentence;
    corpus.error = corpus.error_text.c_str();
  } catch (...) {
    corpus.error = kNoMemory;
  }
  return status;
}

/// Calls `f` and converts an exception into a status, since no exception may leave a C function.
template <class F>
std::int32_t call_and_record_error(normproof_corpus* corpus, F&& f) noexcept {
  if (corpus == nullptr) return NORMPROOF_USAGE;
  normproof::ref::numeric::use_multiprecision_reserve();
  const DefaultFloatingPointMode mode;
  const DefaultFloatingPointMode* const outer = std::exchange(corpus->mode, &mode);
  corpus->error = "";
  const std::int32_t status = [&] {
    try {
      f();
      return std::int32_t{NORMPROOF_OK};
    } catch (const UsageError& error) {
      return record_error(*corpus, NORMPROOF_USAGE, error.what());
    } catch (const ContractError& error) {
      return record_error(*corpus, NORMPROOF_USAGE, sentence(error.violation()).c_str());
    } catch (const FileError& error) {
      return record_error(*corpus, NORMPROOF_FILE, error.what());
    } catch (const std::bad_alloc&) {
      return record_error(*corpus, NORMPROOF_FAILED, kNoMemory);
    } catch (const std::exception& error) {
      return record_error(*corpus, NORMPROOF_FAILED, error.what());
    } catch (...) {
      return record_error(*corpus, NORMPROOF_FAILED, "normproof: an unknown error");
    }
  }();
  corpus->mode = outer;
  return status;
}

}  // namespace

std::int32_t normproof_abi_version() {
  return NORMPROOF_ABI_VERSION;
}

std::int32_t normproof_open(const char* folder, const char* glob, normproof_corpus** out) {
  const std::int32_t status = normproof_new(out);
  if (status != NORMPROOF_OK) return status;
  return call_and_record_error(*out, [&] { (*out)->open(folder, glob); });
}

void normproof_close(normproof_corpus* corpus) {
  delete corpus;
}

const char* normproof_error(const normproof_corpus* corpus) {
  return corpus == nullptr ? kNoHandle : corpus->error;
}

std::size_t normproof_case_count(const normproof_corpus* corpus) {
  return corpus == nullptr ? 0 : corpus->count();
}

std::int32_t normproof_set(normproof_corpus* corpus, const char* name, const char* value) {
  return call_and_record_error(corpus, [&] { corpus->set(name, value); });
}

std::int32_t normproof_select(normproof_corpus* corpus, std::size_t index, normproof_case* out) {
  return call_and_record_error(corpus, [&] { corpus->select(index, out); });
}

const char* normproof_option(normproof_corpus* corpus, const char* name) {
  const char* value = nullptr;
  call_and_record_error(corpus, [&] { value = corpus->option(name); });
  return value;
}

std::int32_t normproof_answer(normproof_corpus* corpus, const char* name, std::int32_t dtype,
                              std::int32_t rank, const std::int64_t* shape, const void* data) {
  return call_and_record_error(corpus, [&] { corpus->add(name, dtype, rank, shape, data); });
}

std::int32_t normproof_judge(normproof_corpus* corpus, normproof_verdict* out) {
  return call_and_record_error(corpus, [&] { corpus->judge(out); });
}

std::int32_t normproof_totals(normproof_corpus* corpus, std::size_t* judged, std::size_t* passed) {
  return call_and_record_error(corpus, [&] { corpus->totals(judged, passed); });
}

std::int32_t normproof_abi_minor() {
  return NORMPROOF_ABI_MINOR;
}

const char* normproof_version() {
  return NORMPROOF_VERSION;
}

const char* normproof_corpus_version() {
  try {
    static const std::string text =
        normproof::verification::golden::certify::built_corpus_version().text();
    return text.c_str();
  } catch (...) {
    return "";
  }
}

std::int32_t normproof_new(normproof_corpus** out) {
  if (out == nullptr) return NORMPROOF_USAGE;
  *out = new (std::nothrow) normproof_corpus;
  return *out == nullptr ? NORMPROOF_FAILED : NORMPROOF_OK;
}

const char* normproof_version_of(const normproof_corpus* corpus) {
  return corpus == nullptr ? "" : corpus->version();
}

const char* normproof_case_path(normproof_corpus* corpus, std::size_t index) {
  const char* path = nullptr;
  call_and_record_error(corpus, [&] { path = corpus->path_at(index); });
  return path;
}

const char* normproof_case_json(normproof_corpus* corpus, std::size_t index) {
  const char* text = nullptr;
  call_and_record_error(corpus, [&] { text = corpus->json_at(index); });
  return text;
}

std::int32_t normproof_expect(normproof_corpus* corpus, std::size_t* count,
                              const normproof_expected** out) {
  return call_and_record_error(corpus, [&] { corpus->expect(count, out); });
}

std::int32_t normproof_certify(normproof_corpus* corpus, const char* name, const char* op,
                               const char* mode, const char* options, std::int32_t is_sequence,
                               std::size_t input_count, const normproof_tensor* inputs,
                               std::int32_t threads, std::size_t* index) {
  return call_and_record_error(corpus, [&] {
    corpus->certify(name, op, mode, options, is_sequence, input_count, inputs, threads, index);
  });
}

std::int32_t normproof_watch(normproof_corpus* corpus, normproof_progress progress, void* user) {
  return call_and_record_error(corpus, [&] { corpus->watch(progress, user); });
}

std::int32_t normproof_certify_rows(normproof_corpus* corpus, const char* name, const char* op,
                                    const char* mode, const char* options, std::size_t input_count,
                                    const normproof_tensor* inputs, std::size_t row_count,
                                    const std::int64_t* rows, std::int32_t threads,
                                    std::size_t* index) {
  return call_and_record_error(corpus, [&] {
    corpus->certify_rows(name, op, mode, options, input_count, inputs, row_count, rows, threads,
                         index);
  });
}

std::int32_t normproof_decline(normproof_corpus* corpus, const char* reason) {
  return call_and_record_error(corpus, [&] { corpus->refuse("normproof_decline", true, reason); });
}

std::int32_t normproof_fail(normproof_corpus* corpus, const char* reason) {
  return call_and_record_error(corpus, [&] { corpus->refuse("normproof_fail", false, reason); });
}

std::int32_t normproof_verdict_json(normproof_corpus* corpus, const char** out) {
  return call_and_record_error(corpus, [&] { corpus->verdict_json(out); });
}

std::int32_t normproof_shares(normproof_corpus* corpus, const char* output, std::size_t* count,
                              const double** out) {
  return call_and_record_error(corpus, [&] { corpus->shares(output, count, out); });
}

std::int32_t normproof_report(normproof_corpus* corpus, const char* form, const char** out,
                              std::int32_t* passed) {
  return call_and_record_error(corpus, [&] { corpus->report(form, out, passed); });
}

std::int32_t normproof_relation(normproof_corpus* corpus, const char* relation, normproof_ask ask,
                                void* user, const char** outcome, const char** sentence) {
  return call_and_record_error(corpus,
                               [&] { corpus->relation(relation, ask, user, outcome, sentence); });
}

std::int32_t normproof_make(normproof_corpus* corpus, const char* folder, const char* tiers,
                            const char* glob, std::int32_t jobs, normproof_progress progress,
                            void* user) {
  return call_and_record_error(corpus,
                               [&] { corpus->make(folder, tiers, glob, jobs, progress, user); });
}

std::int32_t normproof_layers(normproof_corpus* corpus, const char** out) {
  return call_and_record_error(corpus, [&] { corpus->layers(out); });
}

const char* normproof_find_name(const char* kind, const char* text) {
  if (kind == nullptr || text == nullptr) return nullptr;
  try {
    if (std::string_view(kind) == "operation") {
      const auto name = normproof::ref::model::find_operation_name(text);
      return name ? normproof::ref::model::operation_info(*name).name.c_str() : nullptr;
    }
    if (std::string_view(kind) == "dtype") {
      const auto type = normproof::ref::numeric::find_float_type(text);
      if (type && is_storage_format(normproof::ref::numeric::float_format_info(*type)))
        return normproof::ref::numeric::float_format_info(*type).name;
    }
  } catch (...) {  // memory is exhausted
  }
  return nullptr;
}
