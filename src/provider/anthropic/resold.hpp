#pragma once

#include "provider/provider.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::anthropic {

// What clouds that sell Claude are asked: the body, and how its answer is read. The path, the
// headers and the display name are theirs to add.
class ResoldClaude {
public:
    // `version` is the cloud's name for the API's. Of the configured headers `anthropic-beta` goes
    // into the body; it is taken out of `headers`.
    ResoldClaude(std::string_view version, std::string_view display_name,
                 std::vector<Header>& headers);

    Result<Outgoing> write_request(const chat::Request& request, std::string_view model) const;
    // As Provider has them.
    TurnOptions turn_options(std::string_view model) const;
    static bool repair(const ErrorReply& reply, Outgoing* outgoing);

private:
    std::string_view version_;
    std::string display_name_;
    std::vector<std::string> betas_;
};

}  // namespace runnel::provider::anthropic
