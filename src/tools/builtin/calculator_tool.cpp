#include "tools/builtin/calculator_tool.hpp"

#include "tools/builtin/calculator.hpp"
#include "tools/outcome.hpp"

namespace runnel::tools {

ToolSpec calculator_spec() {
    return {"calculator",
            "Evaluates an arithmetic expression exactly as written. Operators: + - * / % ^ and "
            "parentheses. Functions: abs, sqrt, cbrt, exp, ln, log (base 10, or log(x, base)), "
            "log2, sin, cos, tan, asin, acos, atan, atan2 (radians), sinh, cosh, tanh, floor, "
            "ceil, round (or round(x, places)), trunc, sign, min, max, pow, hypot. Constants: pi, "
            "e, tau.",
            R"({"type":"object","properties":{"expression":{"type":"string",)"
            R"("description":"For example: (17.5 * 3 + 2) / 4"}},"required":["expression"]})"};
}

ToolOutcome run_calculator(const Arguments& arguments) {
    const auto expression = arguments.text("expression");
    if (!expression) return failed_with(expression.error().message);
    const auto value = calculate(*expression);
    if (!value) return failed_with(value.error().message);
    return completed_with_json(write_number(*value), {});
}

}  // namespace runnel::tools
