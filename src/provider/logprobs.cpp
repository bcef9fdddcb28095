#include "provider/logprobs.hpp"

#include "json/parser.hpp"
#include "json/writer.hpp"

#include <simdjson.h>

namespace runnel::provider {
namespace {

constexpr std::size_t kept_parser_bytes = 16 * 1024;

namespace dom = simdjson::dom;

bool is_whole(dom::array tokens) {
    for (const dom::element token : tokens) {
        dom::object object;
        dom::array top;
        double logprob = 0;
        if (token.get(object) || object["logprob"].get(logprob) || object["top_logprobs"].get(top))
            return false;
    }
    return true;
}

void write_value(json::Writer& writer, dom::object token, std::string_view name,
                 std::string_view otherwise) {
    dom::element value;
    const bool told = !token[name].get(value) && !value.is_null();
    writer.key(name).raw(told ? simdjson::minify(value) : std::string(otherwise));
}

void write_tokens(json::Writer& writer, dom::array tokens) {
    writer.begin_array();
    for (const dom::element token : tokens) {
        dom::object object;
        if (token.get(object)) continue;
        writer.begin_object();
        write_value(writer, object, "token", R"("")");
        write_value(writer, object, "logprob", "0");
        write_value(writer, object, "bytes", "null");
        write_value(writer, object, "top_logprobs", "[]");
        writer.end_object();
    }
    writer.end_array();
}

// {"tokens":["a",…],"token_logprobs":[-0.1,…]}
void write_lists(json::Writer& writer, dom::array tokens, dom::array numbers) {
    writer.begin_array();
    auto number = numbers.begin();
    for (const dom::element token : tokens) {
        double logprob = 0;
        if (number != numbers.end()) {
            if ((*number).get(logprob)) logprob = 0;
            ++number;
        }
        writer.begin_object().key("token").raw(simdjson::minify(token));
        writer.key("logprob").real(logprob).key("bytes").null();
        writer.key("top_logprobs").begin_array().end_array().end_object();
    }
    writer.end_array();
}

}  // namespace

std::string readable_logprobs(std::string_view raw) {
    std::string out;
    // Every chunk has some, so one parser's buffers are kept; not those for a whole answer's.
    thread_local dom::parser kept;
    dom::parser own;
    dom::parser& parser = raw.size() > kept_parser_bytes ? own : kept;
    dom::element root;
    if (parser.parse(raw.data(), raw.size()).get(root)) {
        // A token may be half a character: not text to a parser, but the turn can make it so.
        json::append_compact(out, raw);
        return out;
    }
    dom::object logprobs;
    if (root.get(logprobs)) return {};
    dom::array content;
    dom::array refusal;
    dom::array numbers;
    const bool has_content = !logprobs["content"].get(content);
    const bool has_refusal = !logprobs["refusal"].get(refusal);
    if ((has_content || has_refusal) && (!has_content || is_whole(content)) &&
        (!has_refusal || is_whole(refusal))) {
        json::append_compact(out, raw);
        return out;
    }
    json::Writer writer(out);
    writer.begin_object();
    if (has_content) write_tokens(writer.key("content"), content);
    if (has_refusal) write_tokens(writer.key("refusal"), refusal);
    if (!has_content && !has_refusal) {
        if (logprobs["tokens"].get(content) || logprobs["token_logprobs"].get(numbers)) return {};
        write_lists(writer.key("content"), content, numbers);
    }
    writer.end_object();
    return out;
}

}  // namespace runnel::provider
