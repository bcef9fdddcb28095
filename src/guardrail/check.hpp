#pragma once

#include "base/result.hpp"
#include "guardrail/rule.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::guardrail {

// What is said about a text.
struct Verdict {
    bool flagged = false;
    std::vector<std::string> categories{};  // of what was found, if that is told
};

// One way to ask another service about a text: what is sent, and what the answer means. Who sends
// it and waits, within the rule's time and the request's life, is `exchange/guard`. A new one is a
// file in checks/ and a line in registry.hpp.
class Check {
public:
    virtual ~Check() = default;

    // In `check` of a rule, with one text behind it: the address, which is a URL or a name.
    virtual std::string_view key() const = 0;
    enum class Address { url, name };
    virtual Address address() const { return Address::url; }

    // JSON that is sent there, by POST.
    struct Call {
        std::string url;
        std::string body;
    };
    virtual Call call(const std::string& address, std::string_view text) const = 0;
    // An answer that can't be read is an error: then the rule counts as one that has found
    // something. Any bytes may come.
    virtual Result<Verdict> read(std::string_view body) const = 0;
};

// What a client is told when a check could not be made.
Error check_failed(const GuardrailRule& rule, std::string_view why);

}  // namespace runnel::guardrail
