#include "exchange/reply.hpp"

#include "api/registry.hpp"
#include "support/random_timeline.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <random>
#include <string>
#include <string_view>

namespace runnel::exchange {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using asio::ip::tcp;

// One response to a client that reads all of it in the end.
class Conversation {
public:
    Conversation() : stream_(connect()) {
        transaction_.responder = &responder_;
        transaction_.stop = &stop_;
        transaction_.watchdog = &watchdog_;
        transaction_.client = &stream_;
        transaction_.executor = loop_.get_executor();
    }

    http::Transaction* transaction() { return &transaction_; }
    void run(awaitable<void> task) {
        std::exception_ptr failure;
        asio::co_spawn(loop_, std::move(task), [&](std::exception_ptr thrown) {
            failure = std::move(thrown);
            loop_.stop();
        });
        loop_.run();
        if (failure) std::rethrow_exception(failure);
    }
    // All that the client got.
    std::string received() {
        stream_.close();
        std::string all;
        boost::system::error_code error;
        while (!error) {
            char bytes[4096];
            all.append(bytes, client_.read_some(asio::buffer(bytes), error));
        }
        return all;
    }

private:
    http::Stream connect() {
        tcp::acceptor acceptor(loop_, {asio::ip::address_v4::loopback(), 0});
        client_.connect(acceptor.local_endpoint());
        return http::Stream(acceptor.accept());
    }

    asio::io_context loop_;
    tcp::socket client_{loop_};
    http::Stream stream_;
    http::Stop stop_;
    http::Watchdog watchdog_{loop_.get_executor()};
    http::Transaction transaction_{};
    http::Responder responder_{&stream_, transaction_.request};
};

// The body of the one response that `bytes` is, taken out of its chunks; empty where there is
// anything else.
std::string only_body(std::string_view bytes) {
    const std::size_t head = bytes.find("\r\n\r\n");
    if (head == std::string_view::npos) return "";
    const std::string_view fields = bytes.substr(0, head);
    bytes.remove_prefix(head + 4);
    if (const std::size_t length = fields.find("Content-Length: ");
        length != std::string_view::npos) {
        const auto size = std::stoul(std::string(fields.substr(length + 16)));
        return bytes.size() == size ? std::string(bytes) : "";
    }
    std::string body;
    while (true) {
        const std::size_t line = bytes.find("\r\n");
        if (line == std::string_view::npos) return "";
        const auto size = std::stoul(std::string(bytes.substr(0, line)), nullptr, 16);
        bytes.remove_prefix(line + 2);
        if (size == 0) return bytes == "\r\n" ? body : "";
        body += bytes.substr(0, size);
        bytes.remove_prefix(size + 2);
    }
}

std::string problem_of(std::string_view body) {
    constexpr std::string_view done = "data: [DONE]\n\n";
    if (!body.ends_with(done)) return "its end is not [DONE]";
    if (body.find(done) != body.size() - done.size()) return "it ends more than once";
    while (!body.empty()) {
        const std::size_t end = body.find("\n\n");
        const std::string_view frame = body.substr(0, end);
        if (end == std::string_view::npos) return "a frame without an end";
        if (!frame.starts_with("data: ") && !frame.starts_with(": ")) return "something unframed";
        body.remove_prefix(end + 2);
    }
    return "";
}

// Tells a reply anything, in any order, as attempts, races, rounds and their failures would if they
// did not know of each other; and ends it.
awaitable<void> tell_anything(Reply* reply, std::mt19937* random) {
    const auto below = [random](int end) {
        return std::uniform_int_distribution(0, end - 1)(*random);
    };
    asio::steady_timer timer(co_await asio::this_coro::executor);
    auto answer = testing::RandomTimeline((*random)()).make();
    std::size_t told = 0;
    for (int left = below(80); left > 0; --left) {
        const int what = below(24);
        if (what == 0) co_await reply->fail({ErrorKind::upstream_failed, "it failed"});
        if (what == 1) co_await reply->finish();
        if (what == 2) reply->drop_answer();
        // Somebody else begins, although this one had its end.
        if (what == 2 || told == answer.events().size()) {
            answer = testing::RandomTimeline((*random)()).make();
            told = 0;
        }
        if (what == 3) reply->begin_round(std::nullopt);
        if (what == 4) reply->settle();
        if (what == 5) reply->on(timeline::Ended{});
        if (what == 6 || what == 7) {
            timer.expires_after(std::chrono::milliseconds(2));
            co_await timer.async_wait(asio::use_awaitable);  // for pings and what is held
        }
        if (what == 8 && reply->has_output() && !reply->flush()) co_await reply->wait_for_client();
        if (what > 8) {
            if (told == 0 && !reply->has_shown()) reply->begin("m");
            reply->on(answer.events()[told++]);
        }
    }
    if (below(2) == 0) {
        co_await reply->finish();
    } else {
        co_await reply->fail({ErrorKind::upstream_failed, "it failed"});
    }
    timer.expires_after(std::chrono::milliseconds(2));
    co_await timer.async_wait(asio::use_awaitable);
}

std::string answer_to(unsigned seed, std::string_view dialect, chat::Streaming streaming) {
    Conversation conversation;
    telemetry::RequestRecord record;
    telemetry::StreamFigures figures;
    std::mt19937 random(seed);
    {
        Reply reply(conversation.transaction(), &record, &figures, nullptr);
        Reply::Format format{api::dialect_named(dialect), streaming};
        format.envelope.id = "chatcmpl-1";
        format.ping = std::chrono::milliseconds(1);
        reply.prepare(std::move(format));
        conversation.run(tell_anything(&reply, &random));
    }
    return conversation.received();
}

TEST(Reply, HasOneEndWhateverItIsToldInWhateverOrder) {
    for (unsigned seed = 0; seed < 60; ++seed)
        for (const std::string_view dialect : api::chat_dialect_names()) {
            const std::string sent = answer_to(seed, dialect, chat::Streaming::yes);
            const std::string body = only_body(sent);
            if (sent.starts_with("HTTP/1.1 200 OK\r\n")) {
                ASSERT_EQ(problem_of(body), "") << seed << ' ' << dialect << '\n' << sent;
            } else {
                ASSERT_TRUE(body.starts_with(R"({"error":)")) << seed << ' ' << dialect << sent;
            }
        }
}

TEST(Reply, IsOneDocumentWhateverItIsToldInWhateverOrder) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        const std::string sent = answer_to(seed, "openai", chat::Streaming::no);
        const std::string body = only_body(sent);
        ASSERT_TRUE(body.starts_with('{') && body.ends_with('}')) << seed << '\n' << sent;
    }
}

}  // namespace
}  // namespace runnel::exchange
