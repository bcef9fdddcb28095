#include "access/ownership.hpp"

#include <gtest/gtest.h>

#include <set>

namespace runnel::access {
namespace {

Caller with_key(std::string id, Key::Kind kind = Key::Kind::secret, std::string team = {}) {
    auto key = std::make_shared<Key>();
    key->id = std::move(id);
    key->kind = kind;
    key->team = std::move(team);
    return {.kind = Caller::Kind::key, .key = std::move(key), .address = "192.0.2.1"};
}

TEST(Ownership, StateHasOneOwner) {
    const Caller stranger{.address = "192.0.2.1"};
    Caller wallet{.kind = Caller::Kind::wallet, .address = "192.0.2.1", .wallet = "0xa"};
    Caller elsewhere = wallet;
    elsewhere.address = "192.0.2.2";  // anybody can say 0xa
    const std::set<std::string> owners{owner_of_state(with_key("k1"), "", ""),
                                       owner_of_state(with_key("k2"), "", ""),
                                       owner_of_state(with_key("k1"), "alice", ""),
                                       owner_of_state(with_key("k1"), "bob", ""),
                                       owner_of_state(with_key("k1"), "", "{}"),
                                       owner_of_state(stranger, "", ""),
                                       owner_of_state(wallet, "", ""),
                                       owner_of_state(elsewhere, "", ""),
                                       owner_of_state(Caller{.address = "k1"}, "", "")};
    EXPECT_EQ(owners.size(), 9U);
}

TEST(Ownership, AKeyIsTheSameCallerFromEverywhereUnlessEverybodyCanReadIt) {
    Caller here = with_key("k1"), there = with_key("k1");
    there.address = "192.0.2.2";
    EXPECT_EQ(owner_of_state(here, "", ""), owner_of_state(there, "", ""));
    here = with_key("k1", Key::Kind::browser);
    there = with_key("k1", Key::Kind::browser);
    there.address = "192.0.2.2";
    EXPECT_NE(owner_of_state(here, "", ""), owner_of_state(there, "", ""));
}

TEST(Ownership, TeamsPayTogetherAndNobodyElse) {
    EXPECT_EQ(payer_of(with_key("k1", Key::Kind::secret, "t")),
              payer_of(with_key("k2", Key::Kind::secret, "t")));
    EXPECT_NE(payer_of(with_key("k1")), payer_of(with_key("k2")));
    EXPECT_NE(payer_of(with_key("k1")), payer_of(with_key("k2", Key::Kind::secret, "k1")))
        << "a team that is called like another's key";
    const Caller wallet{.kind = Caller::Kind::wallet, .address = "192.0.2.1", .wallet = "k1"};
    EXPECT_NE(payer_of(with_key("k1")), payer_of(wallet));
}

}  // namespace
}  // namespace runnel::access
