#pragma once

#include "client_rules.hpp"
#include "plain_json.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

// A strict reader of the frames that tell of tools which the gateway runs.
namespace runnel::conformance {

class ClientSteps {
public:
    explicit ClientSteps(const ClientRules& rules) : rules_(rules) {}

    // Whether this frame is one of them.
    bool is_step(const Json& frame) const;
    // Whether it is a chunk as well, with the keys of a chunk before its own.
    bool is_chunk() const { return rules_.tools != ClientRules::Tools::bare; }
    // What it tells, on one line; what is wrong with it is added to `violations`.
    std::string read(const Json& frame, std::vector<std::string>& violations);

private:
    std::string server_tool(const Json& frame, std::vector<std::string>& violations);
    std::string agent_frame(const Json& frame, std::vector<std::string>& violations);
    void follow(const std::string& id, std::string_view state,
                std::vector<std::string>& violations);

    ClientRules rules_;
    std::map<std::string, std::string> states_;  // of each run, by id
};

// These keys, all of them and in this order.
bool has_keys(const Json& object, const std::vector<std::string>& keys);

}  // namespace runnel::conformance
