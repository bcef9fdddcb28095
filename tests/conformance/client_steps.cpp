#include "client_steps.hpp"

namespace runnel::conformance {
namespace {

const std::vector<std::string> chunk_keys = {"id", "object", "created", "model"};

std::vector<std::string> joined(std::vector<std::string> keys,
                                const std::vector<std::string>& more) {
    keys.insert(keys.end(), more.begin(), more.end());
    return keys;
}

}  // namespace

bool has_keys(const Json& object, const std::vector<std::string>& keys) {
    if (!object.is_object() || object.size() != keys.size()) return false;
    auto key = keys.begin();
    for (auto item = object.begin(); item != object.end(); ++item)
        if (item.key() != *key++) return false;
    return true;
}

bool ClientSteps::is_step(const Json& frame) const {
    switch (rules_.tools) {
        case ClientRules::Tools::invisible: return false;
        case ClientRules::Tools::server_tool: return frame.contains("servertool");
        default: return frame.contains("type");
    }
}

std::string ClientSteps::read(const Json& frame, std::vector<std::string>& violations) {
    return rules_.tools == ClientRules::Tools::server_tool ? server_tool(frame, violations)
                                                           : agent_frame(frame, violations);
}

std::string ClientSteps::server_tool(const Json& frame, std::vector<std::string>& violations) {
    const auto wrong = [&](const char* what) {
        violations.push_back(what + (": " + frame.dump().substr(0, 240)));
    };
    if (!has_keys(frame,
                  joined(chunk_keys, {"system_fingerprint", "choices", "servertool", "usage"})))
        wrong("keys of a servertool chunk");
    if (!field(frame, "choices").empty() || !field(frame, "usage").is_null())
        wrong("a servertool chunk with choices or usage");
    const Json& tool = field(frame, "servertool");
    const std::vector<std::string> keys = {"name", "id", "contents", "state"};
    if (!has_keys(tool, keys) && !has_keys(tool, joined(keys, {"result"})) &&
        !has_keys(tool, joined(keys, {"error"})))
        wrong("keys of a servertool");
    if (parse_or_null(text_field(tool, "contents")).is_null()) wrong("contents are no JSON text");
    const std::string state = text_field(tool, "state");
    follow(text_field(tool, "id"), state, violations);
    return state + " " + text_field(tool, "name") + " " + text_field(tool, "contents");
}

std::string ClientSteps::agent_frame(const Json& frame, std::vector<std::string>& violations) {
    static const std::map<std::string, std::vector<std::string>> keys_of = {
        {"agent_text", {"content"}},
        {"tool_start", {"tool", "args"}},
        {"tool_trace", {"tool", "ok", "result"}}};
    const auto wrong = [&](const char* what) {
        violations.push_back(what + (": " + frame.dump().substr(0, 240)));
    };
    const std::string type = text_field(frame, "type");
    const auto known = keys_of.find(type);
    if (known == keys_of.end()) {
        wrong("an unknown type");
        return "";
    }
    const bool failed = type == "tool_trace" && field(frame, "ok") == false;
    std::vector<std::string> keys = joined({"type"}, known->second);
    if (is_chunk()) {
        keys = joined(joined(chunk_keys, {"choices"}), keys);
        if (type != "agent_text") keys.push_back("call_id");
        if (field(frame, "choices") !=
            Json::parse(R"([{"index":0,"delta":{},"finish_reason":null}])"))
            wrong("a choice in which something happens");
    }
    for (std::string& key : keys)
        if (failed && key == "result") key = "error";
    if (!has_keys(frame, keys)) wrong("keys of a frame about tools");
    if (type == "agent_text") {
        if (text_field(frame, "content").empty()) wrong("an agent_text without text");
        return "said " + text_field(frame, "content");
    }
    if (is_chunk())
        follow(text_field(frame, "call_id"),
               type == "tool_start" ? "Running"
               : failed             ? "Failed"
                                    : "Completed",
               violations);
    return type + " " + text_field(frame, "tool");
}

// Created where it is told, then Running, then one of the two ends.
void ClientSteps::follow(const std::string& id, std::string_view state,
                         std::vector<std::string>& violations) {
    const std::string before = states_.contains(id) ? states_[id] : "";
    const bool from_the_start = rules_.tools == ClientRules::Tools::server_tool;
    const bool right = state == "Created"   ? before.empty() && from_the_start
                       : state == "Running" ? before == (from_the_start ? "Created" : "")
                       : state == "Completed" || state == "Failed" ? before == "Running"
                                                                   : false;
    if (id.empty() || !right)
        violations.push_back("tool " + id + " is " + std::string(state) + " after '" + before +
                             "'");
    states_[id] = state;
}

}  // namespace runnel::conformance
