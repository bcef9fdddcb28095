#pragma once

#include <string>

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace runnel::cli {

// What is wrong with a command line, and which help says how it is meant. For
// CLI::App::failure_message.
std::string misuse_message(const CLI::App* program, const CLI::Error& error);

}  // namespace runnel::cli
