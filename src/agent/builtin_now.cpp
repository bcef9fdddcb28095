#include "agent/builtin_now.hpp"

#include "agent/outcome.hpp"
#include "json/writer.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace runnel::agent {
namespace {

constexpr std::string_view utc = "UTC";

Result<ZoneOffset> offset_in(std::string_view zone, UtcTime now) {
    if (zone == utc) return ZoneOffset{std::chrono::seconds(0), std::string(utc)};
    auto file = read_zone_file(zone);
    if (!file) return propagate(file);
    auto offset = offset_at(*file, now);
    if (!offset)
        return fail(ErrorKind::invalid_value,
                    fmt::format("the file of the time zone '{}' can't be read", zone));
    return std::move(*offset);
}

// "+05:30"
std::string written(std::chrono::seconds offset) {
    const auto minutes = std::chrono::abs(std::chrono::round<std::chrono::minutes>(offset)).count();
    return fmt::format("{}{:02}:{:02}", offset.count() < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

}  // namespace

ToolSpec now_spec() {
    return {"now", "Tells the current date and time.",
            R"({"type":"object","properties":{"time_zone":{"type":"string","description":)"
            R"("An IANA name such as Europe/Berlin or America/New_York; UTC if left out"}}})"};
}

ToolOutcome run_now(const Arguments& arguments, UtcTime now) {
    const std::string zone = arguments.optional_text("time_zone").value_or(std::string(utc));
    const auto offset = offset_in(zone, now);
    if (!offset) return failed_with(offset.error().message);
    const auto local = fmt::gmtime((now + offset->east_of_utc).time_since_epoch().count());
    std::string json;
    json::Writer writer(json);
    writer.begin_object();
    writer.key("time").string(
        fmt::format("{:%Y-%m-%dT%H:%M:%S}{}", local, written(offset->east_of_utc)));
    writer.key("weekday").string(fmt::format("{:%A}", local));
    writer.key("time_zone").string(zone);
    writer.key("abbreviation").string(offset->abbreviation);
    writer.key("unix").number(now.time_since_epoch().count());
    writer.end_object();
    return completed_with_json(std::move(json), {});
}

}  // namespace runnel::agent
