#pragma once

#include "base/header_field.hpp"
#include "base/padded.hpp"
#include "base/result.hpp"
#include "chat/request.hpp"
#include "framing/framing.hpp"
#include "json/parser.hpp"
#include "provider/cloud_settings.hpp"
#include "provider/core/turn.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider {

using Header = HeaderField;

// One configured provider, as the config file names it.
struct ProviderConfig {
    std::string name;               // what the user calls it
    std::string kind;               // a registry name or preset
    std::string base_url;           // empty: the kind's own
    std::vector<Header> headers{};  // added to every request
    std::string api_version{};      // Azure's query parameter
    CloudSettings cloud{};
};

// The header that a provider reads a key from, and what comes before the key there.
struct KeyHeader {
    std::string_view name = "authorization";
    std::string_view prefix = "Bearer ";
};

// An answer made here, without a network (the demo provider): pieces of bytes with the pause before
// each.
struct Script {
    struct Piece {
        std::chrono::milliseconds pause;
        std::string bytes;
    };
    int status = 200;
    std::vector<Piece> pieces;
};

// The HTTP request that asks a provider, without what proves who asks (credentials/). `path` (with
// its query) comes after the base URL's scheme and host.
struct Outgoing {
    std::string method = "POST";
    std::string path;
    std::vector<Header> headers;
    std::string body;
    std::vector<std::string> warnings{};  // for X-Gateway-Warnings, e.g. schema_sanitized
    TurnOptions turn{};                   // what the request implies for reading its answer
    // Whether the provider has a mode for request.output, and has been asked for it.
    timeline::Started::Form form = timeline::Started::Form::free;
    std::optional<Script> script{};  // then there is no upstream to call
};

// A provider's answer that is not 200.
struct ErrorReply {
    int status = 0;
    std::vector<Header> headers{};  // names in lower case
    std::string_view body{};
};

// What one wire format makes of the frames of one answer: it reads JSON and tells the Turn. One per
// answer.
class Wire {
public:
    virtual ~Wire() = default;
    // How a body that begins with `first` (its first byte that is no white space) is cut into
    // frames; null means it is one JSON document, which goes to on_body().
    virtual std::unique_ptr<framing::Framing> framing_for(char first) const = 0;
    virtual void on_frame(const framing::Frame& frame, Turn& turn) = 0;
    virtual void on_body(Padded body, Turn& turn) = 0;
    // Of what it keeps of the answer.
    virtual std::size_t held_bytes() const { return 0; }
};

class Embedder;

class Provider {
public:
    virtual ~Provider() = default;
    // Scheme, host and port of the base URL, e.g. "https://api.openai.com"; empty for the demo
    // provider.
    virtual std::string_view origin() const = 0;
    // How the provider is called in messages to users, e.g. "Anthropic".
    virtual std::string_view display_name() const = 0;
    virtual KeyHeader key_header() const { return {}; }
    // How it knows who asks, where the config gives no key.
    enum class Identity { key, aws, google };
    virtual Identity identity() const { return Identity::key; }
    // `model` is the provider's own name for it.
    virtual Result<Outgoing> write_request(const chat::Request& request,
                                           std::string_view model) const = 0;
    // `parser` is the thread's; it must outlive the wire.
    virtual std::unique_ptr<Wire> make_wire(json::Parser* parser) const = 0;
    virtual Error read_error(const ErrorReply& reply) const = 0;
    // True where the provider refused the request for a reason that has a known cure, and
    // `outgoing` has been cured: it is worth asking again, once.
    virtual bool repair(const ErrorReply& reply, Outgoing* outgoing) const;
    // How answers of `model` (the provider's own name for it) are read when nothing is known of the
    // request, as when a recorded answer is replayed. write_request() starts from the same value,
    // so Outgoing::turn is this plus what the request asks for (e.g. tool_calls_max where parallel
    // calls are off).
    virtual TurnOptions turn_options(std::string_view model) const = 0;

    // What it can be asked besides (operations.hpp); null: it can't.
    virtual const Embedder* embedder() const { return nullptr; }
};

}  // namespace runnel::provider
