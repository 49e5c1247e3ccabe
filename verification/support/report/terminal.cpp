#include "verification/support/report/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "verification/support/report/text.hpp"

namespace normproof::verification::support::report {

namespace {

constexpr std::size_t kGap = 2;  // number of spaces between two columns of a table
constexpr std::size_t kIndent = 2;
constexpr std::size_t kMinNameWidth = 12;  // minimum width to which the name of a row may be cut

/// Returns the text, wrapped to the width, with `indent` spaces before each line.
std::string indent_lines(const std::string& text, std::size_t indent, std::size_t width) {
  const std::string before(indent, ' ');
  if (width == unlimited_width) return before + clean_line(text) + "\n";
  std::string lines;
  for (const std::string& line : wrap(clean_line(text), width - std::min(width, indent)))
    lines += fmt::format("{}{}\n", before, line);
  return lines;
}

std::string pad_cell(const std::string& text, std::size_t width, Align align) {
  const std::string spaces(width - std::min(width, display_width(text)), ' ');
  return align == Align::left ? text + spaces : spaces + text;
}

class TerminalRenderer {
 public:
  explicit TerminalRenderer(std::size_t width) : width_(width) {}

  std::string operator()(const Heading& heading) const {
    return indent_lines(heading.text, 0, width_);
  }
  std::string operator()(const Paragraph& paragraph) const {
    return indent_lines(paragraph.text, 0, width_);
  }
  std::string operator()(const List& list) const {
    std::string text;
    for (const std::string& item : list.items) text += indent_lines(item, kIndent, width_);
    return text;
  }
  std::string operator()(const Code& code) const { return clean(code.text) + "\n"; }
  std::string operator()(const Problem& problem) const {
    std::string text = fmt::format("{} {}\n", problem.verdict, clean_line(problem.subject));
    for (const std::string& sentence : problem.sentences)
      text += indent_lines(sentence, kIndent, width_);
    // The command is not wrapped, so that users can copy it.
    if (!problem.repro.empty())
      text += indent_lines("repro: " + problem.repro, kIndent, unlimited_width);
    return text;
  }
  std::string operator()(const Table& table) const {
    std::string text = table.caption.empty() ? "" : indent_lines(table.caption, 0, width_);
    const TableLines lines(table.columns, table.rows, width_);
    text += lines.head();
    for (const Row& row : table.rows) text += lines.row(row);
    return text;
  }
  std::string operator()(const Figure&) const { return ""; }

 private:
  std::size_t width_;
};

/// Whether the two parts follow each other without an empty line. This is so after a heading,
/// between two paragraphs, and between a paragraph and the part that it introduces.
bool follow_without_empty_line(const Part& above, const Part& below) {
  if (std::holds_alternative<Heading>(above)) return true;
  return std::holds_alternative<Paragraph>(above) &&
         (std::holds_alternative<Paragraph>(below) || std::holds_alternative<List>(below) ||
          std::holds_alternative<Code>(below));
}

}  // namespace

TableLines::TableLines(const std::vector<Column>& columns, const std::vector<Row>& rows,
                       std::size_t width)
    : columns_(columns), width_(width) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths_.push_back(std::max(columns_[i].min_width, display_width(columns_[i].name)));
    for (const Row& row : rows)
      if (i < row.cells.size())
        widths_[i] = std::max(widths_[i], display_width(clean_line(row.cells[i].text)));
  }
  // If the line is still too wide, the names of the rows are cut.
  std::size_t all = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    all += (columns_[i].may_be_cut ? display_width(columns_[i].name) : widths_[i]) +
           (i == 0 ? 0 : kGap);
  if (width != unlimited_width && all > width)
    widths_.front() -=
        std::min(widths_.front() - std::min(widths_.front(), kMinNameWidth), all - width);
}

std::string TableLines::head() const {
  Row head;
  for (const Column& column : columns_) head.cells.push_back({column.name});
  return line(head);
}

std::string TableLines::row(const Row& row) const {
  std::string text = line(row);
  const std::size_t indent = widths_.front() + kGap;
  for (const std::string& note : row.notes) {
    const bool cut_off = width_ != unlimited_width && row.tone != Tone::bad;
    text += indent_lines(cut_off ? cut(clean_line(note), width_ - std::min(width_, indent)) : note,
                         indent, cut_off ? unlimited_width : width_);
  }
  return text;
}

std::string TableLines::line(const Row& row) const {
  std::string text, whole;
  std::size_t before = 0;
  for (std::size_t i = 0; i < std::min(row.cells.size(), columns_.size()); ++i) {
    const bool last = i + 1 == columns_.size();
    std::string cell = clean_line(row.cells[i].text);
    const std::size_t room = width_ - std::min(width_, before);
    if (i == 0 && width_ != unlimited_width) cell = cut(cell, widths_[i]);
    if (last && columns_[i].may_be_cut && width_ != unlimited_width && display_width(cell) > room) {
      if (row.tone == Tone::bad) whole = cell;
      cell = cut(cell, room);
    }
    text += pad_cell(cell, widths_[i], columns_[i].align) + std::string(kGap, ' ');
    before += widths_[i] + kGap;
  }
  text = text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  return whole.empty() ? text : text + indent_lines(whole, widths_.front() + kGap, width_);
}

std::string terminal_text(const Document& document, std::size_t width) {
  std::string text;
  const Part* above = nullptr;
  for (const Part& part : document.parts) {
    const std::string part_text = std::visit(TerminalRenderer(width), part);
    if (part_text.empty()) continue;
    if (above != nullptr && !follow_without_empty_line(*above, part)) text += "\n";
    text += part_text;
    above = &part;
  }
  return text;
}

}  // namespace normproof::verification::support::report
