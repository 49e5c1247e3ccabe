#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "verification/cli/gnuplot.hpp"

namespace normproof::verification::cli {

/// A report in parts, written once and rendered as HTML and as Markdown.
struct DocumentHeading {
  int level = 1;
  std::string text;
};

struct DocumentParagraph {
  std::string text;
};

struct DocumentCode {
  std::string text;
};

/// A place of a table; `kind` is its colour: "converged", "failed", "differ", "unrun" or "".
struct DocumentCell {
  std::string text;
  std::string kind = {};
  std::string title = {};  ///< shown where the pointer rests; HTML alone
};

struct DocumentTable {
  std::string caption;
  std::vector<std::string> header;
  std::vector<std::vector<DocumentCell>> rows;
  bool folded = false;  ///< in HTML it opens on demand
};

struct DocumentFigure {
  std::string file;  ///< "corrected-figure-4.svg", beside the Markdown
  Drawing drawing;
  std::string caption;
};

using Document = std::vector<
    std::variant<DocumentHeading, DocumentParagraph, DocumentCode, DocumentTable, DocumentFigure>>;

/// A page that needs nothing else; the pictures are inside.
std::string document_html(const std::string& title, const Document& document);

/// The pictures are files beside it.
std::string document_markdown(const Document& document);

}  // namespace normproof::verification::cli
