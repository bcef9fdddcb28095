#pragma once

#include "api/dialect.hpp"
#include "api/ollama/answer.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace runnel::api::ollama {

// The stream of /api/chat and /api/generate: a line for each piece of the first choice, and one
// that says why it ends. After a failure an error line and nothing else. Tools that the gateway
// runs do not show: clients of this API would try to run them.
class Stream final : public Encoder {
public:
    // `out` must outlive the encoder.
    Stream(const Envelope& envelope, Form form, std::string* out);

    void on(const timeline::Event& event) override;
    std::size_t held_bytes() const override;

private:
    struct Call {
        std::string id{};
        std::string name{};
        std::string arguments_escaped{};
    };

    void tell(std::string_view begin, std::string_view text);
    void keep_tokens(const timeline::Logprobs& event);
    void begin_call(const timeline::ToolStarted& event);
    void add_arguments(const timeline::ToolArguments& event);
    void end_call(int index);
    void write_call(int index, const Call& call);
    void end_line();
    void fail(const Error& error);
    void end();

    std::string& out_;
    Envelope::Reasoning show_thoughts_;
    const Took* took_;
    std::string begin_;  // of every object
    std::string text_begin_, thought_begin_;
    std::string_view text_end_;
    std::string nothing_;  // what the last object says
    Form form_;
    std::string tokens_;         // of the text that follows
    std::map<int, Call> calls_;  // whose arguments are still to come
    std::size_t call_bytes_ = 0;
    Ending ending_;
    bool failed_ = false;
};

}  // namespace runnel::api::ollama
