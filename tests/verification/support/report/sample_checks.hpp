#pragma once

#include "verification/support/report/checks.hpp"

namespace normproof::tests::verification::support::report {

/// Returns checks with every outcome. Some of their texts have characters that XML, JSON or URIs
/// must escape.
inline normproof::verification::support::report::Checks sample_checks() {
  using normproof::verification::support::report::Check;
  using normproof::verification::support::report::Outcome;
  const Check passed = {.group = "g.a", .name = "passes", .repro = "redo --only passes"};
  const Check failed = {.group = "g.a",
                        .name = "fails <&\"'>",
                        .outcome = Outcome::failed,
                        .verdict = "broken",
                        .findings = {{"a/y", "y is\n\x01 2 > 1"}, {"a/x", "x is absent ]]>"}},
                        .remarks = {"as of \xff"},
                        .repro = "redo --only 'fails'",
                        .file = "quick/a b/ü.json",
                        .line = 7,
                        .properties = {{"path", "quick/a"}, {"share", 0.5}}};
  const Check again = {.group = "g.a",
                       .name = "fails again",
                       .outcome = Outcome::failed,
                       .findings = {{"a/y", "y is absent"}}};
  const Check error = {.group = "g.b",
                       .name = "threw",
                       .outcome = Outcome::error,
                       .findings = {{"b/threw", "no memory"}}};
  const Check skipped = {.group = "g.b",
                         .name = "declined",
                         .outcome = Outcome::skipped,
                         .findings = {{"b/declined", "it is not offered"}}};
  const Check listed = {.group = "g.b",
                        .name = "listed",
                        .outcome = Outcome::skipped,
                        .verdict = "xfail",
                        .findings = {{"", "failed, as listed"}}};
  return {{"g", {passed, failed, again}}, {"h", {error, skipped, listed}}, {"empty", {}}};
}

}  // namespace normproof::tests::verification::support::report
