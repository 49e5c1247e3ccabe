#include "verification/cli/tools/document_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "ref/io/json_reader.hpp"

namespace normproof::verification::cli::tools {

namespace {

using json = ref::io::JsonReader::json;

constexpr const char* kWritten = "a document, {\"title\": ..., \"parts\": [...]}";

/// Reads one part of the document. It knows the path of the part in the JSON, for error messages.
class PartReader {
 public:
  PartReader(const ref::io::JsonReader& reader, const json& part, std::string field)
      : reader_(reader), part_(part), field_(std::move(field)) {}

  support::report::Part read() const {
    if (part_.is_object()) {
      if (part_.contains("heading")) return heading();
      if (part_.contains("paragraph"))
        return support::report::Paragraph{text("paragraph"), tone(part_, field_)};
      if (part_.contains("list")) return support::report::List{texts(part_, field_, "list")};
      if (part_.contains("code")) return support::report::Code{text("code")};
      if (part_.contains("table")) return table();
    }
    reader_.fail(field_, "is no part", "one of heading, paragraph, list, code and table");
  }

 private:
  std::string below(const char* key) const { return fmt::format("{}.{}", field_, key); }
  std::string text(const char* key) const { return reader_.text(part_, below(key), key); }

  std::vector<std::string> texts(const json& object, const std::string& field,
                                 const char* key) const {
    std::vector<std::string> all;
    for (const json& entry : reader_.array(object, fmt::format("{}.{}", field, key), key)) {
      if (!entry.is_string())
        reader_.fail(fmt::format("{}.{}[{}]", field, key, all.size()), "is no text", "a text");
      all.push_back(entry.get<std::string>());
    }
    return all;
  }

  support::report::Tone tone(const json& object, const std::string& field) const {
    using enum support::report::Tone;
    if (!object.contains("tone")) return plain;
    constexpr std::array kTones = {std::pair{"plain", plain},       std::pair{"soft", soft},
                                   std::pair{"good", good},         std::pair{"mixed", mixed},
                                   std::pair{"expected", expected}, std::pair{"bad", bad}};
    const std::string named = reader_.text(object, field + ".tone", "tone");
    for (const auto& [name, tone] : kTones)
      if (named == name) return tone;
    reader_.fail(field + ".tone", fmt::format("is '{}'", named),
                 "plain, soft, good, expected, mixed or bad");
  }

  support::report::Part heading() const {
    const std::uint64_t level = reader_.whole(part_, below("level"), "level");
    if (level < 1 || level > 4) reader_.fail(below("level"), fmt::format("is {}", level), "1 to 4");
    return support::report::Heading{static_cast<int>(level), text("heading")};
  }

  support::report::Part table() const {
    support::report::Table table{text("table"), {}};
    table.folded = part_.contains("folded") && reader_.boolean(part_, below("folded"), "folded");
    for (const json& column : reader_.array(part_, below("columns"), "columns")) {
      const std::string field = fmt::format("{}.columns[{}]", field_, table.columns.size());
      const std::string name = reader_.text(column, field + ".name", "name");
      const bool right =
          column.contains("align") && reader_.text(column, field + ".align", "align") == "right";
      table.columns.push_back(
          {name, right ? support::report::Align::right : support::report::Align::left});
    }
    if (table.columns.empty()) reader_.fail(below("columns"), "is empty", "a column or more");
    for (const json& row : reader_.array(part_, below("rows"), "rows")) {
      const std::string field = fmt::format("{}.rows[{}]", field_, table.rows.size());
      support::report::Row read;
      for (const std::string& cell : texts(row, field, "cells")) read.cells.push_back({cell});
      if (read.cells.size() != table.columns.size())
        reader_.fail(field + ".cells", fmt::format("has {} texts", read.cells.size()),
                     fmt::format("{}, one a column", table.columns.size()));
      read.tone = tone(row, field);
      if (row.contains("notes")) read.notes = texts(row, field, "notes");
      table.rows.push_back(std::move(read));
    }
    return table;
  }

  const ref::io::JsonReader& reader_;
  const json& part_;
  std::string field_;
};

}  // namespace

support::report::Document read_document(const std::string& file, std::string_view text) {
  const ref::io::JsonReader reader(file);
  const json stored = reader.parse(text, kWritten);
  support::report::Document document{reader.text(stored, "title", "title")};
  for (const json& part : reader.array(stored, "parts", "parts"))
    document.add(PartReader(reader, part, fmt::format("parts[{}]", document.parts.size())).read());
  if (document.parts.empty()) reader.fail("parts", "is empty", "a part or more");
  return document;
}

}  // namespace normproof::verification::cli::tools
