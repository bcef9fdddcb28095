#pragma once

#include "api/request_value.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace runnel::api::messages {

// Reads the `messages` and `system` of a Messages request, block by block.
class BlockReader {
public:
    // What is read goes into `request`, which must outlive the reader.
    explicit BlockReader(chat::Request* request) : request_(*request) {}

    Result<void> read_messages(Value& messages);
    Result<void> read_system(Value& value, std::vector<chat::Message>& system);

private:
    Result<void> read_message(Value& value);
    Result<void> read_content(Value& content, chat::Role role);
    // A result of a tool is a message of its own; what stands around it stays around it.
    Result<void> read_tool_result(Value& block);
    Result<void> read_block(Value& block, std::vector<chat::Part>& parts);
    Result<void> read_known_block(Value& block, const std::string& type, chat::Part& part);
    Result<void> count(const Value& block);

    chat::Request& request_;
    std::set<std::string> call_ids_;
    std::size_t blocks_ = 0;
};

}  // namespace runnel::api::messages
