#include "app/machine_memory.hpp"

#include "base/limits.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string_view>

namespace runnel::app {
namespace {

namespace fs = std::filesystem;

class MachineMemory : public testing::Test {
protected:
    void SetUp() override {
        root_ = fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name();
        fs::remove_all(root_);
        write("proc/meminfo", "MemTotal:       16384 kB\nMemFree:         1000 kB\n");
    }
    void TearDown() override { fs::remove_all(root_); }

    void write(const fs::path& file, std::string_view text) {
        fs::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << text;
    }
    std::size_t read() { return machine_memory(root_ / "proc", root_ / "cgroup"); }

    fs::path root_;
};

TEST_F(MachineMemory, IsTheMachinesWithoutGroups) { EXPECT_EQ(read(), 16384 * limits::kib); }

TEST_F(MachineMemory, IsTheLeastOnTheWayToTheGroup) {
    write("proc/self/cgroup", "0::/a.slice/b.service\n");
    write("cgroup/a.slice/memory.max", "8388608\n");
    write("cgroup/a.slice/b.service/memory.max", "max\n");
    EXPECT_EQ(read(), 8 * limits::mib);
    write("cgroup/a.slice/b.service/memory.high", "4194304\n");
    EXPECT_EQ(read(), 4 * limits::mib);
}

TEST_F(MachineMemory, IsTheContainersWhereItIsItsOwnRoot) {
    write("proc/self/cgroup", "0::/\n");
    write("cgroup/memory.max", "2097152\n");
    EXPECT_EQ(read(), 2 * limits::mib);
}

TEST_F(MachineMemory, KnowsTheOldGroups) {
    write("proc/self/cgroup", "5:cpu,memory:/docker/x\n1:name=systemd:/\n");
    write("cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write("cgroup/memory/docker/x/memory.limit_in_bytes", "1048576\n");
    EXPECT_EQ(read(), limits::mib);
}

TEST_F(MachineMemory, IsNothingWhereNobodySays) {
    fs::remove_all(root_);
    EXPECT_EQ(read(), 0U);
    EXPECT_EQ(default_memory_budget(0), limits::memory_bytes_min);
    EXPECT_EQ(default_memory_budget(1024 * limits::mib), 512 * limits::mib);
}

}  // namespace
}  // namespace runnel::app
