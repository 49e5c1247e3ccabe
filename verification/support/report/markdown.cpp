#include "verification/support/report/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "verification/support/report/text.hpp"

namespace normproof::verification::support::report {

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_punctuation(char c) {
  return c > ' ' && c < 0x7f && !is_word(c);
}

/// Whether Markdown gives the sign a meaning if it is between these two characters. A space stands
/// for the start and for the end of the line.
bool has_markdown_meaning(char sign, char before, char after) {
  switch (sign) {
    case '`':
      return true;
    case '\\':
      return is_punctuation(after);
    case '*':
    case '~':
      return before != ' ' || after != ' ';
    case '_':  // inside a word, "_" is an ordinary character
      return (before != ' ' || after != ' ') && !(is_word(before) && is_word(after));
    case ']':
      return after == '(' || after == '[' || after == ':';
    default:
      return false;
  }
}

/// Returns the HTML entity for a sign that would start HTML, or an empty text for other signs. A
/// backslash cannot be used instead, because Markdown renderers disagree about a backslash before
/// such a sign.
std::string_view html_entity(char sign, char after) {
  if (sign == '<' && (is_word(after) || after == '/' || after == '!' || after == '?'))
    return "&lt;";
  if (sign == '&' && (is_word(after) || after == '#')) return "&amp;";
  return {};
}

/// Whether the first sign of the line would start a list, a heading, a quotation or a rule.
bool starts_block(std::string_view line) {
  if (line.empty()) return false;
  if (std::string_view("#>|=").find(line.front()) != std::string_view::npos) return true;
  return std::string_view("-+").find(line.front()) != std::string_view::npos &&
         (line.size() == 1 || line[1] == ' ' || line[1] == line.front());
}

std::string markdown_cell(const Cell& cell, const std::vector<std::string>& notes) {
  std::string text;
  const auto add = [&](const std::string& line) {
    if (line.empty()) return;
    text += text.empty() ? "" : "<br>";
    for (const char c : escape_markdown(line)) {
      if (c == '|') text += '\\';
      text += c;
    }
  };
  add(cell.title);
  add(cell.text);
  for (const std::string& note : notes) add(note);
  return text;
}

/// Returns backticks that enclose the text as a block of code: three, or one more than the longest
/// run of backticks in the text.
std::string code_fence(std::string_view text) {
  std::size_t run = 0, longest = 2;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

struct MarkdownRenderer {
  std::string operator()(const Heading& heading) const {
    return fmt::format("{} {}\n\n", std::string(static_cast<std::size_t>(heading.level), '#'),
                       escape_markdown(heading.text));
  }
  std::string operator()(const Paragraph& paragraph) const {
    const std::string text = escape_markdown(paragraph.text);
    return fmt::format("{}{}\n\n", starts_block(text) ? "\\" : "", text);
  }
  std::string operator()(const List& list) const {
    std::string text;
    for (const std::string& item : list.items) text += fmt::format("- {}\n", escape_markdown(item));
    return text + "\n";
  }
  std::string operator()(const Code& code) const {
    const std::string text = clean(code.text);
    const std::string fence = code_fence(text);
    return fmt::format("{0}\n{1}\n{0}\n\n", fence, text);
  }
  std::string operator()(const Problem& problem) const {
    std::string subject = clean_line(problem.subject);
    std::ranges::replace(subject, '`', '\'');
    std::string text = fmt::format("**{}** `{}`\n\n", escape_markdown(problem.verdict), subject);
    text += (*this)(List{problem.sentences});
    return problem.repro.empty() ? text : text + (*this)(Code{clean_line(problem.repro)});
  }
  std::string operator()(const Table& table) const {
    std::string text;
    if (!table.caption.empty()) text = fmt::format("**{}**\n\n", escape_markdown(table.caption));
    std::string rule = "|";
    text += "|";
    for (const Column& column : table.columns) {
      text += fmt::format(" {} |", markdown_cell({column.name}, {}));
      rule += column.align == Align::right ? "---:|" : "---|";
    }
    text += fmt::format("\n{}\n", rule);
    for (const Row& row : table.rows) {
      text += "|";
      for (const Cell& cell : row.cells)
        text += fmt::format(
            " {} |", markdown_cell(cell, &cell == &row.cells.back() ? row.notes
                                                                    : std::vector<std::string>()));
      text += "\n";
    }
    return text + "\n";
  }
  std::string operator()(const Figure& figure) const {
    if (!figure.drawing.failure.empty())
      return fmt::format("There is no picture here: {}.\n\n{}\n\n",
                         escape_markdown(figure.drawing.failure), escape_markdown(figure.caption));
    if (figure.file.empty()) return "";
    return fmt::format("![{0}]({1})\n\n{0}\n\n", escape_markdown(figure.caption), figure.file);
  }
};

}  // namespace

std::string escape_markdown(std::string_view text) {
  const std::string line = clean_line(text);
  std::string escaped;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char before = i == 0 ? ' ' : line[i - 1], after = i + 1 < line.size() ? line[i + 1] : ' ';
    if (const auto entity = html_entity(line[i], after); !entity.empty()) {
      escaped += entity;
      continue;
    }
    if (has_markdown_meaning(line[i], before, after)) escaped += '\\';
    escaped += line[i];
  }
  return escaped;
}

std::string markdown(const Document& document) {
  std::string text;
  for (const Part& part : document.parts) text += std::visit(MarkdownRenderer{}, part);
  if (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace normproof::verification::support::report
