// Arbitrary bytes as an upstream's connection: whatever they are and however they are cut, reading
// them ends, keeps within its limits, and comes to the same answer.
#include "check.hpp"
#include "http/client/response_reader.hpp"

#include <algorithm>
#include <string>

namespace {

using runnel::fuzz::require;
namespace http = runnel::http;

class Seen final : public http::ResponseHandler {
public:
    void on_head(const http::ResponseHead& head) override {
        require(text.empty(), "a second head");
        text = std::to_string(head.status) + "\n";
        for (std::size_t i = 0; i < head.headers.size(); ++i) {
            const auto [name, value] = head.headers.at(i);
            require(http::is_token(name) && http::is_field_value(value), "not a field", value);
            text += std::string(name) + ":" + std::string(value) + "\n";
        }
        require(text.size() < 128 * 1024, "the head is larger than its limit");
    }
    void on_body(runnel::Padded bytes) override {
        require(!text.empty(), "a body before its head");
        require(!bytes.empty(), "an empty piece");
        text += bytes.text();
    }
    std::string text;
};

std::string read_all(std::string_view wire, std::size_t step) {
    http::ResponseReader reader;
    Seen seen;
    for (std::size_t at = 0; at < wire.size(); at += step) {
        std::string piece(wire.substr(at, step));
        const bool was_done = reader.done();
        const std::size_t before = seen.text.size();
        const auto fed = reader.feed(runnel::Padded::of(piece), &seen);
        if (!fed) return seen.text + "!" + fed.error().message;
        require(!was_done || before == seen.text.size(), "something after the end");
    }
    const auto finished = reader.finish();
    require(finished.has_value() == reader.done(), "neither over nor cut short");
    seen.text += reader.reusable() ? "reusable" : reader.done() ? "done" : "truncated";
    return seen.text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto [split, wire] = runnel::fuzz::cut_input(data, size);
    if (wire.empty()) return 0;
    const std::string whole = read_all(wire, wire.size());
    require(read_all(wire, std::max<std::size_t>(split, 1)) == whole, "depends on the cuts", whole);
    return 0;
}
