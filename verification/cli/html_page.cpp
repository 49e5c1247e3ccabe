#include "verification/cli/html_page.hpp"

#include <fmt/format.h>

#include "verification/cli/html_style.hpp"
#include "verification/cli/text.hpp"

namespace normproof::verification::cli {

std::string html_page(std::string_view title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      escape_markup(title), html_style(), body);
}

std::string figure(const Drawing& drawing, std::string_view caption) {
  const std::string picture =
      drawing.failure.empty()
          ? fmt::format("<div class=\"wide\" tabindex=\"0\">{}</div>", drawing.svg)
          : fmt::format(
                "<p class=\"absent\">There is no picture here: {}. The numbers are in the "
                "report that --json writes.</p>",
                escape_markup(drawing.failure));
  return fmt::format("<figure>{}\n<figcaption>{}</figcaption></figure>\n", picture,
                     escape_markup(caption));
}

}  // namespace normproof::verification::cli
