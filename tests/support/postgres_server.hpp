#pragma once

#include <libpq-fe.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace runnel::testing {

// A PostgreSQL of one's own, on a free port of the loopback, with its data in a temporary folder.
// It refuses to run as root: then it is the user postgres who runs it.
class PostgresServer {
public:
    // Nothing where its programs are not installed.
    static std::unique_ptr<PostgresServer> start() {
        const auto programs = find_programs();
        if (!programs) return nullptr;
        std::unique_ptr<PostgresServer> server(new PostgresServer(*programs));
        if (!server->make_data() || !server->restart()) return nullptr;
        return server;
    }

    ~PostgresServer() {
        stop();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    PostgresServer(const PostgresServer&) = delete;
    PostgresServer& operator=(const PostgresServer&) = delete;

    std::string url(const std::string& database) const {
        return "postgres://runnel@127.0.0.1:" + std::to_string(port_) + "/" + database;
    }

    // At once: what is under way is lost.
    void stop() {
        if (process_ <= 0) return;
        ::kill(process_, SIGCONT);
        ::kill(process_, SIGQUIT);
        ::waitpid(process_, nullptr, 0);
        process_ = -1;
    }

    // By the thread that started it, or one that lives as long.
    bool restart() {
        stop();
        process_ =
            spawn({programs_ + "/postgres", "-D", folder_ + "/data", "-p", std::to_string(port_),
                   "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c",
                   "fsync=off", "-c", "full_page_writes=off", "-c", "shared_buffers=64MB"});
        for (int attempt = 0; attempt < 300; ++attempt) {
            if (PQping(url("postgres").c_str()) == PQPING_OK) return true;
            if (::waitpid(process_, nullptr, WNOHANG) == process_) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        return false;
    }

    // The processes that serve connections stop answering, and their connections stay open.
    void freeze() { signal_children(SIGSTOP); }
    void thaw() { signal_children(SIGCONT); }

    bool run(const std::string& database, const std::string& statement) const {
        PGconn* connection = PQconnectdb(url(database).c_str());
        PGresult* result = PQexec(connection, statement.c_str());
        const bool done =
            PQresultStatus(result) == PGRES_COMMAND_OK || PQresultStatus(result) == PGRES_TUPLES_OK;
        PQclear(result);
        PQfinish(connection);
        return done;
    }

    // The URL of a new, empty database.
    std::string new_database() {
        const std::string name = "test" + std::to_string(++databases_);
        return run("postgres", "CREATE DATABASE " + name) ? url(name) : std::string();
    }

private:
    explicit PostgresServer(std::string programs) : programs_(std::move(programs)) {}

    static std::optional<std::string> find_programs() {
        std::error_code error;
        std::optional<std::string> newest;
        for (const auto& version :
             std::filesystem::directory_iterator("/usr/lib/postgresql", error)) {
            const std::string folder = version.path().string() + "/bin";
            if (std::filesystem::exists(folder + "/initdb") && (!newest || folder > *newest))
                newest = folder;
        }
        return newest;
    }

    bool make_data() {
        std::string pattern = std::filesystem::temp_directory_path() / "runnel-postgres-XXXXXX";
        if (::mkdtemp(pattern.data()) == nullptr) return false;
        folder_ = pattern;
        std::filesystem::permissions(folder_, std::filesystem::perms::all);
        port_ = free_port();
        const pid_t made = spawn({programs_ + "/initdb", "-D", folder_ + "/data", "-A", "trust",
                                  "-U", "runnel", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"});
        int status = 1;
        ::waitpid(made, &status, 0);
        return status == 0;
    }

    static int free_port() {
        const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        ::bind(socket, reinterpret_cast<sockaddr*>(&address), size);
        ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
        ::close(socket);
        return ntohs(address.sin_port);
    }

    // It ends with the thread that starts it, however that ends.
    pid_t spawn(std::vector<std::string> command) const {
        std::vector<std::string> words{"setpriv", "--pdeathsig", "QUIT"};
        if (::geteuid() == 0)
            words.insert(words.end(),
                         {"--reuid", "postgres", "--regid", "postgres", "--clear-groups"});
        words.insert(words.end(), command.begin(), command.end());
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        const std::string log = folder_ + "/log";
        const pid_t child = ::fork();
        if (child != 0) return child;
        const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
        ::dup2(out, 1);
        ::dup2(out, 2);
        if (::chdir(folder_.c_str()) != 0) ::_exit(127);
        ::execvp(arguments[0], arguments.data());
        ::_exit(127);
    }

    void signal_children(int signal) const {
        const std::string self = std::to_string(process_);
        std::ifstream file("/proc/" + self + "/task/" + self + "/children");
        for (pid_t child = 0; file >> child;) ::kill(child, signal);
    }

    std::string programs_;
    std::string folder_;
    int port_ = 0;
    pid_t process_ = -1;
    int databases_ = 0;
};

}  // namespace runnel::testing
