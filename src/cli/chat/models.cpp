#include "cli/chat/models.hpp"

#include "base/nearest.hpp"
#include "base/percent_encoding.hpp"
#include "json/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::cli {

Result<std::vector<std::string>> list_models(GatewayClient& gateway) {
    auto answer = gateway.get("/v1/models");
    if (!answer) return propagate(answer);
    std::vector<std::string> names;
    const auto tree = json::read_tree(answer->body);
    const json::Node* data = tree ? tree->find("data") : nullptr;
    if (data == nullptr) return fail(gateway.refusal(*answer));
    for (const json::Node& model : data->elements)
        if (const json::Node* id = model.find("id")) names.push_back(id->text());
    return names;
}

Result<std::string> first_model(GatewayClient& gateway) {
    auto names = list_models(gateway);
    if (!names) return propagate(names);
    if (names->empty())
        return fail(ErrorKind::model_not_found,
                    "the gateway lists no model that this key may use; name one with --model");
    return names->front();
}

Result<void> check_model(GatewayClient& gateway, std::string_view name) {
    auto names = list_models(gateway);
    if (!names) return propagate(names);
    if (std::ranges::find(*names, name) != names->end()) return {};
    const auto answer = gateway.get("/v1/models/" + percent_encoded(name, "/:@"));
    if (answer) return {};
    const std::vector<std::string_view> known(names->begin(), names->end());
    return fail(ErrorKind::model_not_found,
                fmt::format("{}{}", answer.error().message, did_you_mean(name, known)));
}

}  // namespace runnel::cli
