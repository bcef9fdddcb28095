#pragma once

#include "chat/request.hpp"
#include "timeline/event.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::tools {

// The JSON that a client wants for an answer, and how the gateway sees to it.
class JsonContract {
public:
    // Nothing where no JSON is asked for, or where several answers are.
    static std::optional<JsonContract> of(const chat::Request& request);

    // The client relies on the gateway: an answer is checked whoever gave it, and one that does not
    // fit is never shown. Otherwise it said response_format alone, and a provider that has a mode
    // for that is believed.
    bool binding() const { return binding_; }
    bool bare() const { return bare_; }  // json_only: there is no room for anything but the JSON
    int attempts() const { return attempts_; }

    // What the model must be told, where no response_format tells it; else empty.
    std::string instruction() const;

    // What an answer is worth: the JSON in it, on one line, or what keeps it from being that.
    struct Verdict {
        std::string json{};
        std::vector<std::string> problems{};

        bool good() const { return problems.empty(); }
    };
    Verdict examine(std::string_view text_escaped, timeline::Finish finish) const;

    // What the model is told when it has to answer again.
    std::string correction(const std::vector<std::string>& problems) const;

private:
    JsonContract() = default;

    std::string_view schema_raw_;  // empty: any JSON will do
    bool in_words_ = false;        // the model hears of it from the gateway
    bool binding_ = false;
    bool bare_ = false;
    int attempts_ = 1;
};

}  // namespace runnel::tools
