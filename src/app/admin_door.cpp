#include "app/admin_door.hpp"

#include "base/log.hpp"
#include "storage/journal/private_folder.hpp"

#include <fmt/format.h>

#include <filesystem>

#include <unistd.h>

namespace runnel::app {

std::string admin_socket(std::string_view data) {
    return (std::filesystem::path(data) / "admin.sock").string();
}

void open_admin_socket(const config::Config& config, Shard* shard) {
    storage::make_private_folder(config.data);  // what is wrong, listen() says
    if (auto listening = shard->listen_locally(admin_socket(config.data)); !listening)
        log::Line(log::Level::warning, "no admin socket: the command line can't reach this gateway")
            .add("detail", listening.error().message)
            .write();
}

std::string console_hint(const config::Config& config, server::ConsoleState* console) {
    if (!config.admin_token.empty()) return console->url + "/";
    if (::isatty(STDERR_FILENO) != 0)
        if (const auto ticket = console->tickets.make(server::Tickets::Clock::now()))
            return server::console_link(console->url, *ticket);
    return fmt::format("{}/ (for a link: runnel admin-link --data {})", console->url, config.data);
}

}  // namespace runnel::app
