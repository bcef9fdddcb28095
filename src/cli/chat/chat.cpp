#include "cli/chat/chat.hpp"

#include "base/limits.hpp"
#include "base/utf8.hpp"
#include "cli/chat/conversation.hpp"
#include "cli/chat/line_reader.hpp"
#include "cli/chat/models.hpp"
#include "cli/chat/screen.hpp"
#include "cli/chat/talk.hpp"
#include "cli/chat/terminal_text.hpp"
#include "framing/sse.hpp"
#include "json/tree.hpp"
#include "json/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <thread>

#include <unistd.h>

namespace runnel::cli {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Answer = GatewayClient::Answer;
using Role = Conversation::Turn::Role;

constexpr auto cost_wait = 600ms;  // for the record of an answer, which is stored behind it
constexpr auto cost_look_again = 100ms;

constexpr std::string_view help_text =
    "/model NAME   chat with another model (the conversation goes on)\n"
    "/models       list the models\n"
    "/system TEXT  say what goes before the conversation; without a text, take it away\n"
    "/clear        begin a new conversation\n"
    "/retry        ask for the last answer again\n"
    "/quit         leave; so do Ctrl-D, and Ctrl-C twice\n"
    "Ctrl-C stops an answer. A line that ends with \\ goes on in the next one; // begins a message "
    "with /.\n";

void print(std::string_view text) { std::cout << text << std::flush; }

ChatLook look_of_terminal() {
    const char* no_colour = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    const bool plain = (no_colour != nullptr && *no_colour != '\0') || terminal == nullptr ||
                       std::string_view(terminal) == "dumb";
    return plain ? ChatLook::plain : ChatLook::styled;
}

// Shows each frame of a stream as it comes.
class FramesOnScreen final : public framing::FrameSink {
public:
    FramesOnScreen(const ChatTalk* talk, ChatScreen* screen) : talk_(*talk), screen_(*screen) {}
    void on_frame(const framing::Frame& frame) override {
        screen_.show(talk_.read(frame.data.text()));
    }

private:
    const ChatTalk& talk_;
    ChatScreen& screen_;
};

class Chat {
public:
    Chat(GatewayClient* gateway, const ChatTalk* talk, ChatLook look, Conversation conversation)
        : gateway_(*gateway),
          talk_(*talk),
          look_(look),
          conversation_(std::move(conversation)) {}

    // Asks and shows the answer. An error is one that was not shown.
    Result<void> answer_next();
    void add_question(std::string text) {
        conversation_.turns.push_back({Role::user, std::move(text)});
    }
    // At the terminal, until somebody leaves.
    void talk();

private:
    enum class Goes { on, away };
    Goes obey(const ChatCommand& command);
    void answer_aloud();
    void switch_model(const std::string& name);
    void show_models();
    void complain(std::string_view message);
    void remark(std::string_view text);
    std::optional<double> cost_of(const std::string& id);

    GatewayClient& gateway_;
    const ChatTalk& talk_;
    ChatLook look_;
    Conversation conversation_;
    enum class Costs { shown, unknown } costs_ = Costs::shown;
};

Result<void> Chat::answer_next() {
    std::string out;
    ChatScreen screen(look_, &out);
    FramesOnScreen frames(&talk_, &screen);
    framing::Decoder decoder(limits::frame_bytes);
    const auto began = Clock::now();
    const auto show = [&](Padded bytes) {
        (void)decoder.feed(bytes, frames);  // a frame past any size ends what can be shown
        print(std::exchange(out, {}));
    };
    auto answer = gateway_.ask(talk_.ask(conversation_), show);
    const bool stopped = answer && answer->end == Answer::End::interrupted;
    const auto took = std::chrono::floor<std::chrono::milliseconds>(Clock::now() - began);
    screen.end(stopped ? ChatScreen::End::stopped : ChatScreen::End::whole);
    print(out);
    // What was said stays said; a question without an answer can be asked again.
    if (!screen.answer().empty()) conversation_.turns.push_back({Role::assistant, screen.answer()});
    if (!answer) return propagate(answer);
    if (stopped) return {};
    if (answer->status != 200) return fail(gateway_.refusal(*answer));
    if (look_ == ChatLook::answer_only) {
        if (screen.error().empty()) return {};
        return fail(ErrorKind::upstream_failed, screen.error());
    }
    remark(summary_of(screen.usage(), cost_of(screen.id()), took));
    return {};
}

// The gateway's record says what the answer cost; a key that may not read it is not asked again.
std::optional<double> Chat::cost_of(const std::string& id) {
    const auto until = Clock::now() + cost_wait;
    while (costs_ == Costs::shown && !id.empty() && Clock::now() < until) {
        auto answer = gateway_.ask({.path = "/v1/logs/" + id});
        if (!answer || answer->end == Answer::End::interrupted) return std::nullopt;
        if (answer->status == 200) {
            const auto record = json::read_tree(answer->body);
            const json::Node* cost = record ? record->find("cost") : nullptr;
            const json::Node* usd = cost ? cost->find("usd") : nullptr;
            if (usd == nullptr || json::type_of(*usd) != json::Type::number) return std::nullopt;
            return json::number_of(*usd);
        }
        if (answer->status != 404) costs_ = Costs::unknown;
        std::this_thread::sleep_for(cost_look_again);
    }
    return std::nullopt;
}

void Chat::answer_aloud() {
    const auto done = answer_next();
    if (!done) complain(done.error().message);
    print("\n");
}

void Chat::complain(std::string_view message) {
    print(styled(look_, ChatStyle::red, "error: " + for_terminal(message)) + "\n");
}

void Chat::remark(std::string_view text) {
    print(styled(look_, ChatStyle::dim, for_terminal(text)) + "\n");
}

void Chat::show_models() {
    const auto names = list_models(gateway_);
    if (!names) return complain(names.error().message);
    for (const std::string& name : *names)
        print(fmt::format("{} {}\n", name == conversation_.model ? '*' : ' ', for_terminal(name)));
}

void Chat::switch_model(const std::string& name) {
    if (name.empty()) return remark(conversation_.model);
    if (const auto known = check_model(gateway_, name); !known)
        return complain(known.error().message);
    conversation_.model = name;
    remark("now with " + name);
}

Chat::Goes Chat::obey(const ChatCommand& command) {
    if (command.name == "quit" || command.name == "exit") return Goes::away;
    if (command.name == "model") {
        switch_model(command.rest);
    } else if (command.name == "models") {
        show_models();
    } else if (command.name == "system") {
        conversation_.system = command.rest;
        remark(command.rest.empty() ? "no system text" : "the system text is set");
    } else if (command.name == "clear") {
        conversation_.turns.clear();
        remark("a new conversation");
    } else if (command.name == "retry") {
        if (conversation_.forget_answer())
            answer_aloud();
        else
            complain("nothing has been asked yet");
    } else if (command.name == "help") {
        print(help_text);
    } else {
        complain(fmt::format("there is no command /{}; /help lists them, and // begins a message "
                             "with /",
                             command.name));
    }
    return Goes::on;
}

void Chat::talk() {
    remark(fmt::format("chatting with {}; /help for help", conversation_.model));
    LineReader lines(look_ == ChatLook::styled ? LineReader::Prompt::bold
                                               : LineReader::Prompt::plain);
    bool warned = false;
    while (true) {
        const LineReader::Line line = lines.read();
        if (line.kind != LineReader::Line::Kind::text) print("\n");
        if (line.kind == LineReader::Line::Kind::end) return;
        if (line.kind == LineReader::Line::Kind::interrupted) {
            if (line.text.empty() && warned) return;
            if (line.text.empty()) remark("Ctrl-C again, or Ctrl-D, to leave");
            warned = line.text.empty();
            continue;
        }
        warned = false;
        if (line.text.find_first_not_of(" \t\n") == std::string::npos) continue;
        if (const auto command = read_chat_command(line.text)) {
            if (obey(*command) == Goes::away) return;
            continue;
        }
        add_question(message_in(line.text));
        answer_aloud();
    }
}

Result<const ChatTalk*> talk_named(std::string_view api) {
    const auto talks = chat_talks();
    const auto found = std::ranges::find(talks, api, &ChatTalk::name);
    if (found != talks.end()) return &*found;
    std::vector<std::string_view> names;
    for (const ChatTalk& talk : talks) names.push_back(talk.name);
    return fail(
        ErrorKind::invalid_value,
        fmt::format("there is no chat in the API {}; there are: {}", api, fmt::join(names, ", ")));
}

Result<void> run(const ChatOptions& options) {
    auto talk = talk_named(options.api);
    if (!talk) return propagate(talk);
    const bool at_terminal = ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0;
    auto gateway = GatewayClient::make(options.url, Secret(options.key),
                                       at_terminal ? GatewayClient::Interrupt::ends_answer
                                                   : GatewayClient::Interrupt::ends_program);
    if (!gateway) return propagate(gateway);
    Conversation conversation{options.model, options.system};
    if (options.model.empty()) {
        auto model = first_model(**gateway);
        if (!model) return propagate(model);
        conversation.model = std::move(*model);
    } else if (at_terminal) {
        if (auto known = check_model(**gateway, options.model); !known) return propagate(known);
    }
    if (at_terminal) {
        Chat(gateway->get(), *talk, look_of_terminal(), std::move(conversation)).talk();
        return {};
    }
    std::string text{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
    while (text.ends_with('\n')) text.pop_back();
    if (text.empty()) return fail(ErrorKind::invalid_value, "there is no message on stdin");
    Chat chat(gateway->get(), *talk, ChatLook::answer_only, std::move(conversation));
    chat.add_question(with_valid_utf8(text));
    return chat.answer_next();
}

}  // namespace

int chat(const ChatOptions& options) {
    const auto done = run(options);
    if (done) return 0;
    std::cerr << fmt::format("runnel: {}\n", for_terminal(done.error().message));
    return 1;
}

}  // namespace runnel::cli
