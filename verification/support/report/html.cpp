#include "verification/support/report/html.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "verification/support/report/html_style.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::support::report {

namespace {

std::string escape_html(const std::string& text) {
  return escape_markup(clean(text));
}

/// Returns the HTML attribute ` name="value"`, or an empty text if the value is empty.
std::string attribute(const char* name, const std::string& value) {
  return value.empty() ? "" : fmt::format(" {}=\"{}\"", name, escape_html(value));
}

std::string class_attribute(Tone tone) {
  switch (tone) {
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
    default:
      return "";
  }
}

/// Puts content that may be wider than the window into a frame, in which the reader can scroll it
/// by mouse or keyboard.
std::string put_in_scrolling_frame(const std::string& inside, const std::string& name) {
  return fmt::format("<div class=\"wide\" tabindex=\"0\" role=\"region\"{}>{}</div>\n",
                     attribute("aria-label", name), inside);
}

std::string folded(const std::string& summary, const std::string& inside, bool open) {
  return fmt::format("<details{}><summary>{}</summary>{}</details>", open ? " open" : "",
                     escape_html(summary), inside);
}

std::string details_html(const Details& details) {
  if (details.summary.empty()) return "";
  std::string list;
  for (const auto& [term, text] : details.terms)
    if (!text.empty())
      list += fmt::format("<dt>{}</dt><dd>{}</dd>", escape_html(term), escape_html(text));
  return folded(details.summary, fmt::format("<dl>{}</dl>", list), details.open);
}

std::string cell_html(const Cell& cell, const Column& column, const std::string& notes) {
  std::string classes = class_attribute(cell.tone);
  if (column.align == Align::right) classes += classes.empty() ? "number" : " number";
  const std::string title =
      cell.title.empty() ? "" : fmt::format("<b>{}</b><br>", escape_html(cell.title));
  return fmt::format("<td{}{}{}>{}{}{}{}</td>", attribute("class", classes),
                     attribute("data-label", column.name), attribute("title", cell.hint), title,
                     escape_html(cell.text), notes, details_html(cell.details));
}

std::string row_html(const Row& row, const std::vector<Column>& columns) {
  std::string notes, cells;
  for (const std::string& note : row.notes)
    notes += fmt::format("<div class=\"note\">{}</div>", escape_html(note));
  const std::size_t count = std::min(row.cells.size(), columns.size());
  for (std::size_t i = 0; i < count; ++i)
    cells += cell_html(row.cells[i], columns[i], i + 1 == count ? notes : "");
  return fmt::format("<tr{}{}>{}</tr>\n", attribute("class", class_attribute(row.tone)),
                     attribute("id", row.id), cells);
}

/// Returns the CSS class that gives a column of sentences extra width. Without it, a column of
/// sentences among many columns shrinks to the width of a word.
std::string head_class(const Table& table, std::size_t column) {
  constexpr std::size_t kSentence = 40;
  if (table.columns[column].align == Align::right) return "number";
  const auto is_long = [&](const Row& row) {
    return column < row.cells.size() && row.cells[column].text.size() > kSentence;
  };
  return std::ranges::any_of(table.rows, is_long) ? "long" : "";
}

struct HtmlRenderer {
  std::string operator()(const Heading& heading) const {
    return fmt::format("<h{0}>{1}</h{0}>\n", heading.level, escape_html(heading.text));
  }
  std::string operator()(const Paragraph& paragraph) const {
    const bool outcome = paragraph.tone == Tone::good || paragraph.tone == Tone::bad;
    return fmt::format(
        "<p{}>{}</p>\n",
        attribute("class", (outcome ? "outcome " : "") + class_attribute(paragraph.tone)),
        escape_html(paragraph.text));
  }
  std::string operator()(const List& list) const {
    std::string items;
    for (const std::string& item : list.items)
      items += fmt::format("<li>{}</li>\n", escape_html(item));
    return fmt::format("<ul>\n{}</ul>\n", items);
  }
  std::string operator()(const Code& code) const {
    return put_in_scrolling_frame(fmt::format("<pre>{}</pre>", escape_html(code.text)), "");
  }
  std::string operator()(const Problem& problem) const {
    std::string text = fmt::format("<section class=\"problem\"><p><b>{}</b> <code>{}</code></p>\n",
                                   escape_html(problem.verdict), escape_html(problem.subject));
    if (!problem.sentences.empty()) text += (*this)(List{problem.sentences});
    if (!problem.repro.empty()) text += (*this)(Code{problem.repro});
    return text + "</section>\n";
  }
  std::string operator()(const Table& table) const {
    std::string inside = table.stacks ? "<table class=\"stacks\">" : "<table>";
    inside += "<thead><tr>";
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      inside += fmt::format("<th scope=\"col\"{}>{}</th>", attribute("class", head_class(table, i)),
                            escape_html(table.columns[i].name));
    inside += "</tr></thead>\n<tbody>\n";
    for (const Row& row : table.rows) inside += row_html(row, table.columns);
    inside = put_in_scrolling_frame(inside + "</tbody></table>", table.caption);
    if (table.folded) return folded(table.caption, inside, false) + "\n";
    if (table.caption.empty()) return inside;
    return fmt::format("<p class=\"caption\">{}</p>\n{}", escape_html(table.caption), inside);
  }
  std::string operator()(const Figure& figure) const {
    const std::string picture =
        figure.drawing.failure.empty()
            ? put_in_scrolling_frame(figure.drawing.svg, "")
            : fmt::format(
                  "<p class=\"absent\">There is no picture here: {}. The numbers are in the "
                  "report that --json writes.</p>\n",
                  escape_html(figure.drawing.failure));
    return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", picture,
                       escape_html(figure.caption));
  }
};

}  // namespace

std::string html(const Document& document) {
  std::string body;
  for (const Part& part : document.parts) body += std::visit(HtmlRenderer{}, part);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      escape_html(document.title), html_style(), body);
}

}  // namespace normproof::verification::support::report
