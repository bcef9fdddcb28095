"""What each provider says when it refuses, in its own words: name of the refusal → provider → (status, body)."""


def _openai(message, kind, code=None):
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _anthropic(message, kind):
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def _gemini(code, message, status, details=()):
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


_DAILY_QUOTA = {"@type": "type.googleapis.com/google.rpc.QuotaFailure",
                "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}

REPLIES = {
    "rate limited": {
        "openai": (429, _openai("Rate limit reached for m.", "rate_limit_error", "rate_limit_exceeded")),
        "anthropic": (429, _anthropic("This would exceed your rate limit.", "rate_limit_error")),
        "gemini": (429, _gemini(429, "Resource has been exhausted.", "RESOURCE_EXHAUSTED")),
        "ollama": (429, {"error": "too many requests"}),
    },
    "out of quota": {
        "openai": (429, _openai("You exceeded your current quota.", "insufficient_quota", "insufficient_quota")),
        "anthropic": (400, _anthropic("Your credit balance is too low.", "invalid_request_error")),
        "gemini": (429, _gemini(429, "You exceeded your current quota.", "RESOURCE_EXHAUSTED", [_DAILY_QUOTA])),
    },
    "bad key": {
        "openai": (401, _openai("Incorrect API key provided.", "invalid_request_error", "invalid_api_key")),
        "anthropic": (401, _anthropic("invalid x-api-key", "authentication_error")),
        "gemini": (400, _gemini(400, "API key not valid.", "INVALID_ARGUMENT", [{"reason": "API_KEY_INVALID"}])),
        "ollama": (401, {"error": "unauthorized"}),
    },
    "not permitted": {
        "openai": (403, _openai("You may not use this model.", "permission_error")),
        "anthropic": (403, _anthropic("Your key may not use this model.", "permission_error")),
        "gemini": (403, _gemini(403, "Permission denied.", "PERMISSION_DENIED")),
        "ollama": (403, {"error": "forbidden"}),
    },
    "no such model": {
        "openai": (404, _openai("The model `m` does not exist", "invalid_request_error", "model_not_found")),
        "anthropic": (404, _anthropic("model: m", "not_found_error")),
        "gemini": (404, _gemini(404, "models/m is not found", "NOT_FOUND")),
        "ollama": (404, {"error": "model 'm' not found"}),
    },
    "bad request": {
        "openai": (400, _openai("temperature must be below 2", "invalid_request_error")),
        "anthropic": (400, _anthropic("temperature must be below 2", "invalid_request_error")),
        "gemini": (400, _gemini(400, "temperature must be below 2", "INVALID_ARGUMENT")),
        "ollama": (400, {"error": "temperature must be below 2"}),
    },
    "unprocessable": {
        "openai": (422, {"detail": [{"loc": ["body", "top_p"], "msg": "too large", "type": "value_error"}]}),
        "anthropic": (422, _anthropic("top_p: too large", "invalid_request_error")),
        "gemini": (422, _gemini(422, "top_p: too large", "INVALID_ARGUMENT")),
        "ollama": (422, {"error": "top_p: too large"}),
    },
    "context too long": {
        "openai": (400, _openai("This model's maximum context length is 8192 tokens.", "invalid_request_error",
                                "context_length_exceeded")),
        "anthropic": (400, _anthropic("prompt is too long: 9631 tokens > 8192 maximum", "invalid_request_error")),
        "gemini": (400, _gemini(400, "The input token count (9631) exceeds the maximum", "INVALID_ARGUMENT")),
        "ollama": (400, {"error": "the request exceeds the available context size"}),
    },
    "content policy": {
        "openai": (400, _openai("Rejected by our safety system.", "invalid_request_error",
                                "content_policy_violation")),
    },
    "overloaded": {
        "openai": (503, _openai("The engine is currently overloaded.", "server_error", "overloaded")),
        "anthropic": (529, _anthropic("Overloaded", "overloaded_error")),
        "gemini": (503, _gemini(503, "The model is overloaded.", "UNAVAILABLE")),
        "ollama": (503, {"error": "server busy"}),
    },
}
