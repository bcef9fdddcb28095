#include "cli/chat/conversation.hpp"

#include <gtest/gtest.h>

namespace runnel::cli {
namespace {

using Role = Conversation::Turn::Role;

TEST(Conversation, ForgetsTheLastAnswerOnly) {
    Conversation talk;
    EXPECT_FALSE(talk.forget_answer());
    talk.turns = {{Role::user, "a"}, {Role::assistant, "b"}};
    EXPECT_TRUE(talk.forget_answer());
    EXPECT_TRUE(talk.forget_answer());  // a question that got no answer
    EXPECT_EQ(talk.turns.size(), 1u);
}

TEST(ChatCommand, BeginsWithOneSlash) {
    EXPECT_FALSE(read_chat_command("model"));
    EXPECT_FALSE(read_chat_command(""));
    EXPECT_FALSE(read_chat_command("//etc/hosts"));
    EXPECT_EQ(message_in("//etc/hosts"), "/etc/hosts");
    EXPECT_EQ(message_in("a //b"), "a //b");
    const auto plain = read_chat_command("/quit");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->name, "quit");
    EXPECT_EQ(plain->rest, "");
    const auto text = read_chat_command("/system  Be  brief. ");
    ASSERT_TRUE(text);
    EXPECT_EQ(text->name, "system");
    EXPECT_EQ(text->rest, "Be  brief.");
}

}  // namespace
}  // namespace runnel::cli
