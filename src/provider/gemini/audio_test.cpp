#include "provider/gemini/audio.hpp"

#include <gtest/gtest.h>

namespace runnel::provider::gemini {
namespace {

TEST(GeminiAudio, KnowsSamplesAndTheirRate) {
    EXPECT_TRUE(is_samples("audio/L16;codec=pcm;rate=24000"));
    EXPECT_TRUE(is_samples("audio/pcm"));
    EXPECT_FALSE(is_samples("audio/wav"));
    EXPECT_EQ(samples_per_second("audio/L16;codec=pcm;rate=16000"), 16'000u);
    EXPECT_EQ(samples_per_second("audio/L16"), 24'000u);
    EXPECT_EQ(samples_per_second("audio/L16;rate=99999999999999"), 24'000u);
    EXPECT_EQ(samples_per_second("audio/L16;rate="), 24'000u);
}

TEST(GeminiAudio, WritesAHeaderThatSamplesCanFollow) {
    // RIFF, 52 bytes after the size; one channel, 24000 samples of two bytes a second; 4 bytes.
    EXPECT_EQ(wav_header(24'000, 6),
              "UklGRjQAAABXQVZFZm10IBAAAAABAAEAwF0AAIC7AAACABAASlVOSwIAAAAAAGRhdGEGAAAA");
    EXPECT_EQ(wav_header(24'000, {}),
              "UklGRvf///9XQVZFZm10IBAAAAABAAEAwF0AAIC7AAACABAASlVOSwIAAAAAAGRhdGHJ////");
    EXPECT_EQ(decoded_bytes("AQI="), 2u);
    EXPECT_EQ(decoded_bytes("AQID"), 3u);
    EXPECT_EQ(decoded_bytes(""), 0u);
}

}  // namespace
}  // namespace runnel::provider::gemini
