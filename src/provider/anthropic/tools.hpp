#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "provider/anthropic/draft.hpp"
#include "provider/anthropic/models.hpp"

#include <string_view>
#include <vector>

namespace runnel::provider::anthropic {

// The tools that go upstream and how the model may choose among them.
struct Toolbox {
    std::vector<const chat::Tool*> tools{};
    // The answer itself is a tool's input: for models without structured output.
    bool answer_by_tool = false;
    // The conversation has calls, but the client sent no tools: the API wants some nevertheless.
    bool stand_in = false;
    enum class Choice { unsaid, automatic, any, named, none } choice = Choice::unsaid;
    std::string_view name{};  // named
    bool one_at_a_time = false;

    bool empty() const { return tools.empty() && !answer_by_tool && !stand_in; }
    bool forced() const { return choice == Choice::any || choice == Choice::named; }
};

Result<Toolbox> plan_tools(Draft& draft, const chat::Request& request, const Traits& traits);
void write_tools(Draft& draft, const Toolbox& toolbox, const chat::Request& request,
                 const Traits& traits);

}  // namespace runnel::provider::anthropic
