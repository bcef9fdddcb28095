#pragma once

#include "plain_json.hpp"

#include <string>
#include <string_view>
#include <vector>

// What the readers of the APIs check of any JSON, and of any stream of named events.
namespace runnel::conformance {

class Shape {
public:
    // `violations` must outlive it.
    explicit Shape(std::vector<std::string>* violations) : violations_(*violations) {}

    void violation(const std::string& what);
    // Fails unless it is true; `about` is shown with it.
    void check(bool right, std::string_view what, const Json& about);
    // All of `required`, in any order, and besides them some of `optional` at most.
    void members(const Json& object, std::string_view what,
                 const std::vector<std::string>& required,
                 const std::vector<std::string>& optional = {});
    std::int64_t count(const Json& object, const char* name);
    std::string some_text(const Json& object, const char* name);

private:
    std::vector<std::string>& violations_;
};

struct NamedEvent {
    std::string name;
    std::string data;
};

// event: <name>\ndata: <one line>\n\n, again and again, with nothing in between. Events without a
// name have none.
std::vector<NamedEvent> named_events(std::string_view bytes, Shape& shape);

// The arguments of a call where the API has an object for them: what is none stands in `_raw`.
std::string arguments_in(const Json& object);
std::string as_object(const std::string& arguments);

}  // namespace runnel::conformance
