#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace runnel::testing {

// A web server of a few lines, on every address of this machine and a port of its own. It hands
// each request to the test, which writes whatever it likes; then the connection is closed.
class WebServer {
public:
    using Socket = boost::asio::ip::tcp::socket;
    using Answer = std::function<void(const std::string& request, Socket& socket)>;

    explicit WebServer(Answer answer)
        : answer_(std::move(answer)),
          acceptor_(loop_, {boost::asio::ip::tcp::v4(), 0}),
          port_(acceptor_.local_endpoint().port()),
          thread_([this] { serve(); }) {}
    ~WebServer() {
        closing_ = true;
        boost::system::error_code ignored;
        Socket knock(loop_);
        knock.connect({boost::asio::ip::address_v4::loopback(), port_}, ignored);
        thread_.join();
    }

    unsigned short port() const { return port_; }
    std::string url(std::string_view path) const {
        return "http://127.0.0.1:" + std::to_string(port_) + std::string(path);
    }
    // What was asked so far.
    std::vector<std::string> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }

    static void send(Socket& socket, std::string_view bytes) {
        boost::system::error_code ignored;
        while (!bytes.empty() && !ignored)
            bytes.remove_prefix(
                socket.write_some(boost::asio::buffer(bytes.data(), bytes.size()), ignored));
    }
    static void send_page(Socket& socket, std::string_view type, std::string_view body) {
        send(socket, "HTTP/1.1 200 OK\r\nContent-Type: " + std::string(type) +
                         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                         std::string(body));
    }
    // Returns when the client has closed its side.
    static void wait_for_end(Socket& socket) {
        boost::system::error_code error;
        char bytes[1024];
        while (!error) socket.read_some(boost::asio::buffer(bytes), error);
    }

private:
    void serve() {
        std::vector<std::jthread> threads;
        while (true) {
            Socket socket(loop_);
            acceptor_.accept(socket);
            if (closing_) return;
            threads.emplace_back([this, socket = std::move(socket)]() mutable {
                const std::string request = read_request(socket);
                {
                    const std::lock_guard lock(mutex_);
                    requests_.push_back(request);
                }
                answer_(request, socket);
            });
        }
    }

    // Heads and bodies come together: requests here are small.
    static std::string read_request(Socket& socket) {
        std::string request;
        boost::system::error_code error;
        while (!error && !is_whole(request)) {
            char bytes[4096];
            const std::size_t count = socket.read_some(boost::asio::buffer(bytes), error);
            request.append(bytes, count);
        }
        return request;
    }
    static bool is_whole(const std::string& request) {
        const std::size_t head = request.find("\r\n\r\n");
        if (head == std::string::npos) return false;
        const std::size_t length = request.find("Content-Length: ");
        if (length == std::string::npos || length > head) return true;
        return request.size() >= head + 4 + std::stoul(request.substr(length + 16));
    }

    Answer answer_;
    boost::asio::io_context loop_;
    boost::asio::ip::tcp::acceptor acceptor_;
    unsigned short port_;
    mutable std::mutex mutex_;
    std::vector<std::string> requests_;
    std::atomic<bool> closing_ = false;
    std::thread thread_;
};

}  // namespace runnel::testing
