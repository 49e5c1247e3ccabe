#include "verification/studies/language/protocol.hpp"

#include "ref/io/sha256.hpp"
#include "verification/studies/language/plan.hpp"

namespace normproof::verification::studies::language {

std::string protocol_sha256(training::Task task) {
  std::string text;
  for (const Size size : {Size::quick, Size::whole})
    for (const Cell& cell : rate_selection_cells({.tasks = {task}, .size = size}))
      text += cell_name(cell) + "\n" + training::config_json(make_run_config(cell));
  return ref::io::sha256(text);
}

}  // namespace normproof::verification::studies::language
