#include "cli/admin_link.hpp"

#include "app/admin_door.hpp"
#include "cli/gateway_client.hpp"
#include "config/config_file.hpp"
#include "json/tree.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

namespace runnel::cli {
namespace {

Result<std::string> new_link(std::string_view data) {
    auto gateway = GatewayClient::make("unix:" + app::admin_socket(data), Secret());
    if (!gateway) return propagate(gateway);
    auto answer = (*gateway)->ask({.method = "POST", .path = "/admin/v1/links"});
    if (!answer) return propagate(answer);
    const auto tree = json::read_tree(answer->body);
    const json::Node* url = tree && answer->status == 201 ? tree->find("url") : nullptr;
    if (url == nullptr) return fail((*gateway)->refusal(*answer));
    return url->text();
}

}  // namespace

int admin_link(const AdminLinkOptions& options, std::ostream& out, std::ostream& err) {
    auto config = options.config_file.empty()
                      ? std::optional(config::default_config(&config::environment))
                      : config::load_config(options.config_file, err);
    if (!config) return 1;
    const auto link = new_link(options.data.empty() ? config->data : options.data);
    if (!link) {
        fmt::print(err, "runnel: {}\n", link.error().message);
        return 1;
    }
    fmt::print(out, "{}\n", *link);
    return 0;
}

}  // namespace runnel::cli
