#include "request_check.hpp"

#include <array>

// Requests of the other APIs: the first byte says of which.
namespace {

using namespace runnel;

struct Form {
    const api::Api& (*api)();
    std::string_view dialect{};
};

constexpr std::array forms = {
    Form{api::messages_api},         Form{api::responses_api},
    Form{api::gemini_api, "gemini"}, Form{api::completions_api},
    Form{api::ollama_api, "ollama"}, Form{api::ollama_api, "ollama-generate"}};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text = fuzz::text_of(data, size);
    if (text.empty()) return 0;
    const Form& form = forms[static_cast<unsigned char>(text.front()) % forms.size()];
    text.remove_prefix(1);
    api::Incoming incoming{.body = std::string(text), .model = "m"};
    incoming.dialect = form.dialect;
    static_cast<void>(fuzz::check_request(form.api(), std::move(incoming)));
    return 0;
}
