#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// A report for people, in plain values: what stands in it, not how it looks. It is rendered to a
/// terminal, to Markdown and to HTML, and every renderer escapes and cleans what it is given.
namespace normproof::verification::support::report {

/// What a text says beside its words; no renderer says it by a colour alone.
enum class Tone {
  plain,
  soft,      ///< of less weight
  good,      ///< as it should be
  expected,  ///< not good, but foreseen
  mixed,     ///< neither
  bad
};

struct Heading {
  int level = 1;  ///< 1 to 4
  std::string text;
};

/// One that is good or bad is the outcome of the whole.
struct Paragraph {
  std::string text;
  Tone tone = Tone::plain;
};

struct List {
  std::vector<std::string> items;
};

/// Text whose spaces and line ends count, a command for example.
struct Code {
  std::string text;
};

/// Something that went wrong, and the command that shows it again.
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
  /// A terminal may cut it off, in a row that is not bad; in a column that is the last.
  bool may_be_cut = false;
  std::size_t least_width = 0;  ///< in a terminal, for rows that are printed one by one
};

Column number_column(const std::string& name);
std::vector<Column> text_columns(const std::vector<std::string>& names);

/// Terms and what they are, opened on demand; HTML alone.
struct Details {
  std::string summary;
  std::vector<std::pair<std::string, std::string>> terms = {};
  bool open = false;
};

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
  std::string hint = {};   ///< shown where the pointer rests; HTML alone
  std::string title = {};  ///< above the text; not in a terminal
  Details details = {};    ///< below the text; none where it has no summary
};

struct Row {
  std::vector<Cell> cells;
  Tone tone = Tone::plain;
  std::vector<std::string> notes = {};  ///< below the row, or below its last cell
  std::string id = {};                  ///< HTML's
};

struct Table {
  std::string caption;
  std::vector<Column> columns;
  std::vector<Row> rows = {};
  bool folded = false;  ///< opened on demand; HTML alone
  bool stacks = false;  ///< in a narrow window each row is a block; HTML alone
};

/// A table of text whose numbers stand on the right.
Table numbers_table(const std::string& caption, const std::vector<std::string>& texts,
                    const std::vector<std::string>& numbers);

/// A picture as an <svg> element, or the reason why there is none.
struct Drawing {
  std::string svg;
  std::string failure;
};

struct Figure {
  std::string file;  ///< its name beside the Markdown; without one it is for HTML alone
  Drawing drawing;
  std::string caption;
};

using Part = std::variant<Heading, Paragraph, List, Code, Problem, Table, Figure>;

struct Document {
  std::string title;  ///< of the window
  std::vector<Part> parts = {};

  void add(Part part) { parts.push_back(std::move(part)); }
};

}  // namespace normproof::verification::support::report
