#include "tools/sandbox/paths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace runnel::tools {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Not;
using Right = Grant::Right;

class SandboxPaths : public testing::Test {
protected:
    void SetUp() override {
        std::string name = fs::temp_directory_path() / "runnel-sandbox-XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        root_ = fs::canonical(name);
        for (const char* folder : {"docs", "work/data", "work/src", "home/.npm"})
            fs::create_directories(root_ / folder);
        for (const char* file : {"work/runnel.yaml", "work/README", "work/data/runnel.db"})
            std::ofstream(root_ / file) << "x";
        around_.hidden = {root_ / "work/data", root_ / "work/runnel.yaml"};
        around_.program = "/usr/bin/python3";
        around_.temporary = root_ / "docs";
    }
    void TearDown() override { fs::remove_all(root_); }

    std::string at(const char* path) const { return root_ / path; }
    Grant read(const char* path) const { return {at(path), Right::read}; }
    Grant write(const char* path) const { return {at(path), Right::write}; }

    fs::path root_;
    Surroundings around_;
};

TEST_F(SandboxPaths, GivesAllButWhatIsHidden) {
    const auto grants = grants_of({}, around_);
    EXPECT_THAT(grants, AllOf(Contains(read("work/src")), Contains(read("work/README")),
                              Contains(read("home"))));
    for (const Grant& grant : grants) {
        if (grant.right == Right::list) continue;
        for (const std::string& hidden : around_.hidden)
            EXPECT_FALSE(hidden.starts_with(grant.path) || grant.path.starts_with(hidden))
                << grant.path;
    }
}

TEST_F(SandboxPaths, GivesNothingButTheSystemAndWhatIsNamed) {
    const auto grants = grants_of({.read = {{at("docs")}}, .write = {at("work")}}, around_);
    EXPECT_THAT(grants, AllOf(Contains(read("docs")), Contains(write("work/src")),
                              Contains(Grant{"/usr", Right::read})));
    EXPECT_THAT(grants, AllOf(Not(Contains(read("home"))), Not(Contains(write("work"))),
                              Not(Contains(write("work/data")))));
}

// What somebody types, and the journal.
TEST_F(SandboxPaths, GivesNoTerminalsUnlessTheyAreNamedAndNoSharedMemory) {
    const auto in_dev = [](const std::vector<Grant>& grants) {
        std::vector<std::string> paths;
        for (const Grant& grant : grants)
            if (grant.path.starts_with("/dev")) paths.push_back(grant.path);
        return paths;
    };
    const std::vector<std::string> usual = in_dev(grants_of({}, around_));
    EXPECT_THAT(usual, Contains("/dev/null"));
    for (const char* device : {"/dev", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm"})
        EXPECT_THAT(usual, Not(Contains(device)));
    if (!fs::exists("/dev/pts")) GTEST_SKIP() << "there are no terminals here";
    const auto named = in_dev(grants_of({.write = {"/dev/pts", "/dev/shm"}}, around_));
    EXPECT_THAT(named, AllOf(Contains("/dev/pts"), Not(Contains("/dev/shm"))));
}

TEST_F(SandboxPaths, GivesFoldersThatTheArgumentsName) {
    around_.args = {"-y", "server-files", at("docs"), at("work/data"), at("work/README")};
    const auto grants = grants_of({}, around_);
    EXPECT_THAT(grants, Contains(write("docs")));
    EXPECT_THAT(grants,
                AllOf(Not(Contains(write("work/data"))), Not(Contains(write("work/README")))));
}

TEST_F(SandboxPaths, LinksLeadNowhereElse) {
    fs::create_symlink(root_ / "work/data", root_ / "docs/link");
    const auto grants = grants_of({.write = {at("docs/link")}}, around_);
    EXPECT_THAT(grants,
                AllOf(Not(Contains(write("docs/link"))), Not(Contains(write("work/data")))));
}

// The home of a service is the folder of its data.
TEST_F(SandboxPaths, CachesCanBeWrittenWhereverTheyAre) {
    around_.home = at("home");
    around_.hidden.push_back(at("home"));
    around_.program = "/usr/bin/npx";
    EXPECT_THAT(cache_folders(around_), testing::ElementsAre(at("home/.cache"), at("home/.npm")));
    EXPECT_THAT(grants_of({}, around_),
                AllOf(Contains(write("home/.npm")), Not(Contains(read("home")))));
}

TEST_F(SandboxPaths, GivesNoDisks) {
    EXPECT_THAT(grants_of({}, around_), AllOf(Contains(Grant{"/dev/null", Right::write}),
                                              Not(Contains(Grant{"/dev", Right::read}))));
}

}  // namespace
}  // namespace runnel::tools
