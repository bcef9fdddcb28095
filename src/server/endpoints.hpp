#pragma once

#include "access/scope.hpp"
#include "api/api.hpp"
#include "server/call.hpp"

#include <span>
#include <string>
#include <string_view>

namespace runnel::server {

// Who may use an endpoint.
struct Audience {
    enum class Kind {
        everybody,
        admin,
        keys,      // whose key has the scope
        scrapers,  // of metrics: the admin, unless the config lets everybody
    } kind;
    access::Scope scope{};

    // everybody, admin, or the scope that a key needs.
    std::string_view name() const;
};

// What is answered at a path.
struct Endpoint {
    // Inference asks a model: its handler waits for a place before it takes the body, and what it
    // uses up is known only when that is read. It is traced and journaled. Other endpoints have
    // the body before they are asked.
    enum class Kind { plain, inference };

    std::string_view method;
    std::string_view path;  // each * in it, two at most, stands for one character or more
    Audience audience;
    Answer (*handler)(Call call);
    Kind kind = Kind::plain;
    // What clients speak here; null: errors are those of chat completions, and nothing else is.
    const api::Api& (*api)() = nullptr;

    bool is_at(std::string_view asked) const;
    bool takes(std::string_view asked_method) const;
    bool takes_body() const { return method == "POST" || method == "PATCH"; }
    // Answers also where there is no room for others: to who watches over the gateway, and to who
    // can help it.
    bool is_essential() const;
};

// All there are: the table is in endpoints.cpp.
std::span<const Endpoint> endpoints();

// The endpoint for a path and method, or the methods that the path takes.
struct FoundEndpoint {
    const Endpoint* endpoint = nullptr;
    std::string methods{};  // empty: there is nothing at the path
};
FoundEndpoint find_endpoint(std::string_view path, std::string_view method);

// The first at the path whatever its method, or one of an API that the path is under, as
// /v1/chat/completions/x is; null: none.
const Endpoint* nearest_endpoint(std::string_view path);

}  // namespace runnel::server
