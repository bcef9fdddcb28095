#include "json/schema.hpp"

#include "json/place.hpp"
#include "json/schema_limits.hpp"
#include "json/values.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <utility>

namespace runnel::json {
namespace {

constexpr std::size_t problems_max = 8;     // nobody reads more
constexpr std::size_t steps_max = 500'000;  // some 50 ms
constexpr int depth_max = 256;              // a value's own depth, and what references add to it
constexpr std::size_t written_bytes = 256;
constexpr std::int64_t regex_bytes = std::int64_t{1} << 20;
constexpr std::size_t regex_steps = 1'000;  // that making one costs

std::string written(const Node& value) {
    std::string out;
    append_tree(out, value);
    return shortened(out, written_bytes);
}

bool has_type(const Node& value, std::string_view name) {
    switch (type_of(value)) {
        case Type::null: return name == "null";
        case Type::boolean: return name == "boolean";
        case Type::number: return name == "number" || (name == "integer" && is_integer(value));
        case Type::string: return name == "string";
        case Type::array: return name == "array";
        case Type::object: return name == "object";
    }
    return false;
}

// The names of types have nothing to unescape.
std::string_view unquoted(const Node& name) {
    return name.is_string() ? std::string_view(name.raw).substr(1, name.raw.size() - 2) : "";
}

std::string named_type(std::string_view name) {
    if (name == "null") return "null";
    const bool vowel = std::string_view("aio").contains(name.empty() ? 'x' : name.front());
    return fmt::format("{} {}", vowel ? "an" : "a", name);
}

// One value held against one schema. Each keyword of a schema is checked on its own; those that
// say how another one is meant (`then`, `minContains`) are read by that one.
class Checker {
public:
    explicit Checker(const Node& root) : root_(root) {}

    std::vector<std::string> problems_of(const Node& value) {
        check(root_, value);
        if (exhausted_ || steps_ > steps_max)
            return {"the schema is too deep or too large to check a value by it"};
        return std::move(problems_);
    }

private:
    // One keyword of a schema, and the value that is checked.
    struct At {
        const Node& schema;
        const Node& keyword;
        const Node& value;

        const Node* sibling(std::string_view name) const { return schema.find(name); }
    };
    using Check = void (Checker::*)(const At& at);
    struct Known {
        std::string_view keyword;
        Check check;
        Type of;  // the type of value that it speaks about; null: any
    };
    static const Known* find_known(std::string_view keyword);

    void check(const Node& schema, const Node& value) {
        if (!spend(1 + schema.members.size()) || problems_.size() >= problems_wanted_) return;
        if (schema.kind == Node::Kind::scalar && schema.raw == "false")
            return report("is not allowed here");
        if (depth_ == depth_max) {
            exhausted_ = true;
            return;
        }
        ++depth_;
        for (const auto& [name, keyword] : schema.members) {
            const Known* known = find_known(name);
            if (known == nullptr) {
                if (const auto problem = limit_problem(name, keyword, value)) report(*problem);
            } else if (known->of == Type::null || known->of == type_of(value)) {
                (this->*known->check)({schema, keyword, value});
            }
        }
        --depth_;
    }

    bool fits(const Node& schema, const Node& value) { return problems(schema, value, 1).empty(); }

    // What keeps the value from fitting this schema, without saying so.
    std::vector<std::string> problems(const Node& schema, const Node& value, std::size_t wanted) {
        std::vector<std::string> outer = std::exchange(problems_, {});
        const std::size_t outer_wanted = std::exchange(problems_wanted_, wanted);
        check(schema, value);
        problems_wanted_ = outer_wanted;
        return std::exchange(problems_, std::move(outer));
    }

    void check_member(const Node& schema, const Node::Member& member) {
        const std::size_t here = path_.size();
        path_ += step_to_member(member.first);
        check(schema, member.second);
        path_.resize(here);
    }

    void check_element(const Node& schema, const Node& array, std::size_t index) {
        const std::size_t here = path_.size();
        path_ += fmt::format("[{}]", index);
        check(schema, array.elements[index]);
        path_.resize(here);
    }

    void report(std::string_view what) {
        if (problems_.size() < problems_wanted_)
            problems_.push_back(fmt::format("{} {}", path_, what));
    }

    bool spend(std::size_t steps) {
        steps_ += steps;
        exhausted_ = exhausted_ || steps_ > steps_max;
        return !exhausted_;
    }

    // --- Any value

    void reference(const At& at) {
        const auto [known, is_new] = references_.try_emplace(&at.keyword, nullptr);
        if (is_new) known->second = at_reference(root_, at.keyword.text());
        if (known->second != nullptr) check(*known->second, at.value);
    }

    void type(const At& at) {
        if (!at.keyword.is_string() && !at.keyword.is_array()) return;
        const std::span<const Node> names =
            at.keyword.is_array() ? std::span(at.keyword.elements) : std::span(&at.keyword, 1);
        const auto fit = [&](const Node& name) { return has_type(at.value, unquoted(name)); };
        if (names.empty() || !spend(names.size()) || std::ranges::any_of(names, fit)) return;
        std::string wanted;
        for (const Node& name : names)
            wanted.append(wanted.empty() ? "" : " or ").append(named_type(unquoted(name)));
        const bool fraction = type_of(at.value) == Type::number;  // an integer was wanted
        report(fmt::format("must be {}, not {}", wanted,
                           fraction ? shortened(at.value.raw, shown_bytes)
                                    : std::string(with_article(type_of(at.value)))));
    }

    void enumeration(const At& at) {
        const auto same = [&](const Node& each) {
            return equal(each, at.value, steps_, steps_max);
        };
        if (!at.keyword.is_array() || std::ranges::any_of(at.keyword.elements, same)) return;
        report(fmt::format("must be one of {}", written(at.keyword)));
    }

    void constant(const At& at) {
        if (!equal(at.keyword, at.value, steps_, steps_max))
            report(fmt::format("must be {}", written(at.keyword)));
    }

    void all_of(const At& at) {
        for (const Node& schema : at.keyword.elements) check(schema, at.value);
    }

    // When nothing fits, the alternative that lacks least is the one to tell about.
    void any_of(const At& at) {
        std::vector<std::string> closest;
        for (const Node& schema : at.keyword.elements) {
            std::vector<std::string> lacks = problems(schema, at.value, problems_max);
            if (lacks.empty()) return;
            if (closest.empty() || lacks.size() < closest.size()) closest = std::move(lacks);
        }
        if (closest.empty()) return;
        report("fits none of its alternatives; the closest one lacks this:");
        problems_.insert(problems_.end(), closest.begin(), closest.end());
    }

    void one_of(const At& at) {
        const auto fit = std::ranges::count_if(
            at.keyword.elements, [&](const Node& schema) { return fits(schema, at.value); });
        if (fit == 0) return any_of(at);
        if (fit > 1) report("fits more than one of its alternatives; it must fit exactly one");
    }

    void negation(const At& at) {
        if (fits(at.keyword, at.value)) report(fmt::format("must not fit {}", written(at.keyword)));
    }

    void condition(const At& at) {
        const Node* then = at.sibling(fits(at.keyword, at.value) ? "then" : "else");
        if (then != nullptr) check(*then, at.value);
    }

    // --- Strings

    void pattern(const At& at) {
        if (!matches(at.keyword.text(), at.value.text()))
            report(fmt::format("must match the pattern {}", written(at.keyword)));
    }

    // A pattern that can't be understood is no reason to refuse a value.
    bool matches(const std::string& expression, std::string_view text) {
        const re2::RE2* compiled = compiled_from(expression);
        if (compiled == nullptr || !spend(1 + text.size() / 16)) return true;
        return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled);
    }

    // Null: it is no pattern, or there have been too many.
    const re2::RE2* compiled_from(const std::string& expression) {
        auto found = patterns_.find(expression);
        if (found == patterns_.end()) {
            if (!spend(regex_steps)) return nullptr;
            re2::RE2::Options options(re2::RE2::Quiet);
            options.set_max_mem(regex_bytes);
            found = patterns_.emplace(expression, std::make_unique<re2::RE2>(expression, options))
                        .first;
        }
        return found->second->ok() ? found->second.get() : nullptr;
    }

    // --- Arrays

    static std::size_t prefix_length(const At& at) {
        const Node* prefix = at.sibling("prefixItems");
        return prefix == nullptr ? 0 : prefix->elements.size();
    }

    void prefix_items(const At& at) {
        const std::size_t count = std::min(at.keyword.elements.size(), at.value.elements.size());
        for (std::size_t i = 0; i < count; ++i) check_element(at.keyword.elements[i], at.value, i);
    }

    // An array of schemas is what prefixItems was called before 2020-12.
    void items(const At& at) {
        if (at.keyword.is_array()) return prefix_items(at);
        for (std::size_t i = prefix_length(at); i < at.value.elements.size(); ++i)
            check_element(at.keyword, at.value, i);
    }

    void additional_items(const At& at) {
        const Node* prefix = at.sibling("items");
        if (prefix == nullptr || !prefix->is_array()) return;
        for (std::size_t i = prefix->elements.size(); i < at.value.elements.size(); ++i)
            check_element(at.keyword, at.value, i);
    }

    void unique_items(const At& at) {
        if (at.keyword.raw != "true") return;
        const auto& elements = at.value.elements;
        for (std::size_t i = 0; i < elements.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                if (!spend(1)) return;
                if (equal(elements[i], elements[j], steps_, steps_max))
                    return report(
                        fmt::format("must not have equal elements, as [{}] and [{}] are", j, i));
            }
    }

    void contains(const At& at) {
        const auto count = static_cast<double>(std::ranges::count_if(
            at.value.elements, [&](const Node& element) { return fits(at.keyword, element); }));
        const Node* least = at.sibling("minContains");
        const Node* most = at.sibling("maxContains");
        if (count < (least == nullptr ? 1 : number_of(*least)))
            report(fmt::format("has too few elements that fit {}", written(at.keyword)));
        if (most != nullptr && count > number_of(*most))
            report(fmt::format("has too many elements that fit {}", written(at.keyword)));
    }

    // --- Objects

    bool has(const Node& object, std::string_view name) {
        return spend(object.members.size()) && object.find(name) != nullptr;
    }

    void properties(const At& at) {
        for (const Node::Member& member : at.value.members) {
            if (!spend(at.keyword.members.size())) return;
            if (const Node* schema = at.keyword.find(member.first)) check_member(*schema, member);
        }
    }

    void pattern_properties(const At& at) {
        for (const Node::Member& member : at.value.members)
            for (const auto& [expression, schema] : at.keyword.members) {
                if (!spend(1)) return;
                if (compiled_from(expression) != nullptr && matches(expression, member.first))
                    check_member(schema, member);
            }
    }

    bool is_additional(const At& at, const std::string& name) {
        const Node* named = at.sibling("properties");
        if (named != nullptr && has(*named, name)) return false;
        const Node* patterned = at.sibling("patternProperties");
        return patterned == nullptr ||
               std::ranges::none_of(patterned->members, [&](const Node::Member& each) {
                   return matches(each.first, name);
               });
    }

    void additional_properties(const At& at) {
        for (const Node::Member& member : at.value.members) {
            if (!is_additional(at, member.first)) continue;
            if (at.keyword.raw == "false") {
                report(fmt::format("must not have {}", in_quotes(member.first)));
            } else {
                check_member(at.keyword, member);
            }
        }
    }

    void property_names(const At& at) {
        for (const Node::Member& member : at.value.members)
            if (!fits(at.keyword, Node::string(member.first)))
                report(fmt::format("must not have the name {}", in_quotes(member.first)));
    }

    void required(const At& at) {
        for (const Node& name : at.keyword.elements)
            if (name.is_string() && !has(at.value, name.text()))
                report(fmt::format("lacks {}, which is required", in_quotes(name.text())));
    }

    void dependent_required(const At& at) {
        for (const auto& [name, names] : at.keyword.members)
            if (has(at.value, name)) required({at.schema, names, at.value});
    }

    // What both of the others were called before 2019-09.
    void dependencies(const At& at) {
        for (const auto& [name, needs] : at.keyword.members) {
            if (!has(at.value, name)) continue;
            if (needs.is_array()) {
                required({at.schema, needs, at.value});
            } else {
                check(needs, at.value);
            }
        }
    }

    void dependent_schemas(const At& at) {
        for (const auto& [name, schema] : at.keyword.members)
            if (has(at.value, name)) check(schema, at.value);
    }

    const Node& root_;
    std::string path_ = "$";
    std::vector<std::string> problems_;
    std::size_t problems_wanted_ = problems_max;
    std::size_t steps_ = 0;
    int depth_ = 0;
    bool exhausted_ = false;
    std::map<const Node*, const Node*> references_;  // where each leads
    std::map<std::string, std::unique_ptr<re2::RE2>> patterns_;
};

const Checker::Known* Checker::find_known(std::string_view keyword) {
    static constexpr Type any = Type::null;
    static constexpr Known known[] = {
        {"$ref", &Checker::reference, any},
        {"type", &Checker::type, any},
        {"enum", &Checker::enumeration, any},
        {"const", &Checker::constant, any},
        {"allOf", &Checker::all_of, any},
        {"anyOf", &Checker::any_of, any},
        {"oneOf", &Checker::one_of, any},
        {"not", &Checker::negation, any},
        {"if", &Checker::condition, any},
        {"pattern", &Checker::pattern, Type::string},
        {"prefixItems", &Checker::prefix_items, Type::array},
        {"items", &Checker::items, Type::array},
        {"additionalItems", &Checker::additional_items, Type::array},
        {"uniqueItems", &Checker::unique_items, Type::array},
        {"contains", &Checker::contains, Type::array},
        {"properties", &Checker::properties, Type::object},
        {"patternProperties", &Checker::pattern_properties, Type::object},
        {"additionalProperties", &Checker::additional_properties, Type::object},
        {"propertyNames", &Checker::property_names, Type::object},
        {"required", &Checker::required, Type::object},
        {"dependentRequired", &Checker::dependent_required, Type::object},
        {"dependencies", &Checker::dependencies, Type::object},
        {"dependentSchemas", &Checker::dependent_schemas, Type::object},
    };
    const auto* found = std::ranges::find(known, keyword, &Known::keyword);
    return found == std::end(known) ? nullptr : found;
}

}  // namespace

std::vector<std::string> schema_problems(const Node& schema, const Node& value) {
    std::vector<std::string> problems = Checker(schema).problems_of(value);
    problems.resize(std::min(problems.size(), problems_max));
    return problems;
}

}  // namespace runnel::json
