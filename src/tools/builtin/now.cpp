#include "tools/builtin/now.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "json/writer.hpp"
#include "tools/outcome.hpp"

#include <cctz/time_zone.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace runnel::tools {
namespace {

constexpr std::string_view utc = "UTC";
constexpr std::string_view zone_folder = "/usr/share/zoneinfo/";
constexpr std::size_t zone_name_bytes_max = 64;

// No dot is legal, so that no name leads out of the folder.
bool is_zone_name(std::string_view name) {
    const auto legal = [](char c) {
        return ascii::is_alphanumeric(c) || c == '/' || c == '_' || c == '-' || c == '+';
    };
    return !name.empty() && name.size() <= zone_name_bytes_max && name.front() != '/' &&
           std::ranges::all_of(name, legal);
}

// cctz remembers every name it is asked for, also those of no zone: it gets only names of files.
bool has_zone_file(std::string_view name) {
    if (!is_zone_name(name)) return false;
    std::ifstream file(fmt::format("{}{}", zone_folder, name), std::ios::binary);
    std::string magic(4, ' ');
    return file.read(magic.data(), 4) && magic == "TZif";
}

// cctz rather than date-tz, which ignores the rule that a zone file ends with: its clocks stand
// still after 2037, and after the last change of the law where files are written in short.
Result<cctz::time_zone> zone_named(const std::string& name) {
    cctz::time_zone zone = cctz::utc_time_zone();
    if (name == utc || (has_zone_file(name) && cctz::load_time_zone(name, &zone))) return zone;
    return fail(ErrorKind::invalid_value,
                fmt::format("there is no time zone '{}' here; it is an IANA name such as "
                            "Europe/Berlin, or UTC",
                            utf8_prefix(name, zone_name_bytes_max)));
}

}  // namespace

ToolSpec now_spec() {
    return {"now", "Tells the current date and time.",
            R"({"type":"object","properties":{"time_zone":{"type":"string","description":)"
            R"("An IANA name such as Europe/Berlin or America/New_York; UTC if left out"}}})"};
}

ToolOutcome run_now(const Arguments& arguments, UtcTime now) {
    const std::string name = arguments.optional_text("time_zone").value_or(std::string(utc));
    const auto zone = zone_named(name);
    if (!zone) return failed_with(zone.error().message);
    std::string json;
    json::Writer writer(json);
    writer.begin_object();
    writer.key("time").string(cctz::format("%Y-%m-%dT%H:%M:%S%Ez", now, *zone));
    writer.key("weekday").string(cctz::format("%A", now, *zone));
    writer.key("time_zone").string(name);
    writer.key("abbreviation").string(zone->lookup(now).abbr);
    writer.key("unix").number(now.time_since_epoch().count());
    writer.end_object();
    return completed_with_json(std::move(json), {});
}

}  // namespace runnel::tools
