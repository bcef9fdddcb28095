#pragma once

#include "access/key.hpp"
#include "access/key_ring.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

// Keys as they are shown: everything but what they are known by.
namespace runnel::access {

// A key as a JSON object; with its secret where it has just been made.
std::string key_json(const Key& key, const Secret& secret = {});

// Which keys to list, newest first.
struct KeyFilter {
    std::optional<std::string> name{};
    std::optional<std::string> team{};
    std::optional<std::string> wallet{};
    std::optional<Key::Kind> kind{};
    std::optional<bool> enabled{};
    std::string after{};  // an id: only those that were made before it
    std::size_t limit = 20;
};

// From the names and values of a query; the error names the one at fault.
Result<KeyFilter> read_key_filter(std::span<const std::pair<std::string, std::string>> query);

struct KeyPage {
    std::vector<const Key*> keys{};  // the ring's own
    bool has_more = false;
};
KeyPage find_keys(const KeyRing& ring, const KeyFilter& filter);

// {"object":"list","data":[…],"has_more":…,"last_id":…}
std::string key_page_json(const KeyPage& page);

}  // namespace runnel::access
