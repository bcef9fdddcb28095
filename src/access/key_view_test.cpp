#include "access/key_view.hpp"

#include "access/key_form.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::access {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Query = std::vector<std::pair<std::string, std::string>>;

constexpr UtcTime now(1'800'000'000s);

std::vector<Key> example(int count) {
    IdSource ids(1);
    std::vector<Key> keys;
    for (int i = 0; i < count; ++i) {
        Key key{.id = new_key_id(now + i * 1s, &ids), .name = std::to_string(i)};
        key.team = i % 2 == 0 ? "even" : "odd";
        key.hash = "the hash";
        key.kind = i % 3 == 0 ? Key::Kind::browser : Key::Kind::secret;
        keys.push_back(std::move(key));
    }
    return keys;
}

std::string names(const KeyPage& page) {
    std::string all;
    for (const Key* key : page.keys) all += key->name + " ";
    return all + (page.has_more ? "…" : "");
}

Error refusal(const Query& query) { return read_key_filter(query).error(); }

TEST(KeyView, ShowsNoHash) {
    Key key = example(1)[0];
    key.old_hash = "the old hash";
    EXPECT_THAT(key_json(key), Not(HasSubstr("hash")));
    EXPECT_THAT(key_json(key), Not(HasSubstr(R"("key":)")));
}

TEST(KeyView, ListsTheNewestFirst) {
    const KeyRing ring(example(5));
    EXPECT_EQ(names(find_keys(ring, {})), "4 3 2 1 0 ");
    EXPECT_EQ(names(find_keys(ring, {.limit = 2})), "4 3 …");
    EXPECT_EQ(names(find_keys(ring, {.limit = 5})), "4 3 2 1 0 ");
    EXPECT_EQ(key_page_json(find_keys(KeyRing(), {})),
              R"({"object":"list","data":[],"has_more":false,"last_id":null})");
}

// Whatever the size of the page, and though keys go meanwhile.
TEST(KeyView, PagesMeetEveryKeyOnce) {
    for (std::size_t limit = 1; limit < 8; ++limit) {
        std::vector<Key> keys = example(20);
        std::string seen;
        KeyFilter filter{.limit = limit};
        while (true) {
            const KeyRing ring(keys);
            const KeyPage page = find_keys(ring, filter);
            for (const Key* key : page.keys) seen += key->name + " ";
            if (!page.has_more) break;
            filter.after = page.keys.back()->id;
            std::erase_if(keys, [&](const Key& key) { return key.id == filter.after; });
        }
        EXPECT_EQ(seen, "19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0 ") << limit;
    }
}

TEST(KeyView, ListsWhatIsAskedFor) {
    const KeyRing ring(example(6));
    const auto found = [&](const Query& query) {
        return names(find_keys(ring, *read_key_filter(query)));
    };
    EXPECT_EQ(found({{"team", "odd"}}), "5 3 1 ");
    EXPECT_EQ(found({{"kind", "browser"}}), "3 0 ");
    EXPECT_EQ(found({{"team", "odd"}, {"kind", "secret"}, {"limit", "1"}}), "5 …");
    EXPECT_EQ(found({{"name", "2"}, {"enabled", "true"}}), "2 ");
    EXPECT_EQ(found({{"enabled", "false"}}), "");
    EXPECT_EQ(found({{"after", ring.keys()[2].id}}), "1 0 ");
}

TEST(KeyView, RefusesWhatItDoesNotKnow) {
    for (const char* limit : {"0", "-1", "101", "x", "", "1 "})
        EXPECT_EQ(refusal({{"limit", limit}}).message, "limit must be a number from 1 to 100");
    for (const char* after : {"", "x", "key_1", "4"})
        EXPECT_EQ(refusal({{"after", after}}).param, "after");
    EXPECT_EQ(refusal({{"kind", "x"}}).param, "kind");
    EXPECT_EQ(refusal({{"enabled", "1"}}).param, "enabled");
    EXPECT_EQ(refusal({{"teem", "x"}}).kind, ErrorKind::unsupported_parameter);
    EXPECT_THAT(refusal({{"teem", "x"}}).message, HasSubstr("did you mean 'team'?"));
}

}  // namespace
}  // namespace runnel::access
