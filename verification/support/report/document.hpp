#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// A report for people: its content without its appearance. Other files render it for a terminal,
/// as Markdown and as HTML. They escape all texts themselves.
namespace normproof::verification::support::report {

/// The tone of a text. It determines the color, but a color is never the only sign of the tone.
enum class Tone {
  plain,
  soft,      ///< less important
  good,      ///< a success
  expected,  ///< a failure that was expected
  mixed,     ///< partly good, partly bad
  bad
};

struct Heading {
  int level = 1;  ///< level of the heading, 1 to 4
  std::string text;
};

/// A paragraph. A paragraph whose tone is good or bad states the outcome of the whole report.
struct Paragraph {
  std::string text;
  Tone tone = Tone::plain;
};

struct List {
  std::vector<std::string> items;
};

/// Text that is shown with its spaces and line ends unchanged, such as a command.
struct Code {
  std::string text;
};

/// A failure and the command that repeats it.
struct Problem {
  std::string verdict;  ///< the outcome, such as "FAILED"
  std::string subject;  ///< the name of what failed, such as "quick/layer_norm/one_row-1x6-float32"
  std::vector<std::string> sentences;
  std::string repro = {};
};

enum class Align { left, right };

struct Column {
  std::string name;
  Align align = Align::left;
  /// Whether a terminal may cut off the texts of this column. It has an effect only if this is the
  /// last column, and only in rows whose tone is not bad.
  bool may_be_cut = false;
  /// The minimum width of the column in a terminal. Needed if rows are printed before all rows are
  /// known.
  std::size_t min_width = 0;
};

Column number_column(const std::string& name);
std::vector<Column> text_columns(const std::vector<std::string>& names);

/// A list of terms and their explanations, which the reader can open. Only HTML shows it.
struct Details {
  std::string summary;
  std::vector<std::pair<std::string, std::string>> terms = {};
  bool open = false;
};

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
  std::string hint = {};   ///< tooltip; only HTML shows it
  std::string title = {};  ///< shown above the text, except in a terminal
  Details details = {};    ///< shown below the text, if details.summary is not empty
};

struct Row {
  std::vector<Cell> cells;
  Tone tone = Tone::plain;
  /// Sentences that are shown below the row or below its last cell.
  std::vector<std::string> notes = {};
  std::string id = {};  ///< value of the id attribute in HTML
};

struct Table {
  std::string caption;
  std::vector<Column> columns;
  std::vector<Row> rows = {};
  bool folded = false;  ///< whether the reader must open the table to see it; HTML only
  bool stacks = false;  ///< whether a narrow window shows each row as a block; HTML only
};

/// Returns an empty table. Its first columns have the names `texts` and are aligned left. Its last
/// columns have the names `numbers` and are aligned right.
Table numbers_table(const std::string& caption, const std::vector<std::string>& texts,
                    const std::vector<std::string>& numbers);

/// A picture as an <svg> element, or the reason why the picture could not be drawn.
struct Drawing {
  std::string svg;
  std::string failure;
};

struct Figure {
  /// Name of the picture's file beside a Markdown report. If it is empty, only HTML shows the
  /// figure.
  std::string file;
  Drawing drawing;
  std::string caption;
};

using Part = std::variant<Heading, Paragraph, List, Code, Problem, Table, Figure>;

struct Document {
  std::string title;  ///< title of the browser's window
  std::vector<Part> parts = {};

  void add(Part part) { parts.push_back(std::move(part)); }
};

}  // namespace normproof::verification::support::report
