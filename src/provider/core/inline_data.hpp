#pragma once

#include "chat/request.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace runnel::provider {

// Bytes that a client sent inside its JSON. `base64_escaped` is a view into what was read.
struct InlineData {
    std::string media_type;  // lower case; may be empty
    std::string_view base64_escaped;
};

// Reads data:<type>[;…];base64,<data> as it stands in a JSON string, where slashes may be written
// \/.
std::optional<InlineData> read_data_url(std::string_view escaped);
// The same for bytes wherever the client put them; nothing where they are elsewhere.
std::optional<InlineData> inline_data(const chat::Source& source);

// What the bytes are by how they begin, whatever the client says they are, because providers
// compare: pictures and PDF files; else what the client says.
std::string media_type_of(const InlineData& data);

// Whether a part can be said to any provider in words: text, a refusal, a document of plain text.
bool is_words(const chat::Part& part);
// Appends them, escaped.
void append_words(std::string& out, const chat::Part& part);
// Whether there are parts that only another API than chat completions has a word for.
bool has_foreign_parts(const chat::Request& request);

}  // namespace runnel::provider
