#include "tools/rounds/explanation.hpp"

#include "json/writer.hpp"
#include "tools/arguments.hpp"

#include <utility>

namespace runnel::tools {
namespace {

constexpr std::string_view reason = "_tool_reason";
constexpr std::string_view goal = "_tool_goal";

void describe(json::Writer& writer, std::string_view name, std::string_view description) {
    writer.key(name).begin_object().key("type").string("string");
    writer.key("description").string(description).end_object();
}

// What stands between the brackets of a field that is an object or an array.
std::string_view inside_of(const Arguments::Argument* field, char bracket) {
    if (field == nullptr || !field->json.starts_with(bracket)) return {};
    return std::string_view(field->json).substr(1, field->json.size() - 2);
}

void write_properties(json::Writer& writer, std::string_view others) {
    writer.key("properties").begin_object();
    describe(writer, reason, "why you call this tool, in one short sentence for the user");
    describe(writer, goal, "what you want to reach with it, in one short sentence for the user");
    if (!others.empty()) writer.raw(others);
    writer.end_object();
}

void write_required(json::Writer& writer, std::string_view others) {
    writer.key("required").begin_array().string(reason).string(goal);
    if (!others.empty()) writer.raw(others);
    writer.end_array();
}

}  // namespace

std::string with_explanation(std::string parameters_json) {
    const auto schema = Arguments::read(parameters_json);
    if (!schema) return parameters_json;
    std::string out;
    json::Writer writer(out);
    writer.begin_object();
    for (const Arguments::Argument& field : schema->all())
        if (field.name != "properties" && field.name != "required")
            writer.key(field.name).raw(field.json);
    write_properties(writer, inside_of(schema->find("properties"), '{'));
    write_required(writer, inside_of(schema->find("required"), '['));
    writer.end_object();
    return out;
}

Explained take_explanation(std::string arguments_json) {
    const auto arguments = Arguments::read(arguments_json);
    if (!arguments || (!arguments->find(reason) && !arguments->find(goal)))
        return {std::move(arguments_json)};
    Explained explained;
    json::Writer rest(explained.arguments_json);
    json::Writer explanation(explained.explanation_json);
    rest.begin_object();
    for (const Arguments::Argument& argument : arguments->all())
        if (argument.name != reason && argument.name != goal)
            rest.key(argument.name).raw(argument.json);
    rest.end_object();
    const auto words = [&](std::string_view name) {
        const Arguments::Argument* said = arguments->find(name);
        return said ? plain_text(said->json) : std::string();
    };
    explanation.begin_object().key("reason").string(words(reason));
    explanation.key("goal").string(words(goal)).end_object();
    return explained;
}

}  // namespace runnel::tools
