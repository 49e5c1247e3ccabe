#include "verification/golden/recipes/attention_cases.hpp"

namespace normproof::verification::golden::recipes {

void AttentionCases::masks() {
  add({.reason = "causal_more_keys",
       .why = "fewer queries than keys: the last query sees every key, not the first T alone",
       .tokens = 3,
       .keys = 7,
       .causal = true});
  for (const DType dtype : kHighPrecisionDtypes)
    add({.reason = "causal_fewer_keys",
         .why = "more queries than keys: the first ones see none, and give zeros and no NaN",
         .dtype = dtype,
         .tokens = 6,
         .keys = 4,
         .causal = true});
  add({.reason = "sample_without_keys",
       .why = "no key of the second sample takes part: zeros, no NaN and no mean of the values",
       .samples = 3,
       .valid = lengths({4, 0, 2})});
  add({.reason = "scattered_mask",
       .why = "keys between others take no part: a length does not say which",
       .valid = [](std::size_t b, std::size_t j) { return (j + b) % 3 != 1; }});
  for (const DType dtype : kEveryDtype)
    add({.reason = "masked_3e4",
         .why = "keys and values that take no part are larger than all others",
         .dtype = dtype,
         .k = [](std::size_t i, double normal) { return i / 4 % 5 < 3 ? normal : 3e4; },
         .v = [](std::size_t i, double normal) { return i / 4 % 5 < 3 ? normal : -3e4; },
         .valid = lengths({3, 3})});
}

void AttentionCases::windows() {
  for (const DType dtype : kEveryDtype)
    add({.reason = "window",
         .why = "a query sees the two keys before its own position, as in Mistral: one more, one "
                "less, or all",
         .dtype = dtype,
         .samples = 1,
         .tokens = 6,
         .keys = 6,
         .causal = true,
         .window_left = "2"});
  add({.reason = "window_more_keys",
       .why = "a window at the last key, as when text is generated: the first keys are never read",
       .tokens = 3,
       .keys = 9,
       .causal = true,
       .window_left = "3"});
  add({.reason = "window_both_sides",
       .why = "one key before and two behind, without a causal mask",
       .tokens = 7,
       .keys = 9,
       .window_left = "1",
       .window_right = "2"});
  add({.reason = "window_left_alone",
       .why = "keys behind are all visible: the window has one side",
       .tokens = 5,
       .keys = 7,
       .window_left = "1"});
  add({.reason = "window_right_alone",
       .why = "keys before are all visible: the window has one side",
       .tokens = 5,
       .keys = 7,
       .window_right = "1"});
  add({.reason = "window_of_own_key",
       .why = "a window of 0: each query sees its own key alone, whose weight is 1",
       .tokens = 4,
       .keys = 6,
       .window_left = "0",
       .window_right = "0"});
  add({.reason = "window_wider_than_keys",
       .why = "a window that hides nothing",
       .tokens = 3,
       .keys = 5,
       .causal = true,
       .window_left = "4096"});
  add({.reason = "window_fewer_keys",
       .why = "more queries than keys: those whose window ends before the first key see none",
       .tokens = 7,
       .keys = 4,
       .causal = true,
       .window_left = "1"});
  add({.reason = "window_ragged",
       .why = "lengths and a window: a query whose window has masked keys alone sees none",
       .tokens = 5,
       .keys = 5,
       .causal = true,
       .window_left = "1",
       .valid = lengths({5, 2})});
  add({.reason = "window_past_a_block",
       .why = "a window that begins in the second block of 64 keys: the first is skipped whole",
       .samples = 1,
       .heads = 1,
       .kv_heads = 1,
       .tokens = 3,
       .keys = 131,
       .features = 2,
       .values = 2,
       .causal = true,
       .window_left = "65"});
  for (const DType dtype : {DType::float32, DType::bfloat16}) {
    add({.reason = "top_left_more_keys",
         .why = "a causal mask from the first key, as in PyTorch: the last keys are never seen",
         .dtype = dtype,
         .tokens = 3,
         .keys = 7,
         .causal = true,
         .mask_corner = "top_left"});
    add({.reason = "top_left_fewer_keys",
         .why = "a causal mask from the first key, and more queries than keys: the last ones see "
                "every key",
         .dtype = dtype,
         .tokens = 6,
         .keys = 4,
         .causal = true,
         .mask_corner = "top_left"});
  }
  add({.reason = "top_left_window",
       .why = "a window from the first key: a query far behind the last key sees none",
       .tokens = 8,
       .keys = 5,
       .causal = true,
       .mask_corner = "top_left",
       .window_left = "1"});
}

}  // namespace normproof::verification::golden::recipes
