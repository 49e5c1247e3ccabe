#include "verification/cli/junit_report.hpp"

#include <fmt/format.h>

#include <pugixml.hpp>
#include <sstream>

#include "verification/cli/text.hpp"

namespace normproof::verification::cli {
namespace {

class Suite {
 public:
  Suite(pugi::xml_node root, const char* name) : node_(root.append_child("testsuite")) {
    node_.append_attribute("name") = name;
    for (const char* count : {"tests", "failures", "errors", "skipped"})
      node_.append_attribute(count) = 0;
  }

  pugi::xml_node add_case(const std::string& name) {
    count("tests");
    pugi::xml_node test = node_.append_child("testcase");
    test.append_attribute("classname") = node_.attribute("name").value();
    test.append_attribute("name") = name.c_str();
    return test;
  }

  void add_problem(pugi::xml_node test, const char* kind, const std::string& message,
                   const std::string& text) {
    count(std::string_view(kind) == "error" ? "errors" : "failures");
    pugi::xml_node problem = test.append_child(kind);
    problem.append_attribute("message") = message.c_str();
    problem.text() = text.c_str();
  }

 private:
  void count(const char* attribute) {
    node_.attribute(attribute) = node_.attribute(attribute).as_int() + 1;
  }

  pugi::xml_node node_;
};

void add_claims(pugi::xml_node root, const Report& report) {
  Suite suite(root, "normproof.claims");
  for (const ReportedClaim& claim : report.claims) {
    const pugi::xml_node test = suite.add_case(fmt::format("{} {}", claim.id, claim.title));
    if (claim.as_expected) continue;
    suite.add_problem(
        test, claim.failure.empty() ? "failure" : "error", verdict_text(claim),
        fmt::format("{}\nexpected: {}\n{}\nseed {}, {} of {} violate it, worst {} ({})",
                    claim.statement, claim.expected_to_hold ? "holds" : "refuted",
                    fmt::join(reasons(claim), "\n"), claim.seed, claim.violations,
                    plural(claim.cases, "case"), number_text(claim.worst), claim.worst_meaning));
  }
}

void add_statistics(pugi::xml_node root, const Report& report) {
  Suite suite(root, "normproof.statistics");
  for (const auto& followed : report.statistics.followed) {
    if (!followed.scenario.decides) continue;
    const pugi::xml_node test = suite.add_case(followed.scenario.name + " is stable");
    const auto& stability = followed.stability;
    if (stability.stability != statistics::Stability::error) continue;
    suite.add_problem(test, "failure", "unstable",
                      fmt::format("(1 - alpha) Gamma is 2 or more twice running, at step {}; its "
                                  "largest value is {}",
                                  stability.first_error, number_text(stability.max_theta)));
  }
  const pugi::xml_node test = suite.add_case("masked padding is inert");
  if (!report.statistics.padding_is_inert) {
    suite.add_problem(test, "failure", "padding leaks",
                      "masked PowerNorm statistics depend on the [PAD] embedding");
  }
}

}  // namespace

std::string junit_report(const Report& report) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node root = document.append_child("testsuites");
  root.append_attribute("name") = "normproof";
  add_claims(root, report);
  add_statistics(root, report);
  std::ostringstream text;
  document.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
  return text.str();
}

}  // namespace normproof::verification::cli
