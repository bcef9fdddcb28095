#pragma once

#include <ostream>
#include <string_view>

namespace runnel::cli {

// `runnel check FILE`: problems as FILE:LINE:COL: message on `err` and 1; or a summary on `out`,
// what may surprise as FILE: warning: message on `err`, and 0.
int check(std::string_view path, std::ostream& out, std::ostream& err);

}  // namespace runnel::cli
