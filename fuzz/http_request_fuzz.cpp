// Arbitrary bytes as a client's connection: whatever they are and however they are cut, reading
// them ends, keeps within its limits, and comes to the same requests.
#include "check.hpp"
#include "http/server/request_body.hpp"
#include "http/server/request_reader.hpp"

#include <algorithm>
#include <string>

namespace {

using runnel::fuzz::require;
namespace http = runnel::http;

constexpr std::size_t head_bytes = 4096;
constexpr std::size_t body_bytes = 65536;

// All that was understood, as text.
std::string read_all(std::string_view wire, std::size_t step) {
    http::RequestReader reader(head_bytes);
    std::string seen;
    http::Request request;
    http::RequestBody body;
    bool in_body = false;
    for (std::size_t at = 0; at < wire.size(); at += step) {
        std::string_view bytes = wire.substr(at, step);
        while (!bytes.empty()) {
            if (!in_body) {
                const auto taken = reader.feed(bytes);
                if (!taken) return seen + "!" + taken.error().message;
                require(*taken <= bytes.size(), "took what was not there");
                bytes.remove_prefix(*taken);
                if (!reader.done()) continue;
                request = reader.take();
                body = http::RequestBody(request.framing);
                if (auto begun = body.begin(request.headers, {body_bytes, nullptr}); !begun)
                    return seen + "!" + begun.error().message;
                in_body = true;
            }
            const auto taken = body.feed(bytes);
            // Of compressed bytes that are both too many and broken, either may be found out first.
            if (!taken && request.headers.has("Content-Encoding")) return seen + "!";
            if (!taken) return seen + "!" + taken.error().message;
            require(*taken <= bytes.size(), "took what was not there");
            bytes.remove_prefix(*taken);
            while (body.is_behind())
                if (!body.inflate()) return seen + "!";
            if (!body.is_whole()) continue;
            in_body = false;
            const std::string text = body.take();
            require(text.size() <= body_bytes, "the body is larger than its limit");
            seen += request.method + " " + request.target + "\n";
            for (std::size_t i = 0; i < request.headers.size(); ++i) {
                const auto [name, value] = request.headers.at(i);
                require(http::is_token(name) && http::is_field_value(value), "not a field", value);
                seen += std::string(name) + ":" + std::string(value) + "\n";
            }
            seen += text + "\n";
        }
    }
    return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto [split, wire] = runnel::fuzz::cut_input(data, size);
    if (wire.empty()) return 0;
    const std::string whole = read_all(wire, wire.size());
    require(read_all(wire, std::max<std::size_t>(split, 1)) == whole, "depends on the cuts", whole);
    return 0;
}
