#include "verification/cli/tools/repeated_settings.hpp"

#include <fmt/format.h>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::cli::tools {

void check_no_repeats(const Settings& settings) {
  for (auto setting = settings.begin(); setting != settings.end(); ++setting)
    for (auto before = settings.begin(); before != setting; ++before)
      if (before->first == setting->first)
        throw ref::numeric::UsageError(
            fmt::format("--set {} is given twice; expected once", setting->first));
}

}  // namespace normproof::verification::cli::tools
