#include "provider/demo/tools.hpp"

#include "base/utf8.hpp"
#include "json/text.hpp"
#include "provider/demo/arguments.hpp"
#include "provider/demo/question.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace runnel::provider::demo {
namespace {

using chat::Role;
using chat::ToolChoice;
using Tools = std::vector<const chat::Tool*>;
using Messages = std::span<const chat::Message>;

constexpr std::size_t told_bytes_max = 400;

std::string text_of(const chat::Message& message) {
    std::string text;
    for (const chat::Part& part : message.parts) {
        const auto* said = part.as<chat::Text>();
        if (said == nullptr) continue;
        if (!text.empty()) text += "\\n";
        text += said->text_escaped;
    }
    return text;
}

std::string_view name_of_call(const chat::Request& request, std::string_view id) {
    std::string_view name = "the tool";
    for (const chat::Message& message : request.messages)
        message.for_each_call([&](const chat::ToolCall& call) {
            if (call.id == id) name = call.name;
        });
    return name;
}

std::string beginning_of(std::string_view escaped) {
    const std::string plain = json::unescaped(escaped);
    const std::string_view kept = utf8_prefix(plain, told_bytes_max);
    std::string out;
    json::append_escaped(out, kept);
    return kept.size() < plain.size() ? out + " …" : out;
}

enum class Length { whole, beginning };

// What the tools said in these messages, one after the other; empty when none did.
std::string told_in(Messages messages, const chat::Request& request, Length length) {
    std::string text;
    for (const chat::Message& message : messages) {
        if (message.role != Role::tool) continue;
        if (!text.empty()) text += "\\n";
        const std::string said = text_of(message);
        text += fmt::format("{} says: {}", name_of_call(request, message.tool_call_id),
                            length == Length::whole ? said : beginning_of(said));
    }
    return text;
}

// The messages at the end that are the results of one round.
Messages last_results(const chat::Request& request) {
    const Messages all = request.messages;
    const auto other =
        std::ranges::find_if(all | std::views::reverse,
                             [](const chat::Message& each) { return each.role != Role::tool; });
    return all.last(static_cast<std::size_t>(other - std::ranges::rbegin(all)));
}

Messages messages_since_the_question(const chat::Request& request) {
    const Messages all = request.messages;
    const auto question =
        std::ranges::find(all | std::views::reverse, Role::user, &chat::Message::role);
    return all.last(static_cast<std::size_t>(question - std::ranges::rbegin(all)));
}

// Those that the client lets us call.
Tools callable_tools(const chat::Request& request) {
    const ToolChoice& choice = request.tool_choice;
    Tools tools;
    if (choice.kind == ToolChoice::Kind::none) return tools;
    for (const chat::Tool& tool : request.tools) {
        if (tool.kind != chat::Tool::Kind::function) continue;
        const bool named = choice.kind != ToolChoice::Kind::named || choice.name == tool.name;
        const bool allowed = choice.kind != ToolChoice::Kind::allowed ||
                             std::ranges::find(choice.allowed, tool.name) != choice.allowed.end();
        if (named && allowed) tools.push_back(&tool);
    }
    return tools;
}

std::string names_of(const Tools& tools) {
    if (tools.empty()) return "no tools";
    const auto name = [](const chat::Tool* tool) { return tool->name; };
    return fmt::format("{}", fmt::join(tools | std::views::transform(name), ", "));
}

bool must_call(const ToolChoice& choice) {
    return choice.kind == ToolChoice::Kind::required || choice.kind == ToolChoice::Kind::named ||
           (choice.kind == ToolChoice::Kind::allowed &&
            choice.allowed_mode == ToolChoice::Mode::required);
}

void call(const Tools& tools, const chat::Request& request, const Question& question,
          Answer& answer) {
    // Ids must differ from those of earlier turns.
    std::size_t number = 0;
    for (const chat::Message& message : request.messages)
        message.for_each_call([&](const chat::ToolCall&) { ++number; });
    for (const chat::Tool* tool : tools)
        answer.calls.push_back({fmt::format("call_demo_{}", number++), tool->name,
                                plausible_arguments(tool->parameters_raw, question)});
    answer.finish = "tool_calls";
}

// The first word of a tool's name in the question, if half of them are there: of `gas_price` one.
std::string_view mention_by_name(const chat::Tool& tool, const Question& question) {
    std::string_view first;
    std::size_t words = 0;
    std::size_t mentions = 0;
    for (const auto part : tool.name | std::views::split('_')) {
        const std::string_view word(part);
        if (word.empty() || word == "get") continue;
        ++words;
        const std::string_view mention = question.mention_of(word);
        if (mention.empty()) continue;
        ++mentions;
        if (first.empty() || mention.data() < first.data()) first = mention;
    }
    return mentions * 2 >= words ? first : std::string_view();
}

// The tools that a question is about, in its order. A tool is meant by name, or by an argument that
// the question has and no tool before it takes: a URL is for `fetch_url`, unless it was for
// another.
Tools tools_asked_for(const Tools& tools, const Question& question) {
    std::set<std::pair<std::size_t, const chat::Tool*>> found;
    std::set<std::string_view> taken;
    const auto take = [&](const chat::Tool& tool) {
        std::string_view first;
        for (const std::string& name : argument_names(tool.parameters_raw)) {
            const std::string_view value = question.value_for(name);
            if (!value.empty() && taken.insert(value).second && first.empty()) first = value;
        }
        return first;
    };
    Tools others;
    for (const chat::Tool* tool : tools) {
        const std::string_view mention = mention_by_name(*tool, question);
        if (mention.empty()) {
            others.push_back(tool);
            continue;
        }
        take(*tool);
        found.emplace(question.place_of(mention), tool);
    }
    for (const chat::Tool* tool : others)
        if (const std::string_view value = take(*tool); !value.empty())
            found.emplace(question.place_of(value), tool);
    Tools asked;
    for (const auto& [place, tool] : found) asked.push_back(tool);
    return asked;
}

}  // namespace

std::string last_user_text(const chat::Request& request) {
    for (const chat::Message& message : std::views::reverse(request.messages))
        if (message.role == Role::user) return text_of(message);
    return {};
}

void use_tools(const chat::Request& request, Calls wish, Answer& answer) {
    answer.text_escaped = told_in(last_results(request), request, Length::whole);
    if (!answer.text_escaped.empty()) return;
    Tools tools = callable_tools(request);
    if (tools.empty()) {
        answer.text_escaped =
            "This demo model calls the tools that a request brings; this one brought none.";
        return;
    }
    // Two calls at once can be shown with one tool as well.
    if (wish == Calls::all && tools.size() == 1) tools.push_back(tools.front());
    if (wish == Calls::one || request.parallel_tool_calls == false) tools.resize(1);
    const std::string said = json::unescaped(last_user_text(request));
    call(tools, request, Question(said), answer);
}

void work_in_rounds(const chat::Request& request, Answer& answer) {
    const std::string said = json::unescaped(last_user_text(request));
    const Question question(said);
    const Tools callable = callable_tools(request);
    Tools plan = tools_asked_for(callable, question);
    if (plan.empty() && must_call(request.tool_choice) && !callable.empty())
        plan = {callable.front()};

    const Messages since = messages_since_the_question(request);
    const auto round = static_cast<std::size_t>(std::ranges::count_if(
        since, [](const chat::Message& message) { return message.has_calls(); }));
    std::string thought = "The tools have said what is needed.";
    if (round < plan.size()) {
        const std::string& name = plan[round]->name;
        thought = round == 0 ? "This is something that " : "Then, ";
        thought += name + " can tell.\\n";
        answer.text_escaped = fmt::format("Let me ask {}.\\n", name);
        call({plan[round]}, request, question, answer);
    } else if (round > 0) {
        answer.text_escaped = told_in(since, request, Length::beginning);
    } else {
        thought = "No tool fits this question.";
        answer.text_escaped = fmt::format("This demo model chooses its tools by the words of a "
                                          "question, and found none for this one. It has: {}.",
                                          names_of(callable));
    }
    if (request.reasoning.effort != chat::Effort::none) answer.reasoning_escaped = thought;
}

}  // namespace runnel::provider::demo
