#include "guardrail/transcript.hpp"

#include "guardrail/json.hpp"
#include "json/text.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <vector>

namespace runnel::guardrail {
namespace {

// What is said in an answer, told apart: what one choice says in one way is one text, however it
// came, and each call of a tool is another.
class Transcript {
public:
    struct Where {
        enum class Kind { text, refusal, reasoning, call, source, tool } kind;
        timeline::Choice choice = 0;
        std::size_t number = 0;
        friend bool operator==(const Where&, const Where&) = default;
    };

    void add(Where where, std::string_view escaped) {
        auto known = std::ranges::find(texts_, where, &Text::where);
        if (known == texts_.end()) known = texts_.insert(known, {where, {}});
        json::append_unescaped(known->text, escaped);
    }
    // JSON that nothing is added to.
    void add_alone(Where::Kind kind, std::string_view json) {
        if (!json.empty()) texts_.push_back({{kind, 0, texts_.size()}, readable(json)});
    }

    std::string joined() const {
        std::string all;
        for (const Text& text : texts_) {
            if (!all.empty()) all += '\n';
            all += text.where.kind == Where::Kind::call ? readable(text.text) : text.text;
        }
        return all;
    }

private:
    struct Text {
        Where where;
        std::string text;
    };
    std::vector<Text> texts_;
};

std::string source_json(const timeline::Citation& citation) {
    std::string json;
    json::Writer writer(json);
    writer.begin_object();
    if (!citation.url.empty()) writer.key("url").escaped(citation.url);
    if (!citation.title.empty()) writer.key("title").escaped(citation.title);
    if (!citation.cited_text.empty()) writer.key("cited_text").escaped(citation.cited_text);
    writer.end_object();
    return json;
}

}  // namespace

std::string transcript_for(const GuardrailRule& asking, std::span<const timeline::Event> answer) {
    using Kind = Transcript::Where::Kind;
    Transcript transcript;
    for (const timeline::Event& event : answer)
        std::visit(timeline::Overload{
                       [&](const timeline::Text& e) {
                           if (asking.on_output) transcript.add({Kind::text, e.choice}, e.text);
                       },
                       [&](const timeline::Refusal& e) {
                           if (asking.on_output) transcript.add({Kind::refusal, e.choice}, e.text);
                       },
                       [&](const timeline::Reasoning& e) {
                           if (asking.on_reasoning)
                               transcript.add({Kind::reasoning, e.choice}, e.text);
                       },
                       [&](const timeline::ToolArguments& e) {
                           if (asking.on_tool_arguments)
                               transcript.add(
                                   {Kind::call, e.choice, static_cast<std::size_t>(e.index)},
                                   e.fragment);
                       },
                       [&](const timeline::Citation& e) {
                           if (asking.on_output) transcript.add_alone(Kind::source, source_json(e));
                       },
                       [&](const timeline::ServerTool& e) {
                           if (!asking.on_tool_arguments) return;
                           transcript.add_alone(Kind::tool, e.result_raw);
                           if (e.state != timeline::ServerTool::State::created) return;
                           transcript.add_alone(Kind::tool, e.arguments_raw);
                           transcript.add_alone(Kind::tool, e.explanation_raw);
                       },
                       [](const auto&) {},
                   },
                   event);
    return transcript.joined();
}

}  // namespace runnel::guardrail
