#pragma once

#include "api/request_value.hpp"

#include <optional>

namespace runnel::api::gemini {

// Reads `generationConfig`: how the answer should be made, and in what form.
class GenerationConfig {
public:
    // What is read goes into `request`, which must outlive the reader.
    explicit GenerationConfig(chat::Request* request) : request_(*request) {}

    Result<void> read(Value& config);

private:
    Result<void> read_field(std::string_view name, Value& field);
    Result<void> read_number(const Value& value, std::optional<chat::Number>& into, double min,
                             double max);
    Result<void> read_stop(Value& value);
    Result<void> read_media_type(const Value& value);
    Result<void> read_schema(const Value& value);
    Result<void> read_thinking(Value& value);
    Result<void> read_thinking_field(std::string_view name, Value& field);
    void settle_thinking();

    chat::Request& request_;
};

}  // namespace runnel::api::gemini
