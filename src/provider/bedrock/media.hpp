#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "json/writer.hpp"

#include <set>
#include <string>
#include <string_view>

namespace runnel::provider::bedrock {

// Writes pictures, documents, sound and film as Converse's content blocks. Each document of a
// request has a name of its own there.
class MediaWriter {
public:
    explicit MediaWriter(json::Writer writer) : writer_(writer) {}

    // `param` names the part in errors.
    Result<void> write(const chat::Part& part, const std::string& param);

private:
    Result<void> write_inline(const chat::Source& source, const chat::File* file,
                              const std::string& param);
    void write_text_document(const chat::File& file);
    void begin_document(std::string_view format, const chat::File* file);
    void end_document(const chat::File* file);
    std::string document_name(const chat::File* file);

    json::Writer writer_;
    std::set<std::string> names_;
};

}  // namespace runnel::provider::bedrock
