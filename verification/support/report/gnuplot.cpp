#include "verification/support/report/gnuplot.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <pugixml.hpp>
#include <sstream>
#include <system_error>
#include <vector>

#include "verification/support/process/program.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::support::report {

using support::report::clean_line;
using support::report::cut;

namespace {

/// Returns this process's environment without the variables that influence gnuplot's output.
std::vector<std::string> locale_free_environment() {
  std::vector<std::string> result = {"LC_ALL=C"};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const bool changes_output = text.starts_with("LC_") || text.starts_with("LANG") ||
                                text.starts_with("GNU") || text.starts_with("GDFONT");
    if (!changes_output) result.emplace_back(text);
  }
  return result;
}

void prefix_ids(pugi::xml_node node, const std::string& prefix) {
  for (pugi::xml_attribute attribute : node.attributes()) {
    const std::string_view name = attribute.name();
    const std::string value = attribute.value();
    if (name == "id") {
      attribute = (prefix + value).c_str();
    } else if (name == "xlink:href" && value.starts_with("#")) {
      attribute.set_name("href");
      attribute = ("#" + prefix + value.substr(1)).c_str();
    } else if (value.starts_with("url(#")) {
      attribute = ("url(#" + prefix + value.substr(5)).c_str();
    } else if (name == "font-family") {
      attribute = "sans-serif";
    }
  }
  for (pugi::xml_node child : node.children()) prefix_ids(child, prefix);
}

}  // namespace

Drawing inline_svg(std::string_view svg, std::string_view id, std::string_view label) {
  pugi::xml_document document;
  const auto parsed = document.load_buffer(svg.data(), svg.size());
  pugi::xml_node root = document.child("svg");
  if (!parsed || !root) return {"", "gnuplot wrote no SVG"};
  prefix_ids(root, std::string(id) + "-");
  for (const char* attribute : {"width", "height", "xmlns:xlink"}) root.remove_attribute(attribute);
  for (const char* child : {"title", "desc"}) root.remove_child(child);
  root.prepend_child("title").text() = std::string(label).c_str();
  root.append_attribute("role") = "img";
  std::ostringstream text;
  root.print(text, "", pugi::format_raw | pugi::format_no_declaration);
  return {text.str(), ""};
}

Drawing draw(std::string_view script, std::string_view id, std::string_view label, int width,
             int height) {
  try {
    const std::string head = fmt::format(
        "set encoding utf8\nset terminal svg size {},{} dynamic font 'sans-serif,14' "
        "linewidth 1.2 background '#ffffff'\n",
        width, height);
    const support::process::ProgramResult result = support::process::run_program(
        {"gnuplot", "--default-settings"}, head + std::string(script), locale_free_environment());
    if (!result.ending.succeeded()) {
      return {"", fmt::format("gnuplot failed ({})", clean_line(cut(result.err, 300)))};
    }
    return inline_svg(result.out, id, label);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::no_such_file_or_directory)
      return {"", "gnuplot is not installed"};
    return {"", fmt::format("gnuplot cannot be run ({})", error.code().message())};
  }
}

}  // namespace normproof::verification::support::report
