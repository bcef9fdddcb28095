#include "provider/gemini/model.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>

namespace runnel::provider::gemini {
namespace {

constexpr int newest = 30;
constexpr int unnumbered = 20;  // tuned and experimental models
constexpr int first_that_thinks = 25;

// "2.5-pro" → 25, "3-flash" → 30; 0 when it does not begin with a version.
int leading_version(std::string_view text) {
    if (text.empty() || !ascii::is_digit(text[0])) return 0;
    int version = (text[0] - '0') * 10;
    if (text.size() > 2 && text[1] == '.' && ascii::is_digit(text[2])) version += text[2] - '0';
    return version;
}

}  // namespace

Model model_named(std::string_view name) {
    name.remove_prefix(name.rfind('/') + 1);
    const auto has = [&](std::string_view word) {
        return name.find(word) != std::string_view::npos;
    };
    Model model{};
    model.gemma = name.starts_with("gemma");
    model.size = has("flash-lite") ? Model::Size::flash_lite
                 : has("pro")      ? Model::Size::pro
                                   : Model::Size::flash;
    constexpr std::string_view family = "gemini-";
    if (name.starts_with(family)) model.version = leading_version(name.substr(family.size()));
    if (model.version == 0) model.version = name.ends_with("-latest") ? newest : unnumbered;
    constexpr std::array<std::string_view, 5> speechless{"-image", "-tts", "-live", "-audio",
                                                         "embedding"};
    model.thinks =
        !model.gemma && model.version >= first_that_thinks && std::ranges::none_of(speechless, has);
    return model;
}

}  // namespace runnel::provider::gemini
