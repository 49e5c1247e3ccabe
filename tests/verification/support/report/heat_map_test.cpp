#include "verification/support/report/heat_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <pugixml.hpp>
#include <string>

namespace normproof::verification::support::report {
namespace {

using testing::HasSubstr;
using testing::Not;

HeatMap sample() {
  return {{"[0]", "[1]"}, {"0", "1", "<2>"}, {0, 0.5, 2, 50, INFINITY, NAN}};
}

/// Returns the squares of the heat map. The squares of the legend, which have no title, are left
/// out.
std::vector<pugi::xml_node> find_squares(const pugi::xml_document& picture) {
  std::vector<pugi::xml_node> found;
  for (const pugi::xml_node rect : picture.child("svg").children("rect"))
    if (rect.child("title")) found.push_back(rect);
  return found;
}

TEST(HeatMap, HasOneSquarePerElementWithItsNameAndRatio) {
  const Drawing drawing = draw_heat_map(sample(), "error <of> y");
  EXPECT_EQ(drawing.failure, "");
  pugi::xml_document picture;
  ASSERT_TRUE(picture.load_string(drawing.svg.c_str()));
  EXPECT_EQ(std::string(picture.child("svg").attribute("aria-label").value()), "error <of> y");
  const auto squares = find_squares(picture);
  ASSERT_EQ(squares.size(), 6u);
  const char* const names[] = {"[0], 0: 0",  "[0], 1: 0.5", "[0], <2>: 2",
                               "[1], 0: 50", "[1], 1: inf", "[1], <2>: not judged"};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_STREQ(squares[i].child_value("title"), names[i]);
  EXPECT_LT(squares[0].attribute("x").as_int(), squares[1].attribute("x").as_int());
  EXPECT_LT(squares[0].attribute("y").as_int(), squares[3].attribute("y").as_int());
}

TEST(HeatMap, ElementsBeyondTheirBoundAreCrossedOutInAnotherColor) {
  pugi::xml_document picture;
  ASSERT_TRUE(picture.load_string(draw_heat_map(sample(), "").svg.c_str()));
  std::vector<std::string> colours;
  std::vector<bool> crossed;
  for (const pugi::xml_node rect : find_squares(picture)) {
    colours.emplace_back(rect.attribute("fill").value());
    crossed.push_back(std::string(rect.next_sibling().name()) == "path");
  }
  EXPECT_EQ(crossed, (std::vector<bool>{false, false, true, true, true, false}));
  for (std::size_t i = 0; i < colours.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(colours[i], colours[j]) << i << " and " << j;
}

TEST(HeatMap, TwoHundredColumnsFitThePicture) {
  HeatMap map;
  map.rows = {"all"};
  for (int i = 0; i < 200; ++i) map.columns.push_back(std::to_string(i));
  map.shares.assign(200, 0.5);
  pugi::xml_document picture;
  ASSERT_TRUE(picture.load_string(draw_heat_map(map, "").svg.c_str()));
  const auto squares = find_squares(picture);
  EXPECT_LE(squares.back().attribute("x").as_int() + squares.back().attribute("width").as_int(),
            1100);
  EXPECT_THAT(draw_heat_map(map, "").svg, Not(HasSubstr(">1</text>")));
}

TEST(HeatMap, MissingRatiosCountAsNotJudged) {
  HeatMap map = sample();
  map.shares.resize(3);
  EXPECT_THAT(draw_heat_map(map, "").svg, HasSubstr("<title>[1], 0: not judged</title>"));
  EXPECT_THAT(draw_heat_map({}, "").svg, Not(HasSubstr("<title>")));
}

}  // namespace
}  // namespace normproof::verification::support::report
