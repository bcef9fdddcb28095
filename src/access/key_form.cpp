#include "access/key_form.hpp"

#include "access/credentials.hpp"
#include "access/key_form_values.hpp"
#include "access/scope.hpp"

namespace runnel::access {
namespace {

using json::FormValue;

// Made like those of IdSource, with the time in front.
constexpr std::string_view id_prefix = "key_";
constexpr std::size_t id_digits = 24;
constexpr std::size_t id_time_digits = 9;  // enough for three thousand years
constexpr std::string_view id_alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";

constexpr std::string_view kind_names[] = {"secret", "browser"};  // in the order of Kind
constexpr std::string_view browser_scopes[] = {name_of(Scope::chat_write),
                                               name_of(Scope::models_read)};

Result<void> read_flag(const FormValue& value, bool& into) {
    auto flag = value.boolean();
    if (!flag) return propagate(flag);
    into = *flag;
    return {};
}

// What each field of a body does to a key.
class KeyReader {
public:
    enum class Purpose { create, change };
    KeyReader(Key* key, Purpose purpose, const KeyFormRules& rules, UtcTime now)
        : key_(*key),
          kind_before_(key->kind),
          purpose_(purpose),
          rules_(rules),
          now_(now) {}

    Result<void> read(std::string_view body) {
        auto form = json::Form::read(body);
        if (!form) return propagate(form);
        auto fields = form->root().fields();
        if (!fields) return propagate(fields);
        for (const auto& [name, value] : *fields) {
            const auto known =
                std::ranges::find(known_fields, name, [](const Known& one) { return one.name; });
            if (known == std::ranges::end(known_fields)) return fail(unknown(name));
            if (auto read = (this->*known->read)(value); !read) return read;
        }
        if (purpose_ == Purpose::create && key_.scopes.empty()) add_usual_scopes();
        if (purpose_ == Purpose::change && key_.kind != kind_before_)
            return fail_at(ErrorKind::invalid_value, "kind",
                           "kind stays what it is; make another key");
        return check_browser();
    }

private:
    struct Known {
        std::string_view name;
        Result<void> (KeyReader::*read)(const FormValue&);
    };

    Result<void> name(const FormValue& value) { return read_text(value, key_.name); }
    Result<void> team(const FormValue& value) { return read_text(value, key_.team); }
    Result<void> models(const FormValue& value) {
        return read_texts(value, key_.models, check_model);
    }
    // None may be run with an empty list, and all without one.
    Result<void> tools(const FormValue& value) {
        if (value.is_null()) {
            key_.tools.reset();
            return {};
        }
        std::vector<std::string> names;
        if (auto read = read_texts(value, names, check_tool); !read) return read;
        key_.tools = std::move(names);
        return {};
    }
    Result<void> origins(const FormValue& value) {
        return read_texts(value, key_.origins, check_origin);
    }
    Result<void> addresses(const FormValue& value) {
        return read_texts(value, key_.addresses, check_address);
    }
    Result<void> limits(const FormValue& value) { return read_limits(value, key_.limits); }
    Result<void> model_limits(const FormValue& value) {
        return read_model_limits(value, key_.model_limits);
    }
    Result<void> budget(const FormValue& value) { return read_budget(value, key_.budget); }
    Result<void> metadata(const FormValue& value) {
        return read_metadata(value, key_.metadata_json);
    }
    Result<void> enabled(const FormValue& value) { return read_flag(value, key_.enabled); }
    Result<void> keeps_content(const FormValue& value) {
        return read_flag(value, key_.keeps_content);
    }
    Result<void> may_cache(const FormValue& value) { return read_flag(value, key_.may_cache); }
    Result<void> expires_at(const FormValue& value) {
        return read_expiry(value, key_.expires_at, now_);
    }

    Result<void> kind(const FormValue& value) { return read_one_of(value, kind_names, key_.kind); }

    Result<void> scopes(const FormValue& value) {
        if (auto read = read_texts(value, key_.scopes, check_scope); !read) return read;
        if (key_.scopes.empty())
            return value.wrong("must have a scope at least; to stop a key, set enabled to false");
        return {};
    }

    Result<void> wallet(const FormValue& value) {
        if (auto read = read_text(value, key_.wallet); !read) return read;
        if (key_.wallet.empty()) return {};
        auto wallet = read_wallet(key_.wallet, *rules_.auth);
        if (!wallet) return value.must_be("0x and 40 hexadecimal digits");
        key_.wallet = std::move(*wallet);
        return {};
    }

    Result<void> dialect(const FormValue& value) {
        if (auto read = read_text(value, key_.dialect); !read) return read;
        const auto& names = rules_.dialects;
        if (key_.dialect.empty() || std::ranges::find(names, key_.dialect) != names.end())
            return {};
        return value.wrong(
            fmt::format("must be one of {}, not '{}'", fmt::join(names, ", "), key_.dialect));
    }

    Result<void> guardrails(const FormValue& value) {
        const auto& names = rules_.guardrails;
        return read_texts(value, key_.guardrails,
                          [&](const FormValue& element, const std::string& name) -> Result<void> {
                              if (std::ranges::find(names, name) != names.end()) return {};
                              return element.wrong(
                                  fmt::format("names no guardrail of the config: '{}'{}", name,
                                              did_you_mean(name, names)));
                          });
    }

    void add_usual_scopes() {
        if (key_.kind == Key::Kind::browser) {
            key_.scopes.assign(std::begin(browser_scopes), std::end(browser_scopes));
        } else {
            key_.scopes.emplace_back(every_scope);
        }
    }

    // Everybody can read a browser's key: nobody's logs and tools are behind it.
    Result<void> check_browser() {
        if (key_.kind != Key::Kind::browser) return {};
        for (const std::string& scope : key_.scopes)
            if (std::ranges::find(browser_scopes, scope) == std::ranges::end(browser_scopes))
                return fail_at(ErrorKind::invalid_value, "scopes",
                               fmt::format("scopes of a browser key are {}; '{}' is not for keys "
                                           "that everybody can read",
                                           fmt::join(browser_scopes, " and "), scope));
        return {};
    }

    static Error unknown(std::string_view name) {
        std::vector<std::string_view> names;
        for (const Known& known : known_fields) names.push_back(known.name);
        std::string help = did_you_mean(name, names);
        if (help.empty()) help = fmt::format("; a key has {}", fmt::join(names, ", "));
        return {ErrorKind::unsupported_parameter,
                fmt::format("there is no field '{}'{}", name, help), std::string(name)};
    }

    static constexpr Known known_fields[] = {
        {"name", &KeyReader::name},
        {"kind", &KeyReader::kind},
        {"team", &KeyReader::team},
        {"scopes", &KeyReader::scopes},
        {"models", &KeyReader::models},
        {"tools", &KeyReader::tools},
        {"enabled", &KeyReader::enabled},
        {"expires_at", &KeyReader::expires_at},
        {"origins", &KeyReader::origins},
        {"addresses", &KeyReader::addresses},
        {"wallet", &KeyReader::wallet},
        {"dialect", &KeyReader::dialect},
        {"limits", &KeyReader::limits},
        {"model_limits", &KeyReader::model_limits},
        {"budget", &KeyReader::budget},
        {"guardrails", &KeyReader::guardrails},
        {"keeps_content", &KeyReader::keeps_content},
        {"may_cache", &KeyReader::may_cache},
        {"metadata", &KeyReader::metadata},
    };

    Key& key_;
    Key::Kind kind_before_;
    Purpose purpose_;
    const KeyFormRules& rules_;
    UtcTime now_;
};

}  // namespace

Result<Key> read_new_key(std::string_view body, const KeyFormRules& rules, UtcTime now,
                         IdSource* ids) {
    Key key{.id = new_key_id(now, ids)};
    key.created_at = key.updated_at = now;
    auto read = KeyReader(&key, KeyReader::Purpose::create, rules, now).read(body);
    if (!read) return propagate(read);
    return key;
}

Result<void> change_key(Key* key, std::string_view body, const KeyFormRules& rules, UtcTime now) {
    Key changed = *key;
    auto read = KeyReader(&changed, KeyReader::Purpose::change, rules, now).read(body);
    if (!read) return read;
    changed.updated_at = now;
    *key = std::move(changed);
    return {};
}

std::string new_key_id(UtcTime now, IdSource* ids) {
    std::string id = ids->next(id_prefix);
    auto time = static_cast<std::uint64_t>(now.time_since_epoch().count());
    for (std::size_t i = id_time_digits; i-- > 0; time /= id_alphabet.size())
        id[id_prefix.size() + i] = id_alphabet[time % id_alphabet.size()];
    return id;
}

bool is_key_id(std::string_view text) {
    return text.size() == id_prefix.size() + id_digits && text.starts_with(id_prefix) &&
           text.find_first_not_of(id_alphabet, id_prefix.size()) == std::string_view::npos;
}

}  // namespace runnel::access
