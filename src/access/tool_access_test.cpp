#include "access/tool_access.hpp"

#include <gtest/gtest.h>

namespace runnel::access {
namespace {

using Names = std::vector<std::string>;

const Names known{"calc", "files", "shell"};

Caller with_key(Names scopes, std::optional<Names> tools = std::nullopt) {
    auto key = std::make_shared<Key>();
    key->id = "k";
    key->scopes = std::move(scopes);
    key->tools = std::move(tools);
    return {.kind = Caller::Kind::key, .key = std::move(key)};
}

Names run_for(const Caller& caller, const AuthSettings& settings = {}) {
    return ToolAccess(caller, settings).among(known);
}

std::string asking_for(const Caller& caller, const Names& wanted,
                       const AuthSettings& settings = {}) {
    const auto allowed = ToolAccess(caller, settings).check_wish(wanted, known);
    return allowed ? "" : allowed.error().message;
}

TEST(ToolAccess, AKeyHasTheToolsThatItLists) {
    EXPECT_EQ(run_for(with_key({"*"})), known);
    EXPECT_EQ(run_for(with_key({"*"}, Names{"calc", "gone"})), Names{"calc"});
    EXPECT_EQ(run_for(with_key({"*"}, Names{})), Names{});
}

TEST(ToolAccess, WhoProvesNothingHasThoseOfTheConfig) {
    Caller wallet{.kind = Caller::Kind::wallet, .wallet = "0xa"};
    EXPECT_EQ(run_for(wallet), Names{});
    AuthSettings settings;
    settings.wallet_tools = {"calc"};
    EXPECT_EQ(run_for(wallet, settings), Names{"calc"});
    EXPECT_EQ(run_for(Caller{}), known) << "nobody has to say who they are";
}

TEST(ToolAccess, ABrowsersKeyHasNone) {
    Key key{.id = "k", .kind = Key::Kind::browser};
    key.tools = Names{"calc"};
    const Caller caller{.kind = Caller::Kind::key, .key = std::make_shared<Key>(key)};
    EXPECT_EQ(run_for(caller), Names{});
}

TEST(ToolAccess, AskingForToolsNeedsTheScope) {
    EXPECT_EQ(asking_for(with_key({"chat:write", "tools:execute"}), {"calc"}), "");
    EXPECT_EQ(asking_for(with_key({"*"}), {"calc"}), "");
    EXPECT_EQ(asking_for(with_key({"chat:write"}), {}), "");
    EXPECT_EQ(asking_for(with_key({"chat:write"}), {"calc"}),
              "this key lacks the scope tools:execute, without which builtin_tools can't be asked "
              "for; it has chat:write");
}

TEST(ToolAccess, TellsOfNoToolButTheCallersOwn) {
    EXPECT_EQ(asking_for(with_key({"*"}, Names{"calc"}), {"shell"}),
              "there is no tool 'shell'; there are: calc");
    EXPECT_EQ(asking_for(with_key({"*"}, Names{"calc"}), {"none"}),
              "there is no tool 'none'; there are: calc");
    EXPECT_EQ(asking_for(Caller{.kind = Caller::Kind::wallet}, {"shell"}),
              "there is no tool 'shell': none may be run for this caller");
}

}  // namespace
}  // namespace runnel::access
