#include "tools/builtin/calculator.hpp"

#include "base/ascii.hpp"
#include "base/nearest.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

namespace runnel::tools {
namespace {

constexpr std::size_t expression_bytes_max = 4096;
constexpr int depth_max = 100;
constexpr std::size_t arguments_any = 64;
constexpr double exact_whole_max = 9007199254740992.0;  // 2^53

using Values = std::span<const double>;

struct Function {
    std::string_view name;
    std::size_t least;
    std::size_t most;
    double (*of)(Values);
};

double log_of(Values v) {
    return v.size() == 1 ? std::log10(v[0]) : std::log(v[0]) / std::log(v[1]);
}

double rounded(Values v) {
    if (v.size() == 1) return std::round(v[0]);
    const double scale = std::pow(10.0, v[1]);
    return std::round(v[0] * scale) / scale;
}

constexpr Function functions[] = {
    {"abs", 1, 1, [](Values v) { return std::abs(v[0]); }},
    {"acos", 1, 1, [](Values v) { return std::acos(v[0]); }},
    {"asin", 1, 1, [](Values v) { return std::asin(v[0]); }},
    {"atan", 1, 1, [](Values v) { return std::atan(v[0]); }},
    {"atan2", 2, 2, [](Values v) { return std::atan2(v[0], v[1]); }},
    {"cbrt", 1, 1, [](Values v) { return std::cbrt(v[0]); }},
    {"ceil", 1, 1, [](Values v) { return std::ceil(v[0]); }},
    {"cos", 1, 1, [](Values v) { return std::cos(v[0]); }},
    {"cosh", 1, 1, [](Values v) { return std::cosh(v[0]); }},
    {"exp", 1, 1, [](Values v) { return std::exp(v[0]); }},
    {"floor", 1, 1, [](Values v) { return std::floor(v[0]); }},
    {"hypot", 2, 2, [](Values v) { return std::hypot(v[0], v[1]); }},
    {"ln", 1, 1, [](Values v) { return std::log(v[0]); }},
    {"log", 1, 2, log_of},  // to base 10, or to the second argument's
    {"log10", 1, 1, [](Values v) { return std::log10(v[0]); }},
    {"log2", 1, 1, [](Values v) { return std::log2(v[0]); }},
    {"max", 1, arguments_any, [](Values v) { return std::ranges::max(v); }},
    {"min", 1, arguments_any, [](Values v) { return std::ranges::min(v); }},
    {"pow", 2, 2, [](Values v) { return std::pow(v[0], v[1]); }},
    {"round", 1, 2, rounded},  // the second argument: decimal places
    {"sign", 1, 1, [](Values v) { return double(v[0] > 0) - double(v[0] < 0); }},
    {"sin", 1, 1, [](Values v) { return std::sin(v[0]); }},
    {"sinh", 1, 1, [](Values v) { return std::sinh(v[0]); }},
    {"sqrt", 1, 1, [](Values v) { return std::sqrt(v[0]); }},
    {"tan", 1, 1, [](Values v) { return std::tan(v[0]); }},
    {"tanh", 1, 1, [](Values v) { return std::tanh(v[0]); }},
    {"trunc", 1, 1, [](Values v) { return std::trunc(v[0]); }},
};

struct Constant {
    std::string_view name;
    double value;
};
constexpr Constant constants[] = {
    {"pi", std::numbers::pi}, {"e", std::numbers::e}, {"tau", 2 * std::numbers::pi}};

bool is_name_letter(char c) { return ascii::is_letter(c) || c == '_'; }

// Reads from left to right, one function per level of precedence. After a mistake every level
// returns at once.
class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    Result<double> read() {
        const double value = sum();
        skip_space();
        if (problem_.empty() && at_ < text_.size()) complain_about_rest();
        if (!problem_.empty()) return fail(ErrorKind::invalid_value, std::move(problem_));
        return value;
    }

private:
    double sum() {
        double left = product();
        while (problem_.empty()) {
            if (take('+')) {
                left += product();
            } else if (take('-')) {
                left -= product();
            } else {
                break;
            }
        }
        return left;
    }

    double product() {
        double left = sign();
        while (problem_.empty()) {
            if (take('*')) {
                left *= sign();
            } else if (take('/')) {
                left /= divisor();
            } else if (take('%')) {
                left = std::fmod(left, divisor());
            } else {
                break;
            }
        }
        return left;
    }

    double divisor() {
        const double value = sign();
        if (value == 0) complain("a division by zero");
        return value;
    }

    double sign() {
        if (++depth_ > depth_max) return complain("too many levels inside each other");
        const double value = take('-') ? -sign() : take('+') ? sign() : power();
        --depth_;
        return value;
    }

    double power() {
        const double base = operand();
        if (!problem_.empty() || !take_power()) return base;
        return std::pow(base, sign());
    }

    double operand() {
        skip_space();
        if (at_ == text_.size()) return complain("a number is missing at the end");
        if (ascii::is_digit(text_[at_]) || text_[at_] == '.') return number();
        if (is_name_letter(text_[at_])) return named();
        if (take('(')) {
            const double value = sum();
            if (problem_.empty() && !take(')')) complain("a ')' is missing");
            return value;
        }
        return complain(fmt::format("a number is missing before '{}'", character()));
    }

    double number() {
        double value = 0;
        const char* const begin = text_.data() + at_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (error != std::errc()) return complain("this is not a number");
        at_ += static_cast<std::size_t>(end - begin);
        return value;
    }

    double named() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (is_name_letter(text_[at_]) || ascii::is_digit(text_[at_])))
            ++at_;
        const std::string_view name = text_.substr(begin, at_ - begin);
        const auto function = std::ranges::find(functions, name, &Function::name);
        if (function != std::end(functions)) return call(*function);
        const auto constant = std::ranges::find(constants, name, &Constant::name);
        if (constant != std::end(constants)) return constant->value;
        at_ = begin;
        std::vector<std::string_view> names;
        for (const Function& known : functions) names.push_back(known.name);
        return complain(fmt::format("there is no '{}'{}", name.substr(0, 40),
                                    did_you_mean(name.substr(0, 40), names)));
    }

    double call(const Function& function) {
        if (!take('('))
            return complain(fmt::format("'{}' needs its arguments in parentheses", function.name));
        std::vector<double> values;
        do {
            values.push_back(sum());
        } while (problem_.empty() && values.size() < function.most && take(','));
        if (!problem_.empty()) return 0;
        if (!take(')') || values.size() < function.least)
            return complain(function.least == function.most
                                ? fmt::format("'{}' takes {} argument{}", function.name,
                                              function.most, function.most == 1 ? "" : "s")
                                : fmt::format("'{}' takes {} to {} arguments", function.name,
                                              function.least, function.most));
        return function.of(values);
    }

    void skip_space() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").contains(text_[at_])) ++at_;
    }

    bool take(char c) {
        skip_space();
        if (at_ == text_.size() || text_[at_] != c) return false;
        // ** is ^.
        if (c == '*' && text_.substr(at_).starts_with("**")) return false;
        ++at_;
        return true;
    }

    bool take_power() {
        if (take('^')) return true;
        if (!text_.substr(at_).starts_with("**")) return false;
        at_ += 2;
        return true;
    }

    std::string_view character() const {
        const std::string_view rest = text_.substr(at_);
        return rest.substr(0, std::max<std::size_t>(1, utf8_sequence(rest)));
    }

    void complain_about_rest() {
        const char c = text_[at_];
        if (c == ',') {
            complain("a ',' outside a function; write 1000 for 1,000 and 1.5 for 1,5");
        } else if (c == ')') {
            complain("a ')' without a '('");
        } else if (ascii::is_digit(c) || is_name_letter(c) || c == '(') {
            complain("an operator is missing, such as *");
        } else {
            complain(fmt::format("'{}' is not an operator; there are + - * / % ^", character()));
        }
    }

    double complain(std::string_view what) {
        if (problem_.empty()) problem_ = fmt::format("at character {}: {}", at_ + 1, what);
        return 0;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::string problem_;
};

}  // namespace

Result<double> calculate(std::string_view expression) {
    if (expression.size() > expression_bytes_max)
        return fail(ErrorKind::invalid_value,
                    fmt::format("the expression is longer than {} bytes", expression_bytes_max));
    auto value = Reader(expression).read();
    if (value && std::isnan(*value))
        return fail(ErrorKind::invalid_value, "the result is not a real number");
    if (value && std::isinf(*value))
        return fail(ErrorKind::invalid_value, "the result is too large");
    return value;
}

std::string write_number(double number) {
    if (number == 0) return "0";
    if (number == std::trunc(number) && std::abs(number) <= exact_whole_max)
        return fmt::format("{:.0f}", number);
    return fmt::format("{:.15g}", number);
}

}  // namespace runnel::tools
