#include "verification/cli/study_document.hpp"

#include <fmt/format.h>

#include <iterator>

#include "verification/cli/html_page.hpp"
#include "verification/cli/text.hpp"

namespace normproof::verification::cli {

namespace {

// A sign says what a colour says: blue and orange are told apart by everyone, and in grey by the
// sign.
constexpr const char* kStudyStyle = R"(<style>
table.study { width: auto; } table.study td, table.study th { border: 1px solid var(--line); }
caption { text-align: left; font-weight: 600; padding: .4rem 0; }
td.converged { background: #d6e8f7; } td.failed { background: #fbdcc4; }
td.differ { background: #f3efc2; } td.unrun { color: var(--soft); }
@media print { details > *:not(summary) { display: block; }
  details::details-content { content-visibility: visible; block-size: auto; }
  summary { display: block; list-style: none; font-weight: 600; break-after: avoid; }
  table.study { font-size: 8pt; break-inside: avoid; } details table.study { break-inside: auto; }
  tr { break-inside: avoid; } h2, h3, caption { break-after: avoid; } h2 ~ h2 { break-before: page; }
  td { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
</style>
)";

std::string markdown_cell(const std::string& text) {
  std::string escaped;
  for (const char c : clean_line(text)) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

struct ToHtml {
  std::string operator()(const DocumentHeading& heading) const {
    return fmt::format("<h{0}>{1}</h{0}>\n", heading.level, escape_markup(heading.text));
  }
  std::string operator()(const DocumentParagraph& paragraph) const {
    return fmt::format("<p>{}</p>\n", escape_markup(paragraph.text));
  }
  std::string operator()(const DocumentCode& code) const {
    return fmt::format("<div class=\"wide\"><pre>{}</pre></div>\n", escape_markup(code.text));
  }
  std::string operator()(const DocumentTable& table) const {
    std::string html;
    if (table.folded)
      html += fmt::format("<details><summary>{}</summary>\n", escape_markup(table.caption));
    html += "<div class=\"wide\" tabindex=\"0\"><table class=\"study\">\n";
    if (!table.folded) html += fmt::format("<caption>{}</caption>\n", escape_markup(table.caption));
    html += "<thead><tr>";
    for (const std::string& name : table.header)
      html += fmt::format("<th scope=\"col\">{}</th>", escape_markup(name));
    html += "</tr></thead>\n<tbody>\n";
    for (const auto& row : table.rows) {
      html += "<tr>";
      for (const DocumentCell& cell : row)
        html += fmt::format(
            "<td{}{}>{}</td>", cell.kind.empty() ? "" : fmt::format(" class=\"{}\"", cell.kind),
            cell.title.empty() ? "" : fmt::format(" title=\"{}\"", escape_markup(cell.title)),
            escape_markup(cell.text));
      html += "</tr>\n";
    }
    return fmt::format("{}</tbody></table></div>\n{}", html, table.folded ? "</details>\n" : "");
  }
  std::string operator()(const DocumentFigure& picture) const {
    return figure(picture.drawing, picture.caption);
  }
};

struct ToMarkdown {
  std::string operator()(const DocumentHeading& heading) const {
    return fmt::format("{} {}\n\n", std::string(static_cast<std::size_t>(heading.level), '#'),
                       clean_line(heading.text));
  }
  std::string operator()(const DocumentParagraph& paragraph) const {
    return fmt::format("{}\n\n", clean_line(paragraph.text));
  }
  std::string operator()(const DocumentCode& code) const {
    return fmt::format("```\n{}\n```\n\n", code.text);
  }
  std::string operator()(const DocumentTable& table) const {
    std::string text = fmt::format("**{}**\n\n|", clean_line(table.caption));
    for (const std::string& name : table.header) text += fmt::format(" {} |", markdown_cell(name));
    text += "\n|";
    for (std::size_t i = 0; i < table.header.size(); ++i) text += "---|";
    text += "\n";
    for (const auto& row : table.rows) {
      text += "|";
      for (const DocumentCell& cell : row) text += fmt::format(" {} |", markdown_cell(cell.text));
      text += "\n";
    }
    return text + "\n";
  }
  std::string operator()(const DocumentFigure& picture) const {
    if (!picture.drawing.failure.empty())
      return fmt::format("There is no picture here: {}.\n\n{}\n\n", picture.drawing.failure,
                         clean_line(picture.caption));
    return fmt::format("![{0}]({1})\n\n{0}\n\n", clean_line(picture.caption), picture.file);
  }
};

template <class To>
std::string render(const Document& document, const To& to) {
  std::string text;
  for (const auto& part : document) text += std::visit(to, part);
  return text;
}

}  // namespace

std::string document_html(const std::string& title, const Document& document) {
  return html_page(title, fmt::format("{}{}", kStudyStyle, render(document, ToHtml{})));
}

std::string document_markdown(const Document& document) {
  return render(document, ToMarkdown{});
}

}  // namespace normproof::verification::cli
