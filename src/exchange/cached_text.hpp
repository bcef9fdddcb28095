#pragma once

#include "cache/answer_cache.hpp"
#include "timeline/archive.hpp"

#include <string>
#include <string_view>

// Answers as Redis keeps them for all machines.
namespace runnel::exchange {

std::string redis_name(std::string_view cache_key);

std::string write_cached(const cache::CachedAnswer& answer,
                         const timeline::TimedRecording& recording);
Result<cache::AnswerCache::Answer> read_cached(std::string text);

}  // namespace runnel::exchange
