#pragma once

#include "provider/provider.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace runnel::provider::ollama {

// Reads the answer of Ollama's own /api/chat into a Turn: a JSON object per line, the last of them
// with done:true; or, without streaming, that one line alone. /api/generate differs only in where
// the text stands and is understood too.
class ChatWire final : public Wire {
public:
    explicit ChatWire(json::Parser* parser) : parser_(parser) {}

    std::unique_ptr<framing::Framing> framing_for(char first) const override;
    void on_frame(const framing::Frame& frame, Turn& turn) override;
    void on_body(Padded body, Turn& turn) override;

private:
    // A line's fields; views lie in the line.
    struct Line {
        std::string_view text{};
        std::string_view thinking{};
        std::string_view done_reason{};
        std::optional<std::int64_t> input{};
        std::optional<std::int64_t> cached{};  // within the input
        std::optional<std::int64_t> output{};
        bool done = false;
        bool error = false;
    };

    bool read_line(Padded text, Line& line, Turn& turn);
    void read_message(json::ondemand::value value, Line& line, Turn& turn);
    void read_call(json::ondemand::value value, Turn& turn);
    void start(Turn& turn);
    static void tell_text(Line& line, Turn& turn);
    static void tell_end(const Line& line, Turn& turn);

    json::Parser* parser_;
    bool started_ = false;
    Turn::CallKey calls_ = 0;
    std::string json_;       // a call's arguments as JSON text,
    std::string arguments_;  // and as a string's body
};

}  // namespace runnel::provider::ollama
