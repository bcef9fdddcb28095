#include "guardrail/matcher.hpp"
#include "guardrail/registry.hpp"

namespace runnel::guardrail {
namespace {

// Regular expressions of the config's own.
class PatternsDetector final : public Detector {
public:
    std::string_view key() const override { return "patterns"; }

    std::expected<Shapes, std::string> shapes(std::string_view item) const override {
        auto shape = shape_of(item);
        if (!shape) return std::unexpected(std::move(shape.error()));
        shape->needs = Shape::Needs::ends;
        return Shapes{std::move(*shape)};
    }

    std::expected<void, std::string> check(std::string_view item,
                                           std::size_t hold_characters) const override {
        return check_pattern(item, hold_characters);
    }
};

}  // namespace

const Detector& patterns_detector() {
    static const PatternsDetector detector;
    return detector;
}

}  // namespace runnel::guardrail
