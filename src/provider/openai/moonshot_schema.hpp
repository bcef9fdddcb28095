#pragma once

#include <string>
#include <string_view>

namespace runnel::provider {

struct MoonshotSchema {
    std::string text;
    bool lossy = false;  // something that it said is no longer said
};

// A JSON Schema as Moonshot's validator takes it: an object at the root, tuples as prefixItems, no
// type beside anyOf, no $schema. What can't be read goes on as it came.
MoonshotSchema moonshot_schema(std::string_view raw);

}  // namespace runnel::provider
