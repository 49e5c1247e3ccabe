#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <variant>

#include "verification/cli/gpu.hpp"

namespace normproof::verification::cli {

/// The options of `normproof gpu` and its verbs, and of `normproof probe-order`, as text.
struct GpuTexts {
  std::string device = "simulated", seed, jobs, json, junit, html;
  std::string mode = "ordered", precision = "double", tier = "quick";
  std::string norm = "layer_norm", optimizer = "sgd", steps = "10";
  std::string subject, terms = "600", side = "8";
};

void add_gpu(CLI::App& app, GpuTexts& texts);
void add_probe_order(CLI::App& app, GpuTexts& texts);

/// Throws    UsageError
GpuAgreeCommand gpu_agree_command(const CLI::App& verb, const GpuTexts& texts);
GpuTrainCommand gpu_train_command(const CLI::App& verb, const GpuTexts& texts);
ProbeOrderCommand probe_order_command(const CLI::App& verb, const GpuTexts& texts);

}  // namespace normproof::verification::cli
