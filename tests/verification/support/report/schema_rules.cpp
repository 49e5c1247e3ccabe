#include "tests/verification/support/report/schema_rules.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>

namespace normproof::tests::verification::support::report {

namespace {

using nlohmann::json;
using Names = std::set<std::string>;
using Sentences = std::vector<std::string>;

struct ElementRule {
  Names required, optional, children;
};

const std::map<std::string, ElementRule>& junit_rules() {
  static const Names problem = {"type", "message"};
  static const std::map<std::string, ElementRule> rules = {
      {"testsuites", {{}, {"name", "time", "tests", "failures", "errors"}, {"testsuite"}}},
      {"testsuite",
       {{"name", "tests", "failures", "errors"},
        {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url",
         "version"},
        {"testsuite", "properties", "testcase", "system-out", "system-err"}}},
      {"testcase",
       {{"name"},
        {"time", "classname", "group"},
        {"skipped", "error", "failure", "rerunFailure", "rerunError", "flakyFailure", "flakyError",
         "system-out", "system-err"}}},
      {"properties", {{}, {}, {"property"}}},
      {"property", {{"name", "value"}, {}, {}}},
      {"failure", {{}, problem, {}}},
      {"error", {{}, problem, {}}},
      {"skipped", {{}, problem, {}}}};
  return rules;
}

void check_element(const pugi::xml_node& node, Sentences& found) {
  const std::string name = node.name();
  const auto rule = junit_rules().find(name);
  if (rule == junit_rules().end()) {
    found.push_back("<" + name + "> is unknown");
    return;
  }
  for (const std::string& required : rule->second.required)
    if (!node.attribute(required.c_str())) found.push_back("<" + name + "> has no " + required);
  Names seen;
  for (const pugi::xml_attribute& attribute : node.attributes()) {
    const std::string own = attribute.name();
    if (!rule->second.required.contains(own) && !rule->second.optional.contains(own))
      found.push_back("<" + name + "> has the attribute " + own);
    if (!seen.insert(own).second) found.push_back("<" + name + "> has two " + own);
  }
  const bool mixed = rule->second.children.empty();
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() == pugi::node_element) {
      if (!rule->second.children.contains(child.name()))
        found.push_back("<" + name + "> holds <" + child.name() + ">");
      else
        check_element(child, found);
    } else if (!mixed && std::string(child.value()).find_first_not_of(" \n") != std::string::npos) {
      found.push_back("<" + name + "> holds text");
    }
  }
}

void check_counts(const pugi::xml_node& suite, Sentences& found) {
  std::map<std::string, int> counts = {
      {"tests", 0}, {"failures", 0}, {"errors", 0}, {"skipped", 0}};
  for (const pugi::xml_node& test : suite.children("testcase")) {
    ++counts["tests"];
    counts["failures"] += test.child("failure") ? 1 : 0;
    counts["errors"] += test.child("error") ? 1 : 0;
    counts["skipped"] += test.child("skipped") ? 1 : 0;
  }
  for (const auto& [name, count] : counts)
    if (suite.attribute(name.c_str()).as_int(-1) != count)
      found.push_back("a suite says " + name + "=" + suite.attribute(name.c_str()).value() +
                      " and has " + std::to_string(count));
}

struct Property {
  const char* type;    ///< name of the JSON type, as json::type_name() returns it
  const char* object;  ///< the object type of the value or of its elements; "" for plain values
  bool required = false;
};

using ObjectRule = std::map<std::string, Property>;

/// The types of SARIF objects in our files, and the properties that we use of each type.
const std::map<std::string, ObjectRule>& sarif_rules() {
  static const std::map<std::string, ObjectRule> rules = {
      {"log",
       {{"$schema", {"string", ""}},
        {"version", {"string", "", true}},
        {"runs", {"array", "run", true}}}},
      {"run",
       {{"tool", {"object", "tool", true}},
        {"results", {"array", "result"}},
        {"properties", {"object", ""}}}},
      {"tool", {{"driver", {"object", "component", true}}}},
      {"component",
       {{"name", {"string", "", true}},
        {"version", {"string", ""}},
        {"rules", {"array", "descriptor"}}}},
      {"descriptor",
       {{"id", {"string", "", true}},
        {"name", {"string", ""}},
        {"shortDescription", {"object", "message"}}}},
      {"result",
       {{"ruleId", {"string", ""}},
        {"ruleIndex", {"number", ""}},
        {"kind", {"string", ""}},
        {"level", {"string", ""}},
        {"message", {"object", "message", true}},
        {"locations", {"array", "location"}}}},
      {"message", {{"text", {"string", "", true}}}},
      {"location", {{"physicalLocation", {"object", "place"}}}},
      {"place",
       {{"artifactLocation", {"object", "artifact", true}}, {"region", {"object", "region"}}}},
      {"artifact", {{"uri", {"string", "", true}}}},
      {"region", {{"startLine", {"number", "", true}}}}};
  return rules;
}

void check_object(const json& object, const std::string& name, Sentences& found) {
  const ObjectRule& rule = sarif_rules().at(name);
  if (!object.is_object()) {
    found.push_back(name + " is no object");
    return;
  }
  for (const auto& [key, property] : rule)
    if (property.required && !object.contains(key)) found.push_back(name + " has no " + key);
  for (const auto& [key, value] : object.items()) {
    const auto property = rule.find(key);
    if (property == rule.end() || std::string(value.type_name()) != property->second.type) {
      found.push_back(name + "." + key + " is unknown, or is " + value.type_name());
      continue;
    }
    const std::string inner = property->second.object;
    if (inner.empty()) continue;
    if (!value.is_array())
      check_object(value, inner, found);
    else
      for (const json& element : value) check_object(element, inner, found);
  }
}

void check_result(const json& result, const json& rules, Sentences& found) {
  static const Names kinds = {"notApplicable", "pass", "fail", "review", "open", "informational"};
  static const Names levels = {"none", "note", "warning", "error"};
  if (!kinds.contains(result.value("kind", "fail"))) found.push_back("a result's kind");
  if (!levels.contains(result.value("level", "warning"))) found.push_back("a result's level");
  if (result.value("kind", "fail") != "fail" && result.value("level", "") != "none")
    found.push_back("a result that is no failure has a level");
  if (result["message"].value("text", "").empty()) found.push_back("a result has no text");
  const std::size_t index = result.value("ruleIndex", std::size_t{0});
  if (index >= rules.size() || rules[index]["id"] != result.value("ruleId", ""))
    found.push_back("ruleIndex " + std::to_string(index) + " is not that of ruleId");
  for (const json& location : result.value("locations", json::array())) {
    const json& place = location["physicalLocation"];
    const std::string uri = place["artifactLocation"].value("uri", "");
    if (uri.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "-._~:/?#[]@!$&'()*+,;=%") != std::string::npos)
      found.push_back("uri is '" + uri + "'");
    if (place.contains("region") && place["region"].value("startLine", 0) < 1)
      found.push_back("startLine is below 1");
  }
}

}  // namespace

std::vector<std::string> junit_violations(const std::string& text) {
  pugi::xml_document document;
  if (const auto parsed = document.load_string(text.c_str()); !parsed)
    return {std::string("no XML: ") + parsed.description()};
  Sentences found;
  if (std::string(document.document_element().name()) != "testsuites")
    found.push_back("the root is no <testsuites>");
  check_element(document.document_element(), found);
  for (const pugi::xml_node& suite : document.document_element().children("testsuite"))
    check_counts(suite, found);
  return found;
}

std::vector<std::string> sarif_violations(const std::string& text) {
  const json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) return {"no JSON"};
  Sentences found;
  check_object(document, "log", found);
  if (!found.empty()) return found;
  if (document["version"] != "2.1.0") found.push_back("version is not 2.1.0");
  for (const json& run : document["runs"]) {
    const json rules = run["tool"]["driver"].value("rules", json::array());
    if (std::set<json>(rules.begin(), rules.end()).size() != rules.size())
      found.push_back("a rule is there twice");
    for (const json& result : run.value("results", json::array()))
      check_result(result, rules, found);
  }
  return found;
}

}  // namespace normproof::tests::verification::support::report
