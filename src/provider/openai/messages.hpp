#pragma once

#include "chat/request.hpp"
#include "json/writer.hpp"
#include "provider/openai/content.hpp"
#include "provider/presets.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider {

// Writes the conversation of a request for one provider of the family.
class MessageWriter {
public:
    // `owner` ("kind/model") says which kept state may go back. All four must outlive the writer.
    MessageWriter(const RequestQuirks* quirks, std::string_view owner, const chat::Request* request,
                  std::string* out);

    // Appends them as an array.
    void write();

private:
    void write_schema_instruction();
    void write_message(const chat::Message& message);
    void begin_message(chat::Role role);
    // Behind the results of a turn's calls: those that are missing, and what is no text.
    void end_results();
    void write_calls(const chat::Message& message);
    void write_call(const chat::Part& part, const chat::ToolCall& call);
    void write_arguments(const chat::ToolCall& call);
    void write_reasoning(const chat::Message& message);
    void write_reasoning_content(const chat::Message& message, std::string_view if_lost);
    void write_reasoning_details(const chat::Message& message);
    void write_detail(const chat::Reasoning& reasoning);
    void write_thoughts(json::Literal key, const chat::Message& message);
    void write_extras(const chat::Message& message);

    bool keeps_name(const chat::Message& message) const;
    bool is_unmarked_prefill(const chat::Message& message) const;
    // Whether it is reasoning whose signature or encryption this provider understands.
    bool is_usable(const chat::Part& part) const;
    std::string tool_id(std::string_view id) const;
    bool has_own_state(const chat::ToolCall& call) const;
    // What this provider said in that turn; empty when it is lost or another's.
    std::string_view kept_state(const chat::Message& message) const;

    const RequestQuirks& quirks_;
    std::string_view owner_;
    const chat::Request& request_;
    std::string& out_;
    json::Writer writer_;
    ContentWriter content_;
    ToolNames names_;
    chat::Role before_ = chat::Role::user;             // who spoke last
    std::vector<std::string_view> unanswered_;         // calls of this turn that have no result
    std::vector<const chat::Message*> media_results_;  // results of this turn, not of text alone
};

// A tool-call id for providers that want exactly nine letters and digits: the same for the same id,
// so that calls and results still match.
std::string nine_character_id(std::string_view id);

}  // namespace runnel::provider
