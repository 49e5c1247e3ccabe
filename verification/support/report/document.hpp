#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// A report for people in plain values: its content without its appearance. It is rendered to a
/// terminal, to Markdown and to HTML. Every renderer escapes and cleans the texts.
namespace normproof::verification::support::report {

/// The tone of a text. No renderer expresses it by a color alone.
enum class Tone {
  plain,
  soft,      ///< less important
  good,      ///< as it should be
  expected,  ///< a failure that was expected
  mixed,     ///< neither good nor bad
  bad
};

struct Heading {
  int level = 1;  ///< 1 to 4
  std::string text;
};

/// A paragraph. One whose tone is good or bad states the outcome of the whole report.
struct Paragraph {
  std::string text;
  Tone tone = Tone::plain;
};

struct List {
  std::vector<std::string> items;
};

/// Text whose spaces and line ends count, such as a command.
struct Code {
  std::string text;
};

/// A failure, and the command that repeats it.
struct Problem {
  std::string verdict;  ///< "FAILED"
  std::string subject;  ///< "quick/layer_norm/one_row-1x6-float32"
  std::vector<std::string> sentences;
  std::string repro = {};
};

enum class Align { left, right };

struct Column {
  std::string name;
  Align align = Align::left;
  /// Whether a terminal may cut the text off. Applies to the last column of rows that are not bad.
  bool may_be_cut = false;
  /// The minimum width in a terminal, for rows that are printed one by one.
  std::size_t min_width = 0;
};

Column number_column(const std::string& name);
std::vector<Column> text_columns(const std::vector<std::string>& names);

/// Terms and their explanations, shown on demand, in HTML only.
struct Details {
  std::string summary;
  std::vector<std::pair<std::string, std::string>> terms = {};
  bool open = false;
};

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
  std::string hint = {};   ///< a tooltip, in HTML only
  std::string title = {};  ///< shown above the text, except in a terminal
  Details details = {};    ///< shown below the text; nothing is shown if the summary is empty
};

struct Row {
  std::vector<Cell> cells;
  Tone tone = Tone::plain;
  std::vector<std::string> notes = {};  ///< shown below the row or below its last cell
  std::string id = {};                  ///< the id attribute in HTML
};

struct Table {
  std::string caption;
  std::vector<Column> columns;
  std::vector<Row> rows = {};
  bool folded = false;  ///< shown on demand, in HTML only
  bool stacks = false;  ///< shows each row as a block in a narrow window, in HTML only
};

/// Returns a table whose columns are `texts`, aligned left, and then `numbers`, aligned right.
Table numbers_table(const std::string& caption, const std::vector<std::string>& texts,
                    const std::vector<std::string>& numbers);

/// A picture as an <svg> element, or the reason why it could not be drawn.
struct Drawing {
  std::string svg;
  std::string failure;
};

struct Figure {
  std::string file;  ///< file name beside the Markdown; empty: shown in HTML only
  Drawing drawing;
  std::string caption;
};

using Part = std::variant<Heading, Paragraph, List, Code, Problem, Table, Figure>;

struct Document {
  std::string title;  ///< the title of the window
  std::vector<Part> parts = {};

  void add(Part part) { parts.push_back(std::move(part)); }
};

}  // namespace normproof::verification::support::report
