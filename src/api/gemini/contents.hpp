#pragma once

#include "api/request_value.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::api::gemini {

// Reads `contents` and `systemInstruction`, part by part. Clients that stream send each chunk back
// as a content of its own, so what the model said in a row is one message again, and the pieces of
// a text or a thought are one part.
class Contents {
public:
    // What is read goes into `request`, which must outlive the reader.
    explicit Contents(chat::Request* request) : request_(*request) {}

    Result<void> read(Value& contents);
    Result<chat::Message> read_system(Value& value);

private:
    // What a part says; views lie in the body.
    struct Fields {
        std::optional<std::string_view> text{};
        bool thought = false;
        std::string_view signature_raw{};
        std::optional<chat::ToolCall> call{};
        std::optional<chat::Part::Content> media{};
        bool result = false;
        std::string unknown{};  // the name of something that only Gemini knows
        chat::Extras extras{};
    };

    enum class Run { text, thought };

    Result<void> read_content(Value& content);
    Result<void> read_parts(Value& content);
    Result<void> read_part(Value& value);
    Result<void> read_field(std::string_view name, Value& field, Fields& fields);
    Result<void> read_call(Value& value, chat::ToolCall& call);
    Result<void> read_media(Value& value, std::optional<chat::Part::Content>& media);
    // A result is a message of its own; what stands around it stays around it.
    Result<void> read_result(Value& value);
    Result<void> read_result_field(std::string_view name, Value& field, chat::Message& message);
    Result<void> read_response(Value& response, chat::Message& message);

    Result<void> count(const Value& part);
    void add(const Value& value, Fields& fields);
    void add_call(Fields& fields);
    // Gemini's own signature, escaped; empty where there is none. One of another model's is a
    // thought of that model's.
    std::string_view own_signature(const Fields& fields);
    // More of a text or a thought of the model's.
    void go_on(Run kind, std::string_view text);
    void end_run(std::string_view signature_escaped = {});
    void end_turn();
    // The call that a result is for: the one with that id, else the first of that name which has
    // none yet; empty when there is no such call.
    std::string answered_call(const std::string& id, const std::string& name);

    chat::Request& request_;
    chat::Message turn_;  // that is being read
    Run run_ = Run::text;
    std::vector<std::string_view> pieces_;  // of the text or thought that is being read
    std::set<std::string> calls_;           // by id
    std::set<std::string> open_;            // those without a result
    std::map<std::string, std::deque<std::string>> ids_by_name_;
    std::size_t minted_ = 0;
    std::size_t parts_ = 0;
};

}  // namespace runnel::api::gemini
