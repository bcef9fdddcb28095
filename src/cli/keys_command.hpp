#pragma once

#include "cli/keys.hpp"

#include <ostream>
#include <string>

namespace CLI {
class App;
}

namespace runnel::cli {

// `runnel keys create|list|show|update|rotate|revoke` on the command line.
class KeysCommand {
public:
    // Adds itself to the program's commands, which must outlive it.
    explicit KeysCommand(CLI::App* app);
    KeysCommand(const KeysCommand&) = delete;  // the options point into it

    bool chosen() const;
    // A new secret goes to `out` by itself, so that a script can keep it; what is said about it to
    // `err`. The process's exit status.
    int run(std::ostream& out, std::ostream& err);

private:
    void add_place_options(CLI::App* command);
    void add_key_options(CLI::App* command);
    void add_id(CLI::App* command);
    Result<void> run(KeyCabinet& cabinet, std::ostream& out, std::ostream& err);
    Result<void> list(KeyCabinet& cabinet, std::ostream& out, std::ostream& err);
    void print(const ShownKey& shown, std::string_view what, std::ostream& out, std::ostream& err);

    CLI::App* keys_;
    CLI::App* create_;
    CLI::App* list_;
    CLI::App* show_;
    CLI::App* update_;
    CLI::App* rotate_;
    CLI::App* revoke_;
    std::string config_file_, data_;
    std::string id_, grace_ = "0s";
    std::string team_;
    bool json_ = false;
    KeyOptions options_;
};

}  // namespace runnel::cli
