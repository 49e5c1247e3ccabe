#pragma once

#include <string>

namespace normproof::verification::cli {

/// What --help says before and after the list of options.
std::string program_description();
std::string program_footer();
std::string verify_footer();
/// With every layer and its options with their defaults, from ref/model.
std::string eval_footer();
std::string determinism_footer();
std::string train_footer();
std::string trace_footer();
std::string study_footer();
std::string gpu_footer();
std::string gpu_agree_footer();
std::string gpu_train_footer();
std::string probe_order_footer();
std::string golden_footer();
std::string golden_make_footer();
std::string golden_check_footer();
std::string golden_export_footer();
std::string golden_power_footer();
std::string regress_footer();
std::string regress_record_footer();
std::string regress_compare_footer();
std::string golden_relations_footer();
std::string golden_bless_footer();

}  // namespace normproof::verification::cli
