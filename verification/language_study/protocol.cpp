#include "verification/language_study/protocol.hpp"

#include "ref/io/sha256.hpp"
#include "verification/language_study/plan.hpp"

namespace normproof::verification::language_study {

std::string protocol_sha256(training::Task task) {
  std::string text;
  for (const Size size : {Size::quick, Size::whole})
    for (const Cell& cell : choosing_cells({.tasks = {task}, .size = size}))
      text += cell_name(cell) + "\n" + training::config_json(config_of(cell));
  return ref::io::sha256(text);
}

}  // namespace normproof::verification::language_study
