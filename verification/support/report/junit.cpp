#include "verification/support/report/junit.hpp"

#include <pugixml.hpp>
#include <sstream>

#include "verification/support/report/text.hpp"

namespace normproof::verification::support::report {

namespace {

constexpr const char* kXmlDeclaration[][2] = {{"version", "1.0"}, {"encoding", "UTF-8"}};

void append(pugi::xml_node node, const char* attribute, const std::string& value) {
  node.append_attribute(attribute) = clean_line(value).c_str();
}

/// Returns the name of the XML element that states the outcome inside <testcase>.
const char* outcome_element(Outcome outcome) {
  return outcome == Outcome::failed ? "failure" : outcome == Outcome::error ? "error" : "skipped";
}

/// Returns the text of a failure: one finding per line. Returns an empty text if the `message`
/// attribute already says everything.
std::string failure_text(const Check& check) {
  const bool more = check.findings.size() > 1 || !check.remarks.empty() || !check.repro.empty();
  if (!more || check.outcome == Outcome::skipped) return "";
  std::string text;
  for (const Finding& finding : check.findings) text += finding.sentence + "\n";
  for (const std::string& remark : check.remarks) text += remark + "\n";
  if (!check.repro.empty()) text += "repro: " + clean_line(check.repro) + "\n";
  return clean(text);
}

void append_properties(pugi::xml_node node, const CheckSuite& suite) {
  if (suite.properties.empty()) return;
  pugi::xml_node properties = node.append_child("properties");
  for (const auto& [name, value] : suite.properties) {
    pugi::xml_node property = properties.append_child("property");
    append(property, "name", name);
    append(property, "value", value);
  }
}

void append_case(pugi::xml_node suite, const Check& check) {
  pugi::xml_node test = suite.append_child("testcase");
  append(test, "classname", check.group);
  append(test, "name", check.name);
  if (check.outcome == Outcome::passed) return;
  pugi::xml_node element = test.append_child(outcome_element(check.outcome));
  if (!check.findings.empty()) append(element, "message", check.findings.front().sentence);
  if (const std::string text = failure_text(check); !text.empty()) element.text() = text.c_str();
}

}  // namespace

std::string junit(const Checks& checks) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  for (const auto& [name, value] : kXmlDeclaration) declaration.append_attribute(name) = value;
  pugi::xml_node root = document.append_child("testsuites");
  root.append_attribute("name") = "normproof";
  std::size_t tests = 0, failures = 0, errors = 0;
  for (const CheckSuite& suite : checks) {
    const std::size_t failed = count_checks(suite, Outcome::failed),
                      broken = count_checks(suite, Outcome::error);
    pugi::xml_node node = root.append_child("testsuite");
    append(node, "name", suite.name);
    node.append_attribute("tests") = suite.checks.size();
    node.append_attribute("failures") = failed;
    node.append_attribute("errors") = broken;
    node.append_attribute("skipped") = count_checks(suite, Outcome::skipped);
    append_properties(node, suite);
    for (const Check& check : suite.checks) append_case(node, check);
    tests += suite.checks.size();
    failures += failed;
    errors += broken;
  }
  root.append_attribute("tests") = tests;
  root.append_attribute("failures") = failures;
  root.append_attribute("errors") = errors;
  std::ostringstream text;
  document.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
  return text.str();
}

}  // namespace normproof::verification::support::report
