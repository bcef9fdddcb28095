#pragma once

#include "server/call.hpp"

// What answers each endpoint, by the files that they are in.
namespace runnel::server {

// chat.cpp
Answer answer_chat(Call call);
Answer answer_gemini(Call call);
Answer answer_ollama(Call call);
Answer answer_embeddings(Call call);
Answer answer_gemini_embeddings(Call call);
Answer count_tokens(Call call);

// models.cpp
Answer list_models(Call call);
Answer show_model(Call call);
Answer list_gemini_models(Call call);
Answer show_gemini_model(Call call);
Answer list_prices(Call call);

// ollama.cpp
Answer list_ollama_models(Call call);
Answer show_ollama_model(Call call);
Answer list_loaded_models(Call call);
Answer show_ollama_version(Call call);

// responses.cpp
Answer show_response(Call call);
Answer list_input_items(Call call);
Answer delete_response(Call call);
Answer cancel_response(Call call);
Answer decline_websocket(Call call);

// conversations.cpp
Answer create_conversation(Call call);
Answer show_conversation(Call call);
Answer update_conversation(Call call);
Answer delete_conversation(Call call);
Answer list_conversation_items(Call call);
Answer create_conversation_items(Call call);
Answer show_conversation_item(Call call);
Answer delete_conversation_item(Call call);

// tools.cpp
Answer list_tools(Call call);
Answer execute_tool(Call call);

// logs.cpp
Answer list_logs(Call call);
Answer show_log(Call call);
Answer show_log_content(Call call);
Answer replay_log(Call call);
Answer export_logs(Call call);
Answer forget_log(Call call);

// usage.cpp
Answer show_usage(Call call);
Answer show_balance(Call call);

// health.cpp
Answer show_health(Call call);
Answer show_readiness(Call call);
Answer list_providers(Call call);

// metrics.cpp
Answer show_metrics(Call call);

// admin/audit.cpp
Answer list_audit(Call call);

// admin/keys.cpp
Answer list_keys(Call call);
Answer create_key(Call call);
Answer create_wallet_key(Call call);
Answer show_key(Call call);
Answer update_key(Call call);
Answer rotate_key(Call call);
Answer revoke_key(Call call);

// admin/operations.cpp
Answer show_config(Call call);
Answer check_config(Call call);
Answer reload_config(Call call);

// admin/overview.cpp
Answer show_overview(Call call);

// console/console.cpp
Answer show_home(Call call);
// What nothing else is at: a page of the console's, or the error that there is nothing.
Answer show_page(Call call);
Answer show_api_description(Call call);

// console/session.cpp
Answer show_session(Call call);
Answer sign_in(Call call);
Answer sign_out(Call call);
Answer create_link(Call call);

}  // namespace runnel::server
