#pragma once

#include "verification/support/report/document.hpp"

namespace normproof::tests::verification::support::report {

/// Returns a document with every kind of part. Some of its texts have characters that a format must
/// escape.
inline normproof::verification::support::report::Document sample_document() {
  using namespace normproof::verification::support::report;
  Document document{"a < b"};
  document.add(Heading{2, "a < b & *c*"});
  document.add(Paragraph{"one\ntwo"});
  document.add(Paragraph{"it <failed>", Tone::bad});
  document.add(List{{"first_one", "- second"}});
  document.add(Code{"x --y <z>"});
  document.add(Problem{"FAILED", "quick/a", {"y is <absent>"}, "redo --only 'a'"});
  Table table{"of|things",
              {{"name"}, number_column("count"), {.name = "what", .may_be_cut = true}}};
  table.rows.push_back({{{"ψ"}, {"1,000"}, {"plain text"}}});
  table.rows.push_back({{{.text = "long name", .hint = "why <so>"},
                         {"7", Tone::bad},
                         {.text = "words that go on and on",
                          .title = "Title",
                          .details = {"more", {{"term", "1 < 2"}, {"empty", ""}}, true}}},
                        Tone::bad,
                        {"a note"},
                        "row-2"});
  document.add(table);
  table.caption = "folded";
  table.folded = table.stacks = true;
  table.rows.clear();
  document.add(table);
  document.add(Figure{"f.svg", {"<svg/>", ""}, "seen"});
  document.add(Figure{"g.svg", {"", "it's gone"}, "unseen"});
  return document;
}

}  // namespace normproof::tests::verification::support::report
