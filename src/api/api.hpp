#pragma once

#include "api/dialect.hpp"
#include "base/result.hpp"
#include "chat/request.hpp"
#include "json/parser.hpp"
#include "json/tree.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::api {

// A request as it came in.
struct Incoming {
    std::string body{};
    // What the path says, where an API has it there.
    std::string model{};
    std::optional<chat::Streaming> streaming{};
    std::string_view dialect{};
};

// An earlier request of a conversation that is kept, and its answer.
struct EarlierTurn {
    std::string input_json{};
    std::string answer_json{};
};

// Items of earlier turns by their ids.
using Items = std::map<std::string, json::Node, std::less<>>;

// An API that clients speak: it reads requests, and its dialects write the answers. An endpoint
// brings its API along, so nothing in between asks which one it is.
class Api {
public:
    virtual ~Api() = default;
    virtual std::string_view name() const = 0;  // e.g. "chat"
    // `parser` is used during the call only.
    virtual Result<chat::Request> read_request(Incoming incoming, json::Parser* parser) const = 0;
    // Puts what was said before, oldest first, into a request that goes on from it. Only asked of
    // an API whose requests can (chat::KeptConversation).
    virtual Result<void> add_earlier(std::vector<EarlierTurn> /*turns*/, chat::Request* /*request*/,
                                     json::Parser* /*parser*/) const {
        return {};
    }
    // A request's body with the items themselves where it refers to them.
    virtual Result<std::string> with_items(std::string_view body, const Items& /*items*/) const {
        return std::string(body);
    }
    // Whether its answers can do without a client (chat::KeptConversation::in_background); then
    // what one is before it has begun, and how its stream begins.
    virtual bool has_background() const { return false; }
    virtual std::string queued_answer(const Envelope& /*envelope*/) const { return {}; }
    virtual std::string queued_stream(const Envelope& /*envelope*/) const { return {}; }
    // What can't be wanted together; asked once the model's defaults are in it.
    virtual Result<void> check_request(const chat::Request& request) const = 0;
    // False where the answer is an empty one that no model is asked for.
    virtual bool asks_a_model(const chat::Request& /*request*/) const { return true; }
    // The first is what a client gets that asks for none.
    virtual std::span<const Dialect* const> dialects() const = 0;
    // The JSON body of an error that is sent with its HTTP status.
    virtual std::string error_body(const Error& error) const = 0;
    // Its HTTP status.
    virtual int error_status(const Error& error) const { return shape_of(error.kind).status; }
    // Whether a header of that name (in lower case) says something that only providers of the same
    // API understand.
    virtual bool has_header(std::string_view /*name*/) const { return false; }
    // A request whose tokens are to be counted, in the words of the API's own endpoint for that,
    // and the answer to it. Only asked of an API that has one.
    virtual Result<chat::Request> read_count_request(Incoming incoming,
                                                     json::Parser* parser) const {
        return read_request(std::move(incoming), parser);
    }
    virtual std::string count_body(std::int64_t /*tokens*/) const { return {}; }
    // What the ids of its answers begin with; empty: what the config says.
    virtual std::string_view id_prefix() const { return {}; }
};

}  // namespace runnel::api
