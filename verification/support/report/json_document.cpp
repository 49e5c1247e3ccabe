#include "verification/support/report/json_document.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "verification/support/report/text.hpp"

namespace normproof::verification::support::report {

namespace {

using nlohmann::ordered_json;

const char* tone_name(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return "plain";
    case Tone::soft:
      return "soft";
    case Tone::good:
      return "good";
    case Tone::expected:
      return "expected";
    case Tone::mixed:
      return "mixed";
    case Tone::bad:
      return "bad";
  }
  return "";
}

/// Converts a part of the document to JSON and appends it to an array.
class JsonParts {
 public:
  void operator()(const Heading& heading) {
    add({{"heading", clean(heading.text)}, {"level", heading.level}});
  }
  void operator()(const Paragraph& paragraph) {
    ordered_json part = {{"paragraph", clean(paragraph.text)}};
    if (paragraph.tone != Tone::plain) part["tone"] = tone_name(paragraph.tone);
    add(std::move(part));
  }
  void operator()(const List& list) { add({{"list", clean_texts(list.items)}}); }
  void operator()(const Code& code) { add({{"code", clean(code.text)}}); }
  void operator()(const Problem& problem) {
    (*this)(Paragraph{fmt::format("{} {}", problem.verdict, problem.subject), Tone::bad});
    if (!problem.sentences.empty()) (*this)(List{problem.sentences});
    if (!problem.repro.empty()) (*this)(Code{problem.repro});
  }
  void operator()(const Table& table) {
    ordered_json part = {{"table", clean(table.caption)},
                         {"columns", ordered_json::array()},
                         {"rows", ordered_json::array()}};
    if (table.folded) part["folded"] = true;
    for (const Column& column : table.columns)
      part["columns"].push_back({{"name", clean(column.name)},
                                 {"align", column.align == Align::right ? "right" : "left"}});
    for (const Row& row : table.rows) part["rows"].push_back(row_json(row, table.columns.size()));
    add(std::move(part));
  }
  void operator()(const Figure& figure) {
    if (!figure.caption.empty()) (*this)(Paragraph{figure.caption, Tone::soft});
  }

  ordered_json json() && { return std::move(parts_); }

 private:
  void add(ordered_json part) { parts_.push_back(std::move(part)); }

  static ordered_json clean_texts(const std::vector<std::string>& texts) {
    ordered_json cleaned = ordered_json::array();
    for (const std::string& text : texts) cleaned.push_back(clean(text));
    return cleaned;
  }

  /// Returns a row as JSON, filled up to one cell per column.
  static ordered_json row_json(const Row& row, std::size_t columns) {
    std::vector<std::string> cells(columns);
    for (std::size_t i = 0; i < columns && i < row.cells.size(); ++i) cells[i] = row.cells[i].text;
    ordered_json json = {{"cells", clean_texts(cells)}};
    if (row.tone != Tone::plain) json["tone"] = tone_name(row.tone);
    if (!row.notes.empty()) json["notes"] = clean_texts(row.notes);
    return json;
  }

  ordered_json parts_ = ordered_json::array();
};

}  // namespace

std::string json_document(const Document& document) {
  JsonParts parts;
  for (const Part& part : document.parts) std::visit(parts, part);
  const ordered_json json = {{"title", clean(document.title)}, {"parts", std::move(parts).json()}};
  return json.dump(2) + "\n";
}

}  // namespace normproof::verification::support::report
