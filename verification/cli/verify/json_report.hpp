#pragma once

#include <string>

#include "verification/cli/verify/report.hpp"

namespace normproof::verification::cli::verify {

/// The whole report as JSON, with the keys of docs/guide/formats.md in their order, indented by 2.
/// Numbers in shortest form that reads back to the same bits; a `worst` that is not finite is the
/// string "inf" or "nan".
std::string json_report(const Report& report);

}  // namespace normproof::verification::cli::verify
