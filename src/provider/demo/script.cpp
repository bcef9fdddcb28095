#include "provider/demo/script.hpp"

#include "base/utf8.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace runnel::provider::demo {
namespace {

constexpr std::size_t pieces_max = 200;  // a long text comes in larger pieces, not for longer
constexpr std::size_t arguments_piece_bytes = 12;

using Write = std::function<void(json::Writer&)>;

// Joins neighbours until there are few enough.
std::vector<std::string_view> pieces_of(std::string_view escaped) {
    const std::vector<std::string_view> words = words_of(escaped);
    const std::size_t per_piece = words.size() / pieces_max + 1;
    std::vector<std::string_view> pieces;
    for (std::size_t i = 0; i < words.size(); i += per_piece) {
        const std::string_view last = words[std::min(i + per_piece, words.size()) - 1];
        pieces.emplace_back(words[i].data(), last.data() + last.size());
    }
    return pieces;
}

void write_error(json::Writer& writer) {
    writer.begin_object().key("error").begin_object();
    writer.key("message").string("this model fails, so that you can try how your client takes it");
    writer.key("type").string("server_error").key("code").string("server_error");
    writer.end_object().end_object();
}

void write_call(json::Writer& writer, const Answer::Call& call, std::string_view arguments) {
    writer.key("id").string(call.id).key("type").string("function");
    writer.key("function").begin_object();
    writer.key("name").string(call.name).key("arguments").string(arguments).end_object();
}

void write_usage(json::Writer& writer, const Answer& answer) {
    const auto reasoning = static_cast<std::int64_t>(words_of(answer.reasoning_escaped).size());
    auto output = reasoning + static_cast<std::int64_t>(words_of(answer.text_escaped).size());
    for (const Answer::Call& call : answer.calls)
        output += static_cast<std::int64_t>(call.name.size() + call.arguments.size() + 7) / 4;
    writer.key("usage").begin_object();
    writer.key("prompt_tokens").number(answer.prompt_tokens);
    writer.key("completion_tokens").number(output);
    writer.key("total_tokens").number(answer.prompt_tokens + output);
    if (reasoning > 0) {
        writer.key("completion_tokens_details").begin_object();
        writer.key("reasoning_tokens").number(reasoning).end_object();
    }
    writer.end_object();
}

void write_head(json::Writer& writer, std::string_view object, std::string_view model) {
    writer.key("id").string("demo").key("object").string(object);
    writer.key("created").number(0).key("model").string(model);
}

class Stream {
public:
    Stream(const Answer& answer, std::string_view model) : answer_(answer), model_(model) {}

    Script write() {
        delta([](json::Writer& w) { w.key("role").string("assistant").key("content").string(""); });
        for (const std::string_view piece : pieces_of(answer_.reasoning_escaped))
            delta([&](json::Writer& w) { w.key("reasoning_content").escaped(piece); });
        for (const std::string_view piece : pieces_of(answer_.text_escaped))
            delta([&](json::Writer& w) { w.key("content").escaped(piece); });
        for (std::size_t i = 0; i < answer_.calls.size(); ++i) call(i);
        if (answer_.failure == Answer::Failure::midstream) {
            event(write_error);
        } else {
            choice([](json::Writer& w) { w.key("delta").begin_object().end_object(); },
                   answer_.finish);
            chunk([&](json::Writer& w) {
                w.key("choices").begin_array().end_array();
                write_usage(w, answer_);
            });
        }
        add("data: [DONE]\n\n");
        return std::move(script_);
    }

private:
    void call(std::size_t index) {
        const Answer::Call& call = answer_.calls[index];
        const auto write = [&](const Write& inside) {
            delta([&](json::Writer& w) {
                w.key("tool_calls").begin_array().begin_object();
                w.key("index").number(static_cast<std::int64_t>(index));
                inside(w);
                w.end_object().end_array();
            });
        };
        write([&](json::Writer& w) { write_call(w, call, ""); });
        for (std::string_view rest = call.arguments; !rest.empty();) {
            const std::string_view piece = utf8_prefix(rest, arguments_piece_bytes);
            rest.remove_prefix(piece.size());
            write([&](json::Writer& w) {
                w.key("function").begin_object().key("arguments").string(piece).end_object();
            });
        }
    }

    void delta(const Write& inside) {
        choice(
            [&](json::Writer& w) {
                w.key("delta").begin_object();
                inside(w);
                w.end_object();
            },
            "");
    }

    void choice(const Write& inside, std::string_view finish) {
        chunk([&](json::Writer& w) {
            w.key("choices").begin_array().begin_object().key("index").number(0);
            inside(w);
            w.key("finish_reason");
            finish.empty() ? w.null() : w.string(finish);
            w.end_object().end_array();
        });
    }

    void chunk(const Write& inside) {
        event([&](json::Writer& w) {
            w.begin_object();
            write_head(w, "chat.completion.chunk", model_);
            inside(w);
            w.end_object();
        });
    }

    void event(const Write& inside) {
        std::string bytes = "data: ";
        json::Writer writer(bytes);
        inside(writer);
        add(bytes + "\n\n");
    }

    void add(std::string bytes) {
        const auto pause = script_.pieces.empty() ? answer_.first_pause : answer_.pause;
        script_.pieces.push_back({pause, std::move(bytes)});
    }

    const Answer& answer_;
    std::string_view model_;
    Script script_;
};

Script failure(int status, std::chrono::milliseconds pause) {
    Script script{.status = status, .pieces = {}};
    std::string body;
    json::Writer writer(body);
    write_error(writer);
    script.pieces.push_back({pause, std::move(body)});
    return script;
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view escaped) {
    std::vector<std::string_view> words;
    while (!escaped.empty()) {
        // A word begins with the spaces before it.
        const std::size_t letter = std::min(escaped.find_first_not_of(' '), escaped.size());
        const std::size_t end = std::min(escaped.find(' ', letter), escaped.size());
        words.push_back(escaped.substr(0, end));
        escaped.remove_prefix(end);
    }
    return words;
}

Script stream_of(const Answer& answer, std::string_view model) {
    if (answer.failure == Answer::Failure::before) return failure(503, answer.first_pause);
    return Stream(answer, model).write();
}

Script body_of(const Answer& answer, std::string_view model) {
    if (answer.failure != Answer::Failure::none)
        return failure(answer.failure == Answer::Failure::before ? 503 : 500, answer.first_pause);
    std::string body;
    json::Writer writer(body);
    writer.begin_object();
    write_head(writer, "chat.completion", model);
    writer.key("choices").begin_array().begin_object().key("index").number(0);
    writer.key("message").begin_object().key("role").string("assistant").key("content");
    answer.text_escaped.empty() ? writer.null() : writer.escaped(answer.text_escaped);
    if (!answer.reasoning_escaped.empty())
        writer.key("reasoning_content").escaped(answer.reasoning_escaped);
    if (!answer.calls.empty()) {
        writer.key("tool_calls").begin_array();
        for (const Answer::Call& call : answer.calls) {
            writer.begin_object();
            write_call(writer, call, call.arguments);
            writer.end_object();
        }
        writer.end_array();
    }
    writer.end_object().key("finish_reason").string(answer.finish).end_object().end_array();
    write_usage(writer, answer);
    writer.end_object();
    return {.status = 200, .pieces = {{answer.first_pause, std::move(body)}}};
}

}  // namespace runnel::provider::demo
