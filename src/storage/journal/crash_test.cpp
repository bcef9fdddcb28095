#include "base/log.hpp"
#include "storage/journal/recorder.hpp"
#include "support/journals.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <charconv>
#include <csignal>
#include <random>
#include <set>
#include <thread>

#include <sys/mman.h>

// Processes that are killed at any moment, and what is known of their requests afterwards.
namespace runnel::storage {
namespace {

using namespace std::chrono_literals;
using testing::finished_request;
using testing::some_opening;

constexpr int threads = 2;
constexpr std::uint32_t requests_max = 200'000;  // of one thread

// Memory that the processes share: what each request has come to, as its thread saw it, and what
// the store has of it.
struct Shared {
    enum Step : std::uint8_t { nothing, opening, open, closing, closed };
    enum Row : std::uint8_t { none, finished, crashed };
    std::atomic<std::uint8_t> steps[threads][requests_max];
    std::atomic<std::uint8_t> rows[threads][requests_max];
    std::atomic<bool> begun;

    static Shared* make() {
        void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        return new (memory) Shared;
    }
};

// Not one transaction but row by row, so that it may be cut in the middle too.
AppendRecords store_in(Shared* shared) {
    return [shared](std::span<const Record> batch) -> Result<Appended> {
        Appended appended;
        for (const Record& record : batch) {
            std::uint32_t request = 0;
            const std::string& id = record.entry_id;
            std::from_chars(id.data() + 2, id.data() + id.size(), request);
            auto& row = shared->rows[id[0] - '0'][request];
            const bool is_new = row == Shared::none;
            if (is_new) row = record.error.empty() ? Shared::finished : Shared::crashed;
            ++(is_new ? appended.added : appended.known);
        }
        return appended;
    };
}

void serve(Shared* shared, JournalWriter* writer, int thread) {
    for (std::uint32_t i = 0; i < requests_max; ++i) {
        auto& step = shared->steps[thread][i];
        const std::string id = std::to_string(thread) + "-" + std::to_string(i);
        step = Shared::opening;
        const auto ticket = writer->open(some_opening(id));
        step = Shared::open;
        step = Shared::closing;
        writer->close(ticket, finished_request(id));
        step = Shared::closed;
        shared->begun = true;
    }
}

[[noreturn]] void run_gateway(Shared* shared, const std::filesystem::path& path) {
    auto journal = Journal::open(path, testing::journal_options({.file_bytes = 32'768}));
    std::vector<JournalWriter*> writers;
    for (int i = 0; i < threads; ++i) writers.push_back(journal->add_writer());
    Recorder recorder(journal.get(), store_in(shared), [](const Opening&, const Record&) {},
                      {.gather_time = 1ms});
    {
        std::vector<std::jthread> running;
        for (int i = 0; i < threads; ++i)
            running.emplace_back(
                [&, i] { serve(shared, writers[static_cast<std::size_t>(i)], i); });
    }
    while (true) std::this_thread::sleep_for(1s);
}

TEST(JournalCrash, LosesNoClosedRequestAndForgetsNoOpenOneWheneverItIsKilled) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
    GTEST_SKIP() << "the thread sanitizer allows no threads in a process that was forked";
#endif
#endif
    log::set_up(log::format_for_stderr(), log::Level::warning);
    testing::TemporaryFolder temporary;
    const auto own = Journal::open(temporary.path() / "journal", testing::journal_options());
    std::mt19937 random(1);
    std::uint64_t closed = 0, under_way = 0;
    for (int round = 0; round < 120; ++round) {
        Shared* const shared = Shared::make();
        const pid_t child = ::fork();
        if (child == 0) run_gateway(shared, temporary.path() / "journal");
        while (!shared->begun) std::this_thread::sleep_for(100us);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 15'000));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);

        std::set<std::string> told;
        Recovery recovery(
            own->places(), store_in(shared),
            [&](const Opening& opening, const Record&) { told.emplace(opening.completion_id); },
            500);
        recovery.look();
        while (recovery.has_work()) ASSERT_TRUE(recovery.step());
        EXPECT_EQ(recovery.lost(), 0u);

        for (int thread = 0; thread < threads; ++thread)
            for (std::uint32_t i = 0; i < requests_max; ++i) {
                const std::uint8_t step = shared->steps[thread][i];
                const std::uint8_t row = shared->rows[thread][i];
                const std::string id = std::to_string(thread) + "-" + std::to_string(i);
                if (step == Shared::nothing) break;
                if (step == Shared::closed) {
                    ASSERT_EQ(row, Shared::finished) << id;
                    ++closed;
                } else if (step == Shared::opening) {
                    ASSERT_NE(row, Shared::finished) << id;
                    ASSERT_EQ(row == Shared::crashed, told.contains(id)) << id;
                } else {
                    ASSERT_NE(row, Shared::none) << id;
                    if (step == Shared::open) ASSERT_EQ(row, Shared::crashed) << id;
                    if (row == Shared::crashed) ASSERT_TRUE(told.contains(id)) << id;
                    ++under_way;
                }
            }
        ::munmap(shared, sizeof(Shared));
    }
    log::set_up(log::format_for_stderr(), log::Level::info);
    EXPECT_GT(closed, 1000u);
    EXPECT_GT(under_way, 50u);
}

}  // namespace
}  // namespace runnel::storage
