#include "api/bare_json.hpp"

#include "api/chat/answer_parts.hpp"
#include "json/text.hpp"

namespace runnel::api {

void BareJsonStream::on(const timeline::Event& event) {
    if (const auto* text = std::get_if<timeline::Text>(&event)) {
        out_ += "data: ";
        json::append_unescaped(out_, text->text);
        out_ += "\n\n";
    } else if (const auto* failed = std::get_if<timeline::Failed>(&event)) {
        append_error_frame(out_, failed->error);
    } else if (std::holds_alternative<timeline::Ended>(event)) {
        out_ += "data: [DONE]\n\n";
    }
}

std::string bare_json(const timeline::Answer& answer) {
    return answer.choices.empty() ? std::string()
                                  : json::unescaped(answer.choices.front().text_escaped());
}

}  // namespace runnel::api
