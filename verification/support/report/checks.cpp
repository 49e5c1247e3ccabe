#include "verification/support/report/checks.hpp"

#include <algorithm>

namespace normproof::verification::support::report {

const char* to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed:
      return "passed";
    case Outcome::failed:
      return "failed";
    case Outcome::error:
      return "error";
    case Outcome::skipped:
      return "skipped";
  }
  return "";
}

std::size_t count_checks(const CheckSuite& suite, Outcome outcome) {
  return static_cast<std::size_t>(std::ranges::count(suite.checks, outcome, &Check::outcome));
}

}  // namespace normproof::verification::support::report
