#include "json/find_json.hpp"

#include "check.hpp"
#include "json/schema.hpp"

namespace {

using namespace runnel;

void check_found(std::string_view text, json::TextEnd end) {
    for (const std::string& found : json::find_json(text, end)) {
        const auto tree = json::read_tree(found);
        fuzz::require(tree.has_value(), "what is found is JSON", found);
        fuzz::require(found.find('\n') == std::string::npos, "it is one line", found);
        const auto again = json::find_json(found, end);
        fuzz::require(again.size() == 1 && again.front() == found, "it is found again", found);
        // The value for a schema: whatever it says, checking it comes to an end.
        fuzz::require(json::schema_problems(*tree, *tree).size() <= 8, "problems are few", found);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::text_of(data, size);
    check_found(text, json::TextEnd::own);
    check_found(text, json::TextEnd::cut_off);
    return 0;
}
