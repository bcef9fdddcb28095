#include "cli/keys_command.hpp"

#include "config/config_file.hpp"
#include "config/units.hpp"
#include "json/writer.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <limits>

namespace runnel::cli {
namespace {

constexpr auto create_help =
    "Make a key. Its secret is printed once, on stdout; nobody can read it again";
constexpr auto update_help =
    "Change a key: what an option names is replaced, the rest stays as it is";

}  // namespace

KeysCommand::KeysCommand(CLI::App* app)
    : keys_(app->add_subcommand("keys", "Make, list, change and revoke keys, in the store itself: "
                                        "no gateway need run, and those that do notice within a "
                                        "second")),
      create_(keys_->add_subcommand("create", create_help)),
      list_(keys_->add_subcommand("list", "List the keys, newest first, without their secrets")),
      show_(keys_->add_subcommand("show", "Show what a key may do")),
      update_(keys_->add_subcommand("update", update_help)),
      rotate_(keys_->add_subcommand("rotate", "Give a key a new secret, which is printed once")),
      revoke_(keys_->add_subcommand("revoke", "Delete a key: it is refused from now on")) {
    keys_->require_subcommand(1);
    for (CLI::App* command : {create_, list_, show_, update_, rotate_, revoke_})
        add_place_options(command);
    for (CLI::App* command : {show_, update_, rotate_, revoke_}) add_id(command);
    for (CLI::App* command : {create_, update_}) add_key_options(command);
    create_->add_option("--kind", options_.kind, "secret (default), or browser: one for pages")
        ->type_name("secret|browser");
    update_->add_flag_callback("--enable", [this] { options_.enabled = true; }, "Let it be used");
    update_->add_flag_callback("--disable", [this] { options_.enabled = false; }, "Refuse it");
    update_
        ->add_option("--clear", options_.clear, "A field to take away, e.g. expires_at or budget")
        ->allow_extra_args(false)
        ->type_name("FIELD");
    list_->add_option("--team", team_, "Only this team's")->type_name("TEAM");
    rotate_->add_option("--grace", grace_, "How long the old secret stays good, e.g. 1h")
        ->type_name("TIME");
}

void KeysCommand::add_place_options(CLI::App* command) {
    command->add_option("--config", config_file_, "The gateway's config, which names its store")
        ->type_name("FILE");
    command->add_option("--data", data_, "The gateway's data folder, in place of the config's")
        ->type_name("DIR");
    command->add_flag("--json", json_, "Print JSON, as the admin API answers");
}

void KeysCommand::add_id(CLI::App* command) {
    command->add_option("id", id_, "The key's id: key_…")->required()->type_name("ID");
}

void KeysCommand::add_key_options(CLI::App* command) {
    // A list has an option for each entry: an id behind one is not taken for another.
    const auto text = [&](const char* name, auto& into, const char* help, const char* type) {
        command->add_option(name, into, help)->allow_extra_args(false)->type_name(type);
    };
    text("--name", options_.name, "What it is for, in your words", "TEXT");
    text("--team", options_.team, "Whose budget it spends", "TEAM");
    text("--scope", options_.scopes,
         "What it may do: chat:write, models:read, tools:execute, logs:read, usage:read or *",
         "SCOPE");
    text("--model", options_.models,
         "Models it may use: a name or provider/model, perhaps with * at the end", "MODEL");
    command
        ->add_option("--tools", options_.tools,
                     "Tools that may be run for it, by their names in the config; all if not said")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAME,...");
    text("--expires", options_.expires, "When it ends: 30d, 12h, 2027-01-31T12:00:00Z or never",
         "TIME");
    text("--origin", options_.origins, "Pages it may be used by: https://app.example.com",
         "ORIGIN");
    text("--address", options_.addresses, "Where it may be used from: 10.0.0.0/8, 2001:db8::7",
         "ADDRESS");
    text("--wallet", options_.wallet, "The wallet address that it is bound to", "0x...");
    text("--dialect", options_.dialect, "The shape of its streams", "DIALECT");
    text("--rpm", options_.rpm, "Requests per minute", "N");
    text("--rpd", options_.rpd, "Requests per day", "N");
    text("--tpm", options_.tpm, "Tokens per minute", "N");
    text("--tpd", options_.tpd, "Tokens per day", "N");
    text("--concurrency", options_.concurrency, "Requests at a time", "N");
    text("--budget", options_.budget_usd, "What it may spend, in US dollars", "USD");
    text("--period", options_.period, "Per day, week or month; total if not said", "PERIOD");
    text("--guardrail", options_.guardrails, "Rules of the config that always apply to it", "NAME");
    text("--fields", options_.fields_json, "More of them, as the admin API takes them", "JSON");
    command->add_flag_callback(
        "--keep-content", [this] { options_.keeps_content = true; }, "Log what is said with it");
    command->add_flag_callback(
        "--no-content", [this] { options_.keeps_content = false; }, "Don't (the default)");
    command->add_flag_callback(
        "--cache", [this] { options_.may_cache = true; },
        "Let its answers come from the cache (the default)");
    command->add_flag_callback("--no-cache", [this] { options_.may_cache = false; }, "Never");
}

bool KeysCommand::chosen() const { return keys_->parsed(); }

int KeysCommand::run(std::ostream& out, std::ostream& err) {
    auto loaded = config_file_.empty() ? std::optional(config::default_config(&config::environment))
                                       : config::load_config(config_file_, err);
    if (!loaded) return 1;
    if (!data_.empty()) loaded->data = data_;
    auto cabinet = KeyCabinet::open(&*loaded);
    const Result<void> done = cabinet ? run(*cabinet, out, err) : Result<void>(propagate(cabinet));
    if (done) return 0;
    fmt::print(err, "runnel: {}\n", done.error().message);
    return 1;
}

Result<void> KeysCommand::run(KeyCabinet& cabinet, std::ostream& out, std::ostream& err) {
    if (*list_) return list(cabinet, out, err);
    if (*revoke_) {
        if (auto done = cabinet.revoke(id_); !done) return done;
        if (!json_) {
            fmt::print(err, "{} is revoked\n", id_);
            return {};
        }
        std::string text;
        json::Writer(text)
            .begin_object()
            .key("id")
            .string(id_)
            .key("object")
            .string("key")
            .key("deleted")
            .boolean(true)
            .end_object();
        fmt::print(out, "{}\n", text);
        return {};
    }
    if (*rotate_) {
        const auto grace = config::read_duration(grace_);
        if (!grace)
            return fail(ErrorKind::invalid_value, "--grace must be a time such as 30s, 5m or 1h");
        auto shown = cabinet.rotate(id_, *grace);
        if (!shown) return propagate(shown);
        print(*shown, "has a new secret", out, err);
        return {};
    }
    auto shown = *create_   ? cabinet.create(options_)
                 : *update_ ? cabinet.update(id_, options_)
                            : cabinet.show(id_);
    if (!shown) return propagate(shown);
    print(*shown, *create_ ? "is made, with this secret" : "", out, err);
    return {};
}

void KeysCommand::print(const ShownKey& shown, std::string_view what, std::ostream& out,
                        std::ostream& err) {
    if (json_) {
        fmt::print(out, "{}\n", access::key_json(shown.key, shown.secret));
    } else if (shown.secret.empty()) {
        fmt::print(out, "{}", describe(shown.key));
    } else {
        fmt::print(err, "{} {}, which is not shown again:\n", shown.key.id, what);
        fmt::print(out, "{}\n", shown.secret.reveal());
    }
}

Result<void> KeysCommand::list(KeyCabinet& cabinet, std::ostream& out, std::ostream& err) {
    const auto ring = cabinet.all();
    if (!ring) return fail(ring.error());
    access::KeyFilter filter{.limit = std::numeric_limits<std::size_t>::max()};
    if (!team_.empty()) filter.team = team_;
    const access::KeyPage page = access::find_keys(*ring, filter);
    const auto now =
        std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    if (json_) {
        fmt::print(out, "{}\n", access::key_page_json(page));
    } else if (page.keys.empty()) {
        fmt::print(err, "there are no keys\n");
    } else {
        fmt::print(out, "{}", key_table(page, now));
    }
    return {};
}

}  // namespace runnel::cli
