#include "verification/checks/evaluation/transformer_inputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/ref/numeric/error_message.hpp"
#include "verification/checks/evaluation/inputs.hpp"

namespace normproof::verification::checks::evaluation {
namespace {

using ref::io::DType;
using ref::io::StoredTensor;
using ref::model::Mode;
using ::testing::HasSubstr;
using StoredTensors = std::vector<StoredTensor>;

StoredTensor tensor_of_ones(const std::string& name, const std::vector<std::size_t>& shape,
                            DType dtype = DType::float64) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  return ref::io::make_tensor(name, dtype, shape, std::vector<double>(count, 1));
}

/// Returns the input tensors of the operation `name` for two sentences, two features and
/// vocabularies of three tokens.
StoredTensors make_input_tensors(const char* name) {
  const ref::model::Operation operation = ref::model::operation(name);
  const auto& own = std::get<ref::model::TransformerOperation>(operation);
  const auto config = transformer_config(own, [](const std::string& matrix) {
    using Extents = std::pair<std::size_t, std::size_t>;
    return matrix.ends_with("embedding.weight") ? Extents{3, 2} : Extents{3, 2};
  });
  StoredTensors tensors;
  for (const auto& [parameter, shape] : transformer_parameters(own, config))
    tensors.push_back(tensor_of_ones(parameter, shape));
  tensors.push_back(tensor_of_ones("tokens", {2, 2}, DType::int64));
  if (std::string_view(name) == "decoding") {
    tensors.push_back(tensor_of_ones("memory", {2, 3, 2}));
    return tensors;
  }
  tensors.push_back(tensor_of_ones("targets", {2, 2}, DType::int64));
  if (std::string_view(name) == "translator")
    tensors.push_back(tensor_of_ones("source", {2, 3}, DType::int64));
  return tensors;
}

StoredTensors replace_tensor(StoredTensors tensors, const StoredTensor& other) {
  std::erase_if(tensors, [&](const StoredTensor& own) { return own.name == other.name; });
  tensors.push_back(other);
  return tensors;
}

TransformerTensors read(const char* name, const StoredTensors& tensors) {
  const ref::model::Operation operation = ref::model::operation(name);
  return operation_inputs("f", tensors, operation, Mode::training, false).transformer;
}

std::string refusal(const char* name, const StoredTensors& tensors) {
  return ref::numeric::error_message<ref::numeric::FileError>([&] { read(name, tensors); });
}

TEST(TransformerInputs, MasksAndPastKeysAreReadFromTheFile) {
  StoredTensors tensors = make_input_tensors("translator");
  const TransformerTensors none = read("translator", tensors);
  EXPECT_FALSE(ref::tensor::is_given(none.valid));
  EXPECT_FALSE(ref::tensor::is_given(none.source_valid));
  EXPECT_EQ(none.config.source_vocab_size, 3u);
  EXPECT_EQ(none.source.seq_len, 3u);
  tensors.push_back(ref::io::make_tensor("source_valid", DType::boolean, {2, 3},
                                         std::vector<double>{1, 1, 0, 1, 1, 1}));
  EXPECT_EQ(std::ranges::count(read("translator", tensors).source_valid, false), 1);
  StoredTensors decoding = make_input_tensors("decoding");
  EXPECT_EQ(read("decoding", decoding).tensors.find("layers.0.self_attention.past_keys"), nullptr);
  decoding.push_back(tensor_of_ones("layers.0.self_attention.past_keys", {2, 4, 2}));
  decoding.push_back(tensor_of_ones("layers.0.self_attention.past_values", {2, 4, 2}));
  EXPECT_EQ(read("decoding", decoding).tensors.at("layers.0.self_attention.past_keys").shape(1),
            4u);
}

TEST(TransformerInputs, PastOfLengthZeroIsTreatedAsAbsent) {
  StoredTensors decoding = make_input_tensors("decoding");
  for (const char* part : {"keys", "values"})
    decoding.push_back(
        tensor_of_ones(std::string("layers.0.self_attention.past_") + part, {2, 0, 2}));
  EXPECT_EQ(read("decoding", decoding).tensors.find("layers.0.self_attention.past_keys"), nullptr);
  EXPECT_THAT(refusal("decoding",
                      replace_tensor(decoding, tensor_of_ones("layers.0.self_attention.past_values",
                                                              {2, 1, 2}))),
              HasSubstr("past_values has shape [2, 1, 2]; expected shape [2, 0, 2]"));
  EXPECT_THAT(refusal("decoding",
                      replace_tensor(decoding, tensor_of_ones("layers.0.self_attention.past_keys",
                                                              {2, 0, 3}))),
              HasSubstr("past_keys has shape [2, 0, 3]; expected [2,P,2], P at least 0"));
}

TEST(TransformerInputs, ErrorsNameTheTensorAndWhatIsExpected) {
  const StoredTensors pair = make_input_tensors("translator"),
                      step = make_input_tensors("decoding");
  EXPECT_THAT(
      refusal("translator", replace_tensor(pair, tensor_of_ones("source", {1, 3}, DType::int64))),
      HasSubstr("source has 1 sentences; expected 2, as tokens"));
  EXPECT_THAT(
      refusal("translator", replace_tensor(pair, tensor_of_ones("targets", {2, 3}, DType::int64))),
      HasSubstr("targets has shape [2, 3]"));
  EXPECT_THAT(refusal("translator",
                      replace_tensor(pair, ref::io::make_tensor("targets", DType::int64, {2, 2},
                                                                std::vector<double>{0, 1, 2, 3}))),
              HasSubstr("whole numbers from 0 to 2"));
  EXPECT_THAT(refusal("translator", replace_tensor(pair, tensor_of_ones("memory", {2, 3, 2}))),
              HasSubstr("unknown tensor 'memory'"));
  EXPECT_THAT(refusal("decoding", replace_tensor(step, tensor_of_ones("memory", {1, 3, 2}))),
              HasSubstr("memory has shape [1, 3, 2]; expected [2,S,2], S at least 1"));
  EXPECT_THAT(
      refusal("decoding",
              replace_tensor(step, tensor_of_ones("layers.0.self_attention.past_keys", {2, 4, 2}))),
      HasSubstr("past_values is absent; expected"));
  EXPECT_THAT(
      refusal("decoding", replace_tensor(step, tensor_of_ones("layers.0.self_attention.past_values",
                                                              {2, 4, 2}))),
      HasSubstr("past_keys is absent; expected"));
  StoredTensors without = make_input_tensors("language_model");
  std::erase_if(without, [](const StoredTensor& own) { return own.name == "targets"; });
  EXPECT_THAT(refusal("language_model", without), HasSubstr("targets is absent"));
  ref::model::Operation heads = ref::model::operation("decoding");
  ref::model::set_option(heads, "num_heads", "3");
  EXPECT_THAT(ref::numeric::error_message<ref::numeric::FileError>(
                  [&] { operation_inputs("f", step, heads, Mode::inference, false); }),
              HasSubstr("num_heads"));
}

}  // namespace
}  // namespace normproof::verification::checks::evaluation
