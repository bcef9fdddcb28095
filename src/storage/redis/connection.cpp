#include "storage/redis/connection.hpp"

#include <fmt/format.h>
#include <hiredis/hiredis.h>

#include <cerrno>

namespace runnel::storage {
namespace {

timeval timeval_of(std::chrono::milliseconds time) {
    constexpr int per_second = 1000;
    return {.tv_sec = static_cast<time_t>(time.count() / per_second),
            .tv_usec = static_cast<suseconds_t>(time.count() % per_second * per_second)};
}

std::unexpected<Error> broken(const redisContext& connection) {
    const bool too_late = connection.err == REDIS_ERR_IO && errno == EAGAIN;
    Error error{too_late ? ErrorKind::upstream_timeout : ErrorKind::store_unavailable,
                "The shared store is not available"};
    error.detail = too_late ? "no answer in time" : connection.errstr;
    return fail(std::move(error));
}

RedisReply copy_of(const redisReply& reply) {
    RedisReply copy;
    switch (reply.type) {
        case REDIS_REPLY_STRING:
        case REDIS_REPLY_STATUS:
            copy.kind = RedisReply::Kind::text;
            copy.text.assign(reply.str, reply.len);
            break;
        case REDIS_REPLY_ERROR:
            copy.kind = RedisReply::Kind::error;
            copy.text.assign(reply.str, reply.len);
            break;
        case REDIS_REPLY_INTEGER:
            copy.kind = RedisReply::Kind::number;
            copy.number = reply.integer;
            break;
        case REDIS_REPLY_ARRAY:
            copy.kind = RedisReply::Kind::list;
            for (std::size_t i = 0; i < reply.elements; ++i)
                copy.list.push_back(copy_of(*reply.element[i]));
            break;
        default: break;
    }
    return copy;
}

}  // namespace

void RedisConnection::Close::operator()(redisContext* connection) const { redisFree(connection); }

Result<RedisConnection> RedisConnection::open(const RedisAddress& address,
                                              std::chrono::milliseconds connect_time,
                                              std::chrono::milliseconds command_time) {
    redisContext* context =
        redisConnectWithTimeout(address.host.c_str(), address.port, timeval_of(connect_time));
    if (context == nullptr) return fail(ErrorKind::internal_error, "no memory for a connection");
    RedisConnection connection(context);
    if (context->err != 0) return broken(*context);
    redisSetTimeout(context, timeval_of(command_time));
    redisEnableKeepAlive(context);
    if (!address.password.empty()) {
        std::vector<std::string> words{"AUTH"};
        if (!address.user.empty()) words.push_back(address.user);
        words.push_back(address.password.reveal());
        if (auto done = connection.ask(words); !done) return propagate(done);
    }
    if (address.db != 0)
        if (auto done = connection.ask({"SELECT", std::to_string(address.db)}); !done)
            return propagate(done);
    if (auto done = connection.ask({"PING"}); !done) return propagate(done);
    return connection;
}

Result<void> RedisConnection::ask(const std::vector<std::string>& words) {
    add(words);
    auto reply = read();
    if (!reply) return propagate(reply);
    if (reply->kind != RedisReply::Kind::error) return {};
    Error error{ErrorKind::store_unavailable, "The shared store is not available"};
    error.detail = fmt::format("{}: {}", words.front(), reply->text);
    return fail(std::move(error));
}

void RedisConnection::add(const std::vector<std::string>& words) {
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const std::string& word : words) {
        texts.push_back(word.data());
        sizes.push_back(word.size());
    }
    // It fails only for want of memory, and then the next read does too.
    redisAppendCommandArgv(connection_.get(), static_cast<int>(words.size()), texts.data(),
                           sizes.data());
}

Result<RedisReply> RedisConnection::read() {
    void* raw = nullptr;
    if (redisGetReply(connection_.get(), &raw) != REDIS_OK) return broken(*connection_);
    const std::unique_ptr<void, decltype(&freeReplyObject)> reply(raw, &freeReplyObject);
    return copy_of(*static_cast<const redisReply*>(raw));
}

}  // namespace runnel::storage
