#include "server/admin.hpp"

#include "base/error.hpp"
#include "json/writer.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <utility>

namespace runnel::server {
namespace {

void write_names(json::Writer* out, std::string_view key, const std::vector<std::string>& names) {
    out->key(key).begin_array();
    for (const std::string& name : names) out->string(name);
    out->end_array();
}

}  // namespace

boost::asio::awaitable<Operations::Reloaded> reload(Operations* operations) {
    namespace asio = boost::asio;
    const auto begin = [operations](auto handler) {
        const auto loop = asio::get_associated_executor(handler);
        // Shared only because std::function copies what it holds.
        auto waiting = std::make_shared<decltype(handler)>(std::move(handler));
        operations->reload([loop, waiting](Operations::Reloaded outcome) {
            asio::post(loop, [waiting, outcome = std::move(outcome)]() mutable {
                std::move (*waiting)(std::move(outcome));
            });
        });
    };
    co_return co_await asio::async_initiate<const asio::use_awaitable_t<>,
                                            void(Operations::Reloaded)>(begin, asio::use_awaitable);
}

std::string reload_answer(const Operations::Reloaded& outcome) {
    std::string body;
    json::Writer out(body);
    out.begin_object();
    if (outcome) {
        out.key("status").string("reloaded");
        write_names(&out, "providers_added", outcome->providers_added);
        write_names(&out, "providers_removed", outcome->providers_removed);
        write_names(&out, "models_added", outcome->models_added);
        write_names(&out, "models_removed", outcome->models_removed);
        write_names(&out, "need_restart", outcome->need_restart);
    } else {
        const ErrorShape shape = shape_of(ErrorKind::invalid_value);
        out.key("error").begin_object();
        out.key("message").string("the config has problems; the one in use stays");
        out.key("type").string(shape.type).key("param").null().key("code").string(shape.code);
        out.end_object();
        out.key("problems").begin_array();
        for (const config::Problem& problem : outcome.error()) {
            out.begin_object().key("line").number(problem.line);
            out.key("column").number(problem.column);
            out.key("message").string(problem.message).end_object();
        }
        out.end_array();
    }
    out.end_object();
    return body;
}

}  // namespace runnel::server
