#include "exchange/cache/cache_visit.hpp"

#include "base/limits.hpp"
#include "exchange/await_callback.hpp"
#include "json/fields.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "storage/redis/client.hpp"
#include "timeline/archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace runnel::exchange {

using boost::asio::awaitable;
using cache::AnswerCache;
using std::chrono::seconds;

namespace {

// X-Cache-TTL, in seconds, within the bounds of what is sensible.
Result<seconds> wanted_ttl(std::string_view text, seconds otherwise) {
    if (text.empty()) return otherwise;
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count < 0)
        return fail_at(ErrorKind::invalid_value, "X-Cache-TTL",
                       "X-Cache-TTL is a number of seconds, such as 600");
    return std::clamp<seconds>(seconds(count), limits::cache_time_min, limits::cache_time_max);
}

bool ended_well(const AnswerCopy& copy) {
    const auto& events = copy.recording().events();
    const bool whole = !copy.recording().truncated && !events.empty() &&
                       std::holds_alternative<timeline::Ended>(events.back());
    return whole && std::ranges::none_of(events, [](const timeline::Event& event) {
               const auto* finished = std::get_if<timeline::Finished>(&event);
               return std::holds_alternative<timeline::Failed>(event) ||
                      std::holds_alternative<timeline::ToolStarted>(event) ||
                      (finished != nullptr && finished->finish != timeline::Finish::stop);
           });
}

// Answers as Redis keeps them for all machines.
std::string redis_name(std::string_view cache_key) {
    return fmt::format("runnel:answer:{}", cache_key);
}

std::string write_cached(const cache::CachedAnswer& answer,
                         const timeline::TimedRecording& recording) {
    std::string text;
    json::Writer out(text);
    out.begin_object().key("model").string(answer.model);
    out.key("provider").string(answer.provider);
    out.key("timeline").raw(timeline::write_archive(recording, limits::answer_copy_bytes));
    out.end_object();
    return text;
}

Result<cache::AnswerCache::Answer> read_cached(std::string text) {
    json::Parser parser;
    json::ondemand::document document;
    json::ondemand::object object;
    auto answer = std::make_shared<cache::CachedAnswer>();
    std::string_view archive;
    const auto read = [&](std::string_view name, json::ondemand::value value) {
        if (name == "model") json::plain_string(value, answer->model);
        if (name == "provider") json::plain_string(value, answer->provider);
        if (name == "timeline") json::raw_value(value, archive);
    };
    if (parser.parse_strict(Padded::of(text), document) || document.get_object().get(object) ||
        json::for_each_field(object, read))
        return fail(ErrorKind::internal_error, "an answer in the cache can't be read");
    auto recording = timeline::read_archive(std::string(archive));
    if (!recording) return propagate(recording);
    recording->replay(&answer->timeline);
    return answer;
}

}  // namespace

Result<void> CacheVisit::begin(const chat::Request& request, const cache::CacheScope& scope,
                               Tools tools, const http::HeaderList& asked) {
    if (settings_ == nullptr) return {};
    record_->cache = "BYPASS";
    auto ttl = wanted_ttl(asked.get("X-Cache-TTL"), settings_->ttl);
    if (!ttl) return propagate(ttl);
    ttl_ = *ttl;
    if (asked.get("X-Cache") == "no-cache" || tools == Tools::some ||
        !cache::may_be_cached(request))
        return {};
    key_ = cache::cache_key(request, scope);
    record_->cache = "MISS";
    return {};
}

void CacheVisit::leave() {
    if (!is_open()) return;
    key_.clear();
    record_->cache = "BYPASS";
}

awaitable<AnswerCache::Answer> CacheVisit::find(http::Stop* stop) {
    if (!is_open()) co_return nullptr;
    auto found = co_await look_up();
    if (!found && settings_->single_flight == cache::Settings::SingleFlight::on) {
        auto lead = co_await shared_->single_flight.join(key_, limits::same_answer_time, stop);
        if (lead) {
            lead_.emplace(std::move(*lead));
        } else {
            // Who flew may have brought it; if not, or not yet, everybody asks on his own.
            found = co_await look_up();
        }
    }
    if (found) record_->cache = "HIT";
    co_return found;
}

awaitable<AnswerCache::Answer> CacheVisit::look_up() {
    auto found = shared_->answers.find(key_, AnswerCache::Clock::now());
    if (!found && shared_->redis != nullptr) found = co_await look_up_in_redis();
    co_return found;
}

awaitable<AnswerCache::Answer> CacheVisit::look_up_in_redis() {
    using Found = Result<std::optional<std::string>>;
    const auto ask = [this](Callback<Found> answer) {
        shared_->redis->get(redis_name(key_), std::move(answer));
    };
    auto text = co_await await_callback<Found>(ask);
    // Without Redis, or with what an older version wrote there, it is a miss.
    if (!text || !*text) co_return nullptr;
    auto answer = read_cached(std::move(**text));
    if (!answer) co_return nullptr;
    // For as long as it is sure to be good: how much of its time is over only
    // Redis knows.
    shared_->answers.put(key_, *answer, limits::cache_time_min, AnswerCache::Clock::now());
    co_return *answer;
}

void CacheVisit::keep(const AnswerCopy& copy) {
    if (!is_open() || record_->cache != "MISS" || !ended_well(copy)) return;
    auto answer = std::make_shared<cache::CachedAnswer>();
    copy.recording().replay(&answer->timeline);
    answer->model = record_->model_served;
    answer->provider = record_->provider;
    if (shared_->redis != nullptr)
        shared_->redis->set(redis_name(key_), write_cached(*answer, copy.recording()), ttl_,
                            [](const auto&) {});
    shared_->answers.put(key_, std::move(answer), ttl_, AnswerCache::Clock::now());
    lead_.reset();
}

}  // namespace runnel::exchange
