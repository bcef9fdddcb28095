#pragma once

#include "base/result.hpp"

#include <string>

namespace runnel::server {

// 256 random bits in hexadecimal: a name that nobody can guess.
Result<std::string> random_name();

}  // namespace runnel::server
