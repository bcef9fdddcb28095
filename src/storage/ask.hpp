#pragma once

#include "storage/store_thread.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <functional>
#include <utility>

// How a coroutine asks the store: co_await ask<LogPage>(thread, [=](Database& database) { … }).
namespace runnel::storage {

template <class T>
using Query = std::move_only_function<Result<T>(Database&)>;

// Runs the query on the store's thread, and comes back to this coroutine's own. The query owns what
// it uses: it may still run when whoever waits has gone.
template <class T>
boost::asio::awaitable<Result<T>> ask(StoreThread* thread, Query<T> query) {
    namespace asio = boost::asio;
    auto submit = [thread](auto handler, Query<T> asked) {
        auto executor = asio::prefer(asio::get_associated_executor(handler),
                                     asio::execution::outstanding_work.tracked);
        thread->submit([handler = std::move(handler), asked = std::move(asked),
                        executor = std::move(executor)](Result<Database*> database) mutable {
            Result<T> answer = database ? asked(**database) : Result<T>(propagate(database));
            asio::post(executor,
                       [handler = std::move(handler), answer = std::move(answer)]() mutable {
                           std::move(handler)(std::move(answer));
                       });
        });
    };
    co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(Result<T>)>(
        std::move(submit), asio::use_awaitable, std::move(query));
}

}  // namespace runnel::storage
