#include "ref/model/float32_norm_options.hpp"

#include <string>

namespace normproof::ref::model {

namespace {

void check_format(std::string_view function, std::string_view option, numeric::FloatType type,
                  bool is_known, const char* expected, numeric::Clause clause) {
  if (!is_known)
    numeric::contract_failure(function, option,
                              std::string("is ") + numeric::float_format_info(type).name, expected,
                              clause);
}

}  // namespace

void check_formats(std::string_view function, const Float32NormOptions& options,
                   numeric::Clause clause) {
  constexpr auto kStoredFormatsText = "float32, bfloat16 or float16";
  check_format(function, "storage", options.storage, is_stored_by_float32_norm(options.storage),
               kStoredFormatsText, clause);
  check_format(function, "parameters", options.parameters,
               is_stored_by_float32_norm(options.parameters), kStoredFormatsText, clause);
  check_format(function, "arithmetic", options.arithmetic,
               options.arithmetic == numeric::FloatType::float32 ||
                   options.arithmetic == numeric::FloatType::float64,
               "float32 or float64", clause);
}

}  // namespace normproof::ref::model
