#include "telemetry/metric_page.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <vector>

namespace runnel::telemetry {
namespace {

double seconds(std::chrono::microseconds time) { return static_cast<double>(time.count()) / 1e6; }

prometheus::ClientMetric labelled(MetricPage::Labels labels) {
    prometheus::ClientMetric metric;
    for (const auto& [name, value] : labels)
        metric.label.push_back({std::string(name), std::string(value)});
    return metric;
}

}  // namespace

struct MetricPage::Families {
    std::vector<prometheus::MetricFamily> all;

    void begin(std::string_view name, std::string_view help, prometheus::MetricType type) {
        all.push_back({std::string(name), std::string(help), type, {}});
    }
};

MetricPage::MetricPage() : families_(std::make_unique<Families>()) {}

MetricPage::~MetricPage() = default;

MetricPage& MetricPage::counter(std::string_view name, std::string_view help) {
    families_->begin(name, help, prometheus::MetricType::Counter);
    return *this;
}

MetricPage& MetricPage::gauge(std::string_view name, std::string_view help) {
    families_->begin(name, help, prometheus::MetricType::Gauge);
    return *this;
}

MetricPage& MetricPage::histogram(std::string_view name, std::string_view help) {
    families_->begin(name, help, prometheus::MetricType::Histogram);
    return *this;
}

MetricPage& MetricPage::value(double value, Labels labels) {
    prometheus::MetricFamily& family = families_->all.back();
    prometheus::ClientMetric metric = labelled(labels);
    if (family.type == prometheus::MetricType::Counter) {
        metric.counter.value = value;
    } else {
        metric.gauge.value = value;
    }
    family.metric.push_back(std::move(metric));
    return *this;
}

MetricPage& MetricPage::value(std::span<const std::chrono::microseconds> bounds,
                              std::span<const std::int64_t> counts, std::chrono::microseconds sum,
                              Labels labels) {
    prometheus::ClientMetric metric = labelled(labels);
    auto& histogram = metric.histogram;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        histogram.sample_count += static_cast<std::uint64_t>(counts[i]);
        // The last bucket has no bound; the serializer adds it.
        if (i < bounds.size())
            histogram.bucket.push_back({histogram.sample_count, seconds(bounds[i])});
    }
    histogram.sample_sum = seconds(sum);
    families_->all.back().metric.push_back(std::move(metric));
    return *this;
}

std::string MetricPage::text() const {
    return prometheus::TextSerializer().Serialize(families_->all);
}

}  // namespace runnel::telemetry
