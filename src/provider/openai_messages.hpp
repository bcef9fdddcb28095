#pragma once

#include "chat/request.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "provider/presets.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider {

// Writes a conversation for one provider of the family. A message that the provider takes as it is
// goes on as the client wrote it, copied once; the others are written anew, field by field.
class MessageWriter {
public:
    // `owner` ("kind/model") says which kept state may go back. All three must outlive the writer.
    MessageWriter(const RequestQuirks* quirks, std::string_view owner, std::string* out);

    void write(const chat::Request& request);

private:
    bool goes_as_sent(const chat::Message& message) const;
    void write_message(const chat::Message& message);
    void rewrite(const chat::Message& message);
    void write_made(const chat::Message& message);  // a message that no client wrote
    void write_field(const chat::Message& message, std::string_view name,
                     json::ondemand::value value);
    void write_content(const chat::Message& message, std::string_view raw);
    void write_part(const chat::Part& part);
    void write_document(const chat::Part& part);
    void write_tool_calls(const chat::Message& message, json::ondemand::value calls);
    void write_tool_call(json::ondemand::value call, std::string_view kept);
    void write_function(json::ondemand::value function);
    void write_reasoning(const chat::Message& message);
    void write_schema_instruction(const chat::OutputFormat& output);
    // For calls without one; none are left.
    void write_missing_results(std::vector<std::string_view>& ids);

    std::string_view role_of(const chat::Message& message) const;
    bool keeps_name(const chat::Message& message) const;
    std::string tool_id(std::string_view id) const;
    // What stood beside this call of a message, for servers that want it back; else empty.
    std::string_view kept_extra(const chat::Message& message, std::size_t call) const;
    // What this provider said in that turn; null when it is lost or another's.
    const chat::KeptState* kept_state(const chat::Message& message) const;

    const RequestQuirks& quirks_;
    std::string_view owner_;
    std::string& out_;
    json::Writer writer_;
    json::Parser parser_;
    std::string padded_;  // the message that is being rewritten
};

// A tool-call id for providers that want exactly nine letters and digits: the same for the same id,
// so that calls and results still match.
std::string nine_character_id(std::string_view id);

}  // namespace runnel::provider
