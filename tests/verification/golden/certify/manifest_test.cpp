#include "verification/golden/certify/manifest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ref/io/sha256.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/certify/condition.hpp"

namespace normproof::verification::golden::certify {

using corpus::case_operation_name;
using ref::model::Mode;
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Case batch_norm_case(const std::string& reason = "sample") {
  return Recipe(Tier::quick, "batch_norm", reason, {4, 3}, DType::float32)
      .why("a test's own")
      .option("eps", "0.5")
      .steps(2)
      .make(1);
}

std::string sample_text(const std::string& reason = "sample") {
  const Case c = batch_norm_case(reason);
  return manifest_entry_text(c, certify(c));
}

/// Returns the case of a manifest whose only case has this text.
CaseDescription parse_description(const std::string& text) {
  return parse_manifest(manifest_json({text}), "m.json").at(0);
}

TEST(CaseJson, ReadsBackWhatItWrote) {
  const Case c = batch_norm_case();
  const Expected expected = certify(c);
  const std::string text = manifest_entry_text(c, expected);
  EXPECT_EQ(text, manifest_entry_text(c, expected));
  const CaseDescription read = parse_description(text);
  EXPECT_EQ(read.case_text, text);
  EXPECT_EQ(read.path, case_folder(c));
  EXPECT_EQ(read.c.tier, c.tier);
  EXPECT_EQ(read.c.reason, c.reason);
  EXPECT_EQ(read.c.why, c.why);
  EXPECT_EQ(ref::model::list_options(read.c.options), ref::model::list_options(c.options));
  EXPECT_EQ(case_operation_name(read.c), "batch_norm");
  EXPECT_EQ(read.c.mode, Mode::training);
  EXPECT_EQ(read.c.dtype, DType::float32);
  EXPECT_TRUE(read.c.sequence);
  EXPECT_FALSE(read.c.exact);
  // The stored number is rounded to three digits.
  const double condition = condition_number(c);
  EXPECT_LE(std::fabs(read.condition - condition), 0.005 * condition);
  EXPECT_TRUE(read.c.inputs.empty());
  EXPECT_EQ(read.inputs_sha256, content_sha256(c.inputs));
  EXPECT_EQ(read.expected_sha256, content_sha256(expected.tensors));
  std::vector<std::string> outputs;
  for (const StoredTensor& tensor : expected.tensors)
    if (!tensor.name.ends_with("_lo")) outputs.push_back(tensor.name);
  EXPECT_EQ(read.outputs, outputs);
}

TEST(CaseJson, DescribesTheTensorsOfTheCase) {
  const Case c = batch_norm_case();
  const Expected expected = certify(c);
  const json object = json::parse(manifest_entry_text(c, expected));
  EXPECT_EQ(object["inputs"]["x"], "float32 [2,4,3]");
  EXPECT_EQ(object["expected"]["y_lo"], "float64 [2,4,3]");
  EXPECT_EQ(object["options"]["eps"], "0.5");
  EXPECT_EQ(object["convention"]["running_decay"], "weight of the old value");
  EXPECT_EQ(object["convention"]["running_variance"], "takes n/(n-1) times the biased variance");
  EXPECT_EQ(object["certificate"]["elements"], expected.certificate.elements);
  EXPECT_EQ(object["certificate"]["bits"], 192);
  EXPECT_THAT(object["certificate"]["widest"].get<std::string>(), StartsWith("2^-"));
  EXPECT_EQ(object["totals"]["tensors"], expected.tensors.size());
  EXPECT_EQ(json::parse(manifest_entry_text(
                layer_norm_case_of_one_and_three("3"),
                certify(layer_norm_case_of_one_and_three("3"))))["certificate"]["widest"],
            "0");
}

TEST(CaseJson, FileHoldsOnlyWhatACandidateNeeds) {
  const std::string text = sample_text(), file = case_file_text(text);
  json whole = json::parse(text);
  const json make_case_file_text = json::parse(file);
  for (const char* key : {"certificate", "condition", "convention", "exact", "expected", "inputs",
                          "sha256", "tier", "tolerance", "totals"})
    EXPECT_EQ(whole.erase(key), 1u) << key;
  EXPECT_EQ(make_case_file_text, whole);
  EXPECT_EQ(make_case_file_text["options"]["eps"], "0.5");
  EXPECT_EQ(file.find('\n'), file.size() - 1);
  EXPECT_EQ(parse_description(text).file_text, file);
}

TEST(CaseJson, ContainsOptionsOfLaterVersionsOnlyIfTheyAreSet) {
  const auto written = [](Recipe recipe) {
    const Case c = recipe.make(1);
    const std::string text = manifest_entry_text(c, certify(c));
    EXPECT_EQ(ref::model::list_options(parse_description(text).c.options),
              ref::model::list_options(c.options));
    return json::parse(text);
  };
  const json usual = written(plain_recipe("group_norm", {1, 2, 4}));
  EXPECT_FALSE(usual["options"].contains("layout"));
  EXPECT_FALSE(usual["convention"].contains("layout"));
  const json images =
      written(plain_recipe("group_norm", {1, 2, 3, 1}).option("layout", "channels_first"));
  EXPECT_EQ(images["options"]["layout"], "channels_first");
  EXPECT_EQ(images["convention"]["layout"], "x, grad_y, y and grad_x are [B,D,H,W]");
  const json centred =
      written(plain_recipe("add_rms_norm", {1, 2}).option("zero_centred_gamma", "1"));
  EXPECT_EQ(centred["options"]["zero_centred_gamma"], "true");
  EXPECT_EQ(centred["convention"]["gamma"], "1 + gamma multiplies");
}

TEST(CaseJson, ErrorNamesEachDamagedField) {
  const json good = json::parse(sample_text());
  const auto refused = [&](const std::string& field, const json& value, const std::string& what) {
    json bad = good;
    const json::json_pointer pointer("/" + field);
    if (value.is_discarded())
      bad.at(pointer.parent_pointer()).erase(pointer.back());
    else
      bad[pointer] = value;
    std::string name = field;
    std::ranges::replace(name, '/', '.');
    EXPECT_THAT(file_error_message([&] { parse_description(bad.dump()); }),
                AllOf(StartsWith("m.json: cases[0]."), HasSubstr(name + " "),
                      HasSubstr("; expected "), HasSubstr(what)))
        << field << " = " << value;
  };
  const json absent(json::value_t::discarded);
  for (const char* field :
       {"format", "path", "tier", "reason", "why", "op", "options", "mode", "dtype", "sequence",
        "exact", "expected", "sha256", "sha256/inputs", "sha256/expected", "condition"}) {
    refused(field, absent, "is absent");
    if (std::string_view(field) == "condition") continue;
    refused(field, 7, "is a number");
  }
  refused("format", "normproof-golden-case-2", "'normproof-golden-case-1'");
  refused("path", "quick/../../etc", "small letters");
  refused("path", "/quick", "small letters");
  refused("path", "", "small letters");
  refused("path", "quick//x", "small letters");
  refused("tier", "quik", "did you mean 'quick'?");
  refused("op", "batchnorm", "did you mean 'batch_norm'?");
  refused("mode", "eval", "training or inference");
  refused("dtype", "float8",
          "float64, float32, float16, bfloat16, float8_e4m3fn, float8_e5m2, int8 or float4_e2m1fn");
  refused("dtype", "int64",
          "float64, float32, float16, bfloat16, float8_e4m3fn, float8_e5m2, int8 or float4_e2m1fn");
  refused("options/eps", 1e-5, "a value as --set takes it");
  refused("sha256/inputs", std::string(63, 'a'), "64 hexadecimal digits");
  refused("sha256/expected", std::string(64, 'G'), "64 hexadecimal digits");
  json bad = good;
  bad["options"]["esp"] = "1";
  EXPECT_THAT(file_error_message([&] { parse_description(bad.dump()); }),
              HasSubstr("did you mean 'eps'?"));
}

TEST(Manifest, HoldsTheCasesAndTheirTotals) {
  const std::vector<std::string> texts = {sample_text("a"), sample_text("b")};
  const std::string text = manifest_json(texts);
  const json manifest = json::parse(text);
  EXPECT_EQ(manifest["totals"]["cases"], 2);
  EXPECT_EQ(manifest["totals"]["tensors"],
            2 * json::parse(texts[0])["totals"]["tensors"].get<int>());
  EXPECT_EQ(manifest["cases"][0], json::parse(texts[0]));
  const std::vector<CaseDescription> cases = parse_manifest(text, "m.json");
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[1].path, "quick/batch_norm/b-2x4x3-float32");
  EXPECT_EQ(cases[1].expected_sha256, parse_description(texts[1]).expected_sha256);
}

TEST(Manifest, ReportsEachDamageInOneSentence) {
  const json good = json::parse(manifest_json({sample_text("a"), sample_text("b")}));
  const auto refused = [](const json& bad, const std::string& what) {
    EXPECT_THAT(file_error_message([&] { parse_manifest(bad.dump(), "m.json"); }),
                AllOf(StartsWith("m.json: "), HasSubstr(what)));
  };
  json bad = good;
  bad["format"] = "normproof-golden-2";
  refused(bad, "format is 'normproof-golden-2'; expected 'normproof-golden-1'");
  bad = good;
  std::swap(bad["cases"][0], bad["cases"][1]);
  refused(bad,
          "cases[1].path is 'quick/batch_norm/a-2x4x3-float32'; expected a path after "
          "'quick/batch_norm/b-2x4x3-float32'");
  bad = good;
  bad["cases"][1] = bad["cases"][0];
  refused(bad, "cases[1].path is ");
  bad = good;
  bad["cases"].erase(1);
  refused(bad, "totals.cases is 2; expected the number of cases, 1");
  bad["cases"].erase(0);
  refused(bad, "cases has no entry; expected at least one");
  bad["cases"] = {1};
  refused(bad, "cases[0]. is no object");
  bad = good;
  bad["cases"][1]["dtype"] = "float8";
  refused(bad, "cases[1].dtype is 'float8'");
  bad = good;
  bad.erase("totals");
  refused(bad, "totals is absent");
  refused(json::array(), "the whole is no JSON object");
}

}  // namespace
}  // namespace normproof::verification::golden::certify
