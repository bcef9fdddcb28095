#pragma once

#include "base/padded.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace runnel::cli {

// A running gateway, for commands that talk to one: one request at a time, each until its answer
// has ended.
class GatewayClient {
public:
    struct Request {
        std::string method = "GET";
        std::string path;       // with its query, e.g. /v1/models
        std::string body{};     // JSON
        std::string dialect{};  // of a stream
    };
    struct Answer {
        int status = 0;
        std::string body{};  // where nobody else got it
        enum class End { whole, interrupted } end = End::whole;
    };
    // Gets the body of an answer with status 200 as it comes.
    using OnBody = std::function<void(Padded bytes)>;

    // What Ctrl-C (SIGINT) does: as ever; or end the answer that is under way and nothing else, at
    // any time.
    enum class Interrupt { ends_program, ends_answer };
    // unix:data/admin.sock is the gateway's socket for its admin, who needs no key there. Nothing
    // is asked yet; the error says what is wrong with the URL.
    static Result<std::unique_ptr<GatewayClient>>
    make(std::string_view url, Secret key, Interrupt interrupt = Interrupt::ends_program);
    ~GatewayClient();

    // An error says, in words for people, that no answer came; one with any status is none.
    Result<Answer> ask(Request request, const OnBody& on_body = {});

    // The same, where anything but a whole answer with status 200 is an error.
    Result<Answer> get(std::string path, const OnBody& on_body = {});

    // What an answer with another status than 200 says is wrong, with what to do about it.
    Error refusal(const Answer& answer) const;

private:
    struct Parts;
    explicit GatewayClient(std::unique_ptr<Parts> parts);

    std::unique_ptr<Parts> parts_;
};

// --url, else RUNNEL_URL, else where a gateway listens that nobody configured; the key likewise.
inline constexpr std::string_view default_gateway_url = "http://127.0.0.1:8080";

}  // namespace runnel::cli
