#include "verification/claims/ledger/backward.hpp"

#include <algorithm>
#include <string>

#include "verification/claims/engine/control.hpp"
#include "verification/claims/fixtures/backward_check.hpp"

// Claims of group A: every hand-written backward is the derivative of its forward and equals the
// formula printed in the literature.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

struct Statement {
  std::string id, title, statement, source, assumptions;
};

Claim backward_claim(const Statement& s, const Layer& layer, const BatchKind& kind) {
  return {.id = s.id,
          .title = s.title,
          .statement = s.statement,
          .source = s.source,
          .assumptions = s.assumptions,
          .expected = Verdict::holds,
          .check = [=](const Run& run) {
            return examine(run, backward_property(run.subject, layer, kind));
          }};
}

constexpr auto kCenteredFormulaText =
    "grad_x_i = (1/s)[g_i − mean(g) − x̂_i mean(g x̂)], s = √(σ² + ε), g = γ ∂L/∂y";
constexpr auto kUncenteredFormulaText =
    "grad_x_i = (1/s)[g_i − x̂_i mean(g x̂)], s = √(ψ² + ε), g = γ ∂L/∂y";
constexpr auto kAnyColumnsText = "ε > 0; any x, also constant and zero columns, |mean| up to 2²⁶ σ";

}  // namespace

std::vector<Claim> backward_claims() {
  const std::string derived = "; derived: docs/derivations/norms.md";
  const BatchKind small{.max_rows = 7, .max_features = 3};
  const BatchKind wide{.max_rows = 4, .max_features = 6};
  const BatchKind sampled{.max_rows = 6, .max_features = 4};
  const BatchKind plain{.max_rows = 4, .max_features = 6, .affine = false};
  const BatchKind masked{.max_rows = 5, .max_features = 2, .masked = true};
  const auto over = [](const std::string& what, const char* formula) {
    return what + ": " + formula;
  };

  Claim masked_claim{
      .id = "A13",
      .title = "exact backward of PN-V with padded rows",
      .statement =
          "statistics from the valid rows V, n = |V|, every row normalised: "
          "grad_x_i = (1/s)[g_i − 1{i∈V} x̂_i (1/n) Σ_all j g_j x̂_j]",
      .source = "derived: docs/derivations/norms.md",
      .assumptions = "ε > 0, at least one valid row; padded rows may have ∂L/∂y ≠ 0",
      .expected = Verdict::holds,
      .check = [=](const Run& run) {
        const Evidence main =
            examine(run, backward_property(run.subject, power_norm_v_layer(), masked));
        return combine_parts(main,
                             examine(reduce_case_count(run),
                                     backward_property(run.subject, batch_norm_layer(), masked)),
                             "the same of batch_norm, with its mean(g) over all rows too");
      }};

  return {
      backward_claim({"A1", "backward of BatchNorm",
                      over("mean over the batch, per channel", kCenteredFormulaText),
                      "[IS15] section 3" + derived, kAnyColumnsText},
                     batch_norm_layer(), small),
      backward_claim({"A2", "backward of LayerNorm",
                      over("mean over the features, per token", kCenteredFormulaText),
                      "[BKH16]" + derived, kAnyColumnsText},
                     layer_norm_layer(), wide),
      backward_claim({"A3", "backward of PN-V",
                      over("mean over the batch, per channel", kUncenteredFormulaText),
                      "[SYG+20]" + derived, kAnyColumnsText},
                     power_norm_v_layer(), small),
      backward_claim({"A4", "backward of RMSNorm",
                      over("mean over the features, per token", kUncenteredFormulaText),
                      "[ZS19]" + derived, kAnyColumnsText},
                     rms_norm_layer(), wide),
      printed_form_claim(),
      backward_claim(
          {"A6", "backward of GroupNorm",
           over("mean over the tokens and features of one sample's group", kCenteredFormulaText),
           "[WH18]" + derived, kAnyColumnsText},
          group_norm_layer(), sampled),
      backward_claim({"A7", "backward of InstanceNorm",
                      over("mean over the tokens of one sample, per channel", kCenteredFormulaText),
                      "[UVL16]" + derived, kAnyColumnsText},
                     instance_norm_layer(), sampled),
      backward_claim(
          {"A8", "backward of group scaling",
           over("mean over one group of a token's features, γ = 1", kUncenteredFormulaText),
           "[CPV+19]" + derived, kAnyColumnsText},
          group_scaling_layer(), plain),
      backward_claim(
          {"A9", "backward of ScaleNorm",
           "u = x/√(‖x‖² + ε) per token: grad_x = (γ/√(‖x‖² + ε)) (∂L/∂y − u ⟨∂L/∂y, u⟩)",
           "[NS19]" + derived, kAnyColumnsText},
          scale_norm_layer(), plain),
      batch_renorm_claim(),
      affine_gradient_claim(),
      central_difference_claim(),
      masked_claim,
  };
}

}  // namespace normproof::verification::claims::ledger
