#include "cli/replay.hpp"

#include "api/registry.hpp"
#include "base/ascii.hpp"
#include "server/replay.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace runnel::cli {
namespace {

// Ids have nothing else in them; anything else would change the path.
bool is_id(std::string_view text) {
    const auto fits = [](char c) {
        return ascii::is_alphanumeric(c) || std::string_view("._-").contains(c);
    };
    return !text.empty() && std::ranges::all_of(text, fits);
}

Result<void> play_at_once(GatewayClient& gateway, const ReplayOptions& options, std::ostream& out) {
    const auto print = [&](Padded bytes) { out << bytes.text() << std::flush; };
    auto answer = gateway.get(
        fmt::format("/v1/logs/{}/stream?dialect={}", options.id, options.dialect), print);
    if (!answer) return propagate(answer);
    return {};
}

Result<void> play_in_time(GatewayClient& gateway, const ReplayOptions& options,
                          const api::Dialect& dialect, std::ostream& out) {
    auto answer = gateway.get(fmt::format("/v1/logs/{}/content", options.id));
    if (!answer) return propagate(answer);
    auto kept = server::read_content(std::move(answer->body));
    if (!kept) return propagate(kept);
    const timeline::TimedRecording& recording = kept->recording;
    std::string frames;
    const auto encoder = dialect.make_encoder(kept->envelope, &frames);
    const auto began = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < recording.events().size() && out; ++i) {
        std::this_thread::sleep_until(began + recording.times()[i]);
        encoder->on(recording.events()[i]);
        out << frames << std::flush;
        frames.clear();
    }
    return {};
}

Result<void> play(const ReplayOptions& options, std::ostream& out) {
    if (!is_id(options.id))
        return fail(ErrorKind::invalid_value,
                    "an id is what a completion has as its id, or X-Request-Id: letters, digits, "
                    "'.', '_' and '-'");
    const api::Dialect* dialect = api::dialect_named(options.dialect);
    if (dialect == nullptr)
        return fail(ErrorKind::invalid_value,
                    fmt::format("there is no dialect {}; there are: {}", options.dialect,
                                fmt::join(api::dialect_names(), ", ")));
    auto gateway = GatewayClient::make(options.url, Secret(options.key));
    if (!gateway) return propagate(gateway);
    return options.pace == "real" ? play_in_time(**gateway, options, *dialect, out)
                                  : play_at_once(**gateway, options, out);
}

}  // namespace

int replay(const ReplayOptions& options, std::ostream& out, std::ostream& err) {
    const auto done = play(options, out);
    if (done) return 0;
    fmt::print(err, "runnel: {}\n", done.error().message);
    return 1;
}

}  // namespace runnel::cli
