#include "verification/support/report/document.hpp"

namespace normproof::verification::support::report {

Column number_column(const std::string& name) {
  return {.name = name, .align = Align::right};
}

std::vector<Column> text_columns(const std::vector<std::string>& names) {
  std::vector<Column> columns;
  columns.reserve(names.size());
  for (const std::string& name : names) columns.push_back({.name = name});
  return columns;
}

Table numbers_table(const std::string& caption, const std::vector<std::string>& texts,
                    const std::vector<std::string>& numbers) {
  Table table{caption, text_columns(texts)};
  for (const std::string& name : numbers) table.columns.push_back(number_column(name));
  return table;
}

}  // namespace normproof::verification::support::report
