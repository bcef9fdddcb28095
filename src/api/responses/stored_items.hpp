#pragma once

#include "api/api.hpp"
#include "base/result.hpp"
#include "chat/request.hpp"
#include "json/parser.hpp"
#include "json/tree.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

// Items as they are kept and listed, apart from the request that they came in.
namespace runnel::api::responses {

// The items of an input, a string or an array. What clients may leave out because it is plain is
// there: types, the parts of a text, and ids, which are `id_begin` and the item's place.
std::vector<json::Node> plain_items(std::string_view input_json, std::string_view id_begin);

// How the ids of a response's input items begin.
std::string input_id_begin(std::string_view response_id);

// The items of a response's output.
std::vector<json::Node> output_items(std::string_view response_json);

std::string id_of(const json::Node& item);

// Whether items could be part of a request's input; `items_json` is an array.
Result<void> check_items(std::string_view items_json, json::Parser* parser);

// The id of the response that an item with that id was made for; empty: it tells of none.
std::string response_of_item(std::string_view item_id);

// Whether an item of that type stands for others, which are put in its place before a request is
// read to its end.
bool stands_for_others(std::string_view type);

// What the items of a request that stand for others name: earlier items.
std::vector<std::string> references_in(const chat::Request& request);

// A request's body with the items themselves where it refers to them.
Result<std::string> with_items(std::string_view body, const Items& items);

}  // namespace runnel::api::responses
