#include "storage/redis/client.hpp"

#include "storage/redis/loop.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

namespace runnel::storage {

RedisScript::RedisScript(std::string source) : source_(std::move(source)) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned size = 0;
    EVP_Digest(source_.data(), source_.size(), digest.data(), &size, EVP_sha1(), nullptr);
    for (unsigned i = 0; i < size; ++i) sha1_ += fmt::format("{:02x}", digest[i]);
}

RedisClient::RedisClient(RedisAddress address, Options options)
    : loop_(std::make_unique<RedisLoop>(std::move(address), std::move(options))) {}

RedisClient::~RedisClient() = default;

void RedisClient::start() { loop_->start(); }

bool RedisClient::connected() const { return loop_->connected(); }

bool RedisClient::wait_until_connected(std::chrono::milliseconds longest) {
    return loop_->wait_until_connected(longest);
}

void RedisClient::command(std::vector<std::string> words, Answer answer) {
    loop_->post({std::move(words), nullptr, std::move(answer)});
}

void RedisClient::run(const RedisScript& script, const std::vector<std::string>& keys,
                      const std::vector<std::string>& arguments, Answer answer) {
    std::vector<std::string> words{"EVALSHA", script.sha1(), std::to_string(keys.size())};
    words.insert(words.end(), keys.begin(), keys.end());
    words.insert(words.end(), arguments.begin(), arguments.end());
    loop_->post({std::move(words), &script, std::move(answer)});
}

void RedisClient::get(std::string key, Found answer) {
    command({"GET", std::move(key)},
            [answer = std::move(answer)](Result<RedisReply> reply) mutable {
                if (!reply) return answer(propagate(reply));
                if (reply->kind != RedisReply::Kind::text) return answer(std::nullopt);
                answer(std::move(reply->text));
            });
}

void RedisClient::set(std::string key, std::string value, std::chrono::milliseconds lifetime,
                      Answer answer) {
    command({"SET", std::move(key), std::move(value), "PX", std::to_string(lifetime.count())},
            std::move(answer));
}

}  // namespace runnel::storage
