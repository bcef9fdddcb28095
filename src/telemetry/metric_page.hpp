#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace runnel::telemetry {

// A page of metrics in Prometheus's text format, in the making.
class MetricPage {
public:
    using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

    MetricPage();
    ~MetricPage();
    MetricPage(const MetricPage&) = delete;
    MetricPage& operator=(const MetricPage&) = delete;

    // Begins a metric; its values follow. `help` is one sentence without its full stop.
    MetricPage& counter(std::string_view name, std::string_view help);
    MetricPage& gauge(std::string_view name, std::string_view help);
    MetricPage& histogram(std::string_view name, std::string_view help);

    // A value of the metric that was begun last: of a counter or a gauge,
    MetricPage& value(double value, Labels labels = {});
    // or of a histogram.
    template <class Histogram>
    MetricPage& value(const Histogram& histogram, Labels labels = {}) {
        return value(Histogram::limits, histogram.counts, histogram.sum, labels);
    }

    std::string text() const;

private:
    MetricPage& value(std::span<const std::chrono::microseconds> bounds,
                      std::span<const std::int64_t> counts, std::chrono::microseconds sum,
                      Labels labels);

    struct Families;
    std::unique_ptr<Families> families_;
};

}  // namespace runnel::telemetry
