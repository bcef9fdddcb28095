// Drives one MCP server through the gateway's own client, for tests: commands come on standard
// input, one per line, and what came of them goes to standard output as JSON, one line each.
//
//   runnel_mcp_session [--time MS] [--bytes N] [--allow NAME]... [--set NAME=VALUE]...
//                      [--write PATH]... http URL
//   runnel_mcp_session … stdio COMMAND [ARGUMENT]...
//
//   list TAG | call TAG NAME ARGUMENTS | stop TAG | drop | abandon
//
// --set: a header field, or a variable of the environment. --write: what the sandbox lets it
// change. `drop` lets the source go, with all that belongs to it; the end of the input ends
// everything; `abandon` does so with a source that nobody lets go.

#include "base/log.hpp"
#include "json/writer.hpp"
#include "tools/mcp/server.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <unistd.h>

namespace runnel::tools {
namespace {

namespace asio = boost::asio;
using asio::awaitable;

struct Session {
    asio::io_context loop{1};
    http::TaskGroup tasks{loop.get_executor()};
    http::Client client{&loop, &tasks, nullptr};
    std::shared_ptr<ToolSource> source;
    std::map<std::string, std::shared_ptr<http::Stop>> stops;
};

void print(const std::string& line) {
    std::fputs((line + "\n").c_str(), stdout);
    std::fflush(stdout);
}

std::string take_word(std::string& line) {
    const std::size_t end = std::min(line.find(' '), line.size());
    std::string word = line.substr(0, end);
    line.erase(0, std::min(end + 1, line.size()));
    return word;
}

awaitable<void> list(Session* session, std::string tag) {
    const auto source = session->source;
    const auto stop = session->stops[tag] = std::make_shared<http::Stop>();
    auto tools = co_await source->list(stop.get());
    std::string out;
    json::Writer writer(out);
    writer.begin_object().key("tag").string(tag);
    if (!tools) {
        writer.key("error").string(tools.error().message);
    } else {
        writer.key("tools").begin_array();
        for (const ToolSpec& tool : *tools)
            writer.begin_object()
                .key("name")
                .string(tool.name)
                .key("description")
                .string(tool.description)
                .key("parameters")
                .raw(tool.parameters_json)
                .end_object();
        writer.end_array();
    }
    writer.end_object();
    print(out);
    session->stops.erase(tag);
}

awaitable<void> call(Session* session, std::string tag, ToolCall wanted) {
    const auto source = session->source;
    const auto stop = session->stops[tag] = std::make_shared<http::Stop>();
    const ToolOutcome outcome = co_await source->run(std::move(wanted), stop.get());
    const bool completed = outcome.kind == ToolOutcome::Kind::completed;
    std::string out;
    json::Writer(out)
        .begin_object()
        .key("tag")
        .string(tag)
        .key("ok")
        .boolean(completed)
        .key("text")
        .string(outcome.text)
        .key("result")
        .raw(outcome.result_json)
        .end_object();
    print(out);
    session->stops.erase(tag);
}

void obey(Session* session, std::string line) {
    const std::string command = take_word(line);
    const std::string tag = take_word(line);
    if (command == "drop") {
        session->source.reset();
        return;
    }
    if (command == "abandon") {
        session->loop.stop();
        return;
    }
    if (command == "stop") {
        if (const auto found = session->stops.find(tag); found != session->stops.end())
            found->second->request(http::Stop::Reason::client_gone);
        return;
    }
    if (!session->source) return;
    if (command == "list") session->tasks.start("list", list(session, tag));
    if (command == "call") {
        ToolCall wanted;
        wanted.name = take_word(line);
        wanted.arguments_json = line;
        session->tasks.start("call", call(session, tag, std::move(wanted)));
    }
}

awaitable<void> read_commands(Session* session) {
    asio::posix::stream_descriptor input(session->loop, ::dup(STDIN_FILENO));
    std::string buffer;
    while (true) {
        const auto [error, count] = co_await asio::async_read_until(
            input, asio::dynamic_buffer(buffer), '\n', asio::as_tuple(asio::use_awaitable));
        if (error) break;
        std::string line = buffer.substr(0, count - 1);
        buffer.erase(0, count);
        obey(session, std::move(line));
    }
    session->source.reset();
    // What belongs to the source ends by itself; connections that are kept for others do not.
    asio::steady_timer timer(session->loop);
    while (session->tasks.running() > 1) {
        timer.expires_after(std::chrono::milliseconds(10));
        co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    session->loop.stop();
}

int serve(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    log::set_up(log::Format::json, log::Level::debug);
    McpHttpServer http;
    McpStdioServer stdio;
    http.name = stdio.name = "under_test";
    int at = 1;
    for (; at + 1 < argc && std::string_view(argv[at]).starts_with("--"); at += 2) {
        const std::string_view option = argv[at];
        const std::string value = argv[at + 1];
        if (option == "--time") http.limits.time = std::chrono::milliseconds(std::stoi(value));
        if (option == "--bytes") http.limits.result_bytes = std::stoul(value);
        if (option == "--allow") http.allow.push_back(value);
        if (option == "--write") stdio.sandbox.write.push_back(value);
        if (option == "--set") {
            const std::size_t sign = value.find('=');
            http.headers.push_back({value.substr(0, sign), Secret(value.substr(sign + 1))});
        }
    }
    stdio.limits = http.limits;
    stdio.allow = http.allow;
    stdio.env = http.headers;

    Session session;
    const std::string_view kind = at < argc ? argv[at++] : "";
    if (at == argc || (kind != "http" && kind != "stdio")) {
        std::fputs("usage: see the head of tests/agent/mcp_session.cpp\n", stderr);
        return 2;
    }
    if (kind == "http") {
        http.url = argv[at];
        const auto environment = [](const char* name) -> const char* { return std::getenv(name); };
        auto made = make_mcp_http(http, environment, &session.tasks, &session.client);
        if (!made) {
            print(fmt::format("{{\"error\":\"{}\"}}", made.error().message));
            return 1;
        }
        session.source = std::move(*made);
    } else {
        stdio.command = argv[at++];
        stdio.args.assign(argv + at, argv + argc);
        auto made = make_mcp_stdio(stdio, &session.tasks);
        if (!made) {
            print(fmt::format("{{\"error\":\"{}\"}}", made.error().message));
            return 1;
        }
        session.source = std::move(*made);
    }
    session.tasks.start("read commands", read_commands(&session));
    session.loop.run();
    return 0;
}

}  // namespace
}  // namespace runnel::tools

int main(int argc, char** argv) { return runnel::tools::serve(argc, argv); }
