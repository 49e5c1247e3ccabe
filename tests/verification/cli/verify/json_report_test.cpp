#include "verification/cli/verify/json_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/verification/cli/verify/sample_report.hpp"

namespace normproof::tests::verification::cli::verify {
namespace {

using namespace normproof::verification::cli;
using namespace normproof::verification::cli::verify;

TEST(VerifyJson, HoldsEveryPartOfTheReport) {
  const Report report = sample_report();
  const std::string text = json_report(report);
  EXPECT_TRUE(text.ends_with("}\n"));
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json.at("version"), "1.2.3");
  EXPECT_EQ(json.at("seed"), 7);
  EXPECT_EQ(json.at("cases"), 1000);
  EXPECT_EQ(json.at("corpus"), "a<b>.txt");
  EXPECT_EQ(json.at("passed"), true);
  EXPECT_EQ(json.at("summary"), closing_line(report));
  ASSERT_EQ(json.at("claims").size(), 2u);
  const auto& holds = json["claims"][0];
  EXPECT_EQ(holds.at("id"), "A1");
  EXPECT_EQ(holds.at("expected"), "holds");
  EXPECT_EQ(holds.at("observed"), "holds");
  EXPECT_EQ(holds.at("worst"), 0.25);
  EXPECT_EQ(holds.at("statement"), report.claims[0].statement);
  EXPECT_EQ(holds.at("worst_meaning"), "|a - b| / bound");
  const auto& refuted = json["claims"][1];
  EXPECT_EQ(refuted.at("expected"), "refuted");
  EXPECT_EQ(refuted.at("dropped"), "γ <= ψ");
  EXPECT_EQ(refuted.at("counterexample"), "x = (1, <2>)");
  EXPECT_EQ(refuted.at("worst"), "inf");
  EXPECT_EQ(refuted.at("evidence"), "tested");
  EXPECT_EQ(refuted.at("evidence_detail"), "no theorem yet");
  EXPECT_EQ(refuted.at("violations"), 3);
  EXPECT_EQ(json.at("statistics").at("corpus").at("sentences"), 9);
  EXPECT_EQ(json.at("nu_series")[1].at("period"), 12);
  EXPECT_EQ(json.at("nu_series")[1].at("nu")[1], 1e9);
}

TEST(VerifyJson, HasSensitivitiesAndCheckers) {
  EXPECT_TRUE(nlohmann::json::parse(json_report(sample_report())).at("checkers").empty());
  const auto json = nlohmann::json::parse(json_report(sample_report_with_sensitivities()));
  EXPECT_EQ(json.at("passed"), false);  // a checker was skipped, so the exit status is 77
  const auto& powers = json.at("claims").at(0).at("powers");
  EXPECT_EQ(powers.at(0).at("planted"), "grad_x × (1 + δ)");
  EXPECT_EQ(powers.at(1).at("least_rejected"), 0.0625);
  EXPECT_EQ(json.at("claims").at(1).at("powers").at(0).at("least_rejected"), "inf");
  const auto& proofs = json.at("checkers").at(0);
  EXPECT_EQ(proofs.at("outcome"), "passed");
  EXPECT_EQ(proofs.at("summary"), "1 theorem about 1 claim");
  EXPECT_EQ(proofs.at("theorems").at(0).at("claim"), "A1");
  EXPECT_EQ(proofs.at("theorems").at(0).at("verdict"), "proved");
  EXPECT_EQ(json.at("checkers").at(1).at("outcome"), "skipped");
  EXPECT_TRUE(json.at("checkers").at(1).at("instances").empty());
}

TEST(VerifyJson, ReportsClaimsThatFail) {
  const auto json = nlohmann::json::parse(json_report(failing_report()));
  EXPECT_EQ(json.at("passed"), false);
  EXPECT_EQ(json["claims"][0].at("as_expected"), false);
  EXPECT_EQ(json["claims"][1].at("failure"), "claim B12: its check threw: \"no\"");
}

}  // namespace
}  // namespace normproof::tests::verification::cli::verify
