"""How the four wire formats look from the provider's side: as much of each as a short answer, or a failed one, needs.

An answer's `finish` is "stop", "content_filter" or "tool_calls", in everybody's words; `usage` is (input, output).
"""

import json

USAGE = (7, 2)


def _data(value):
    return b"data: " + json.dumps(value).encode() + b"\n\n"


class OpenAi:
    content_type = "text/event-stream"
    start = b""
    ping = b": OPENROUTER PROCESSING\n\n"
    broken = b'data: {"id": "u1", "choices": [{"index": 0, "delta": {"content": \n\n'
    terminal = b"data: [DONE]\n\n"

    @staticmethod
    def _chunk(delta, finish=None):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _data({"id": "u1", "object": "chat.completion.chunk", "created": 1, "model": "m",
                      "choices": [choice]})

    @staticmethod
    def _usage(usage):
        return {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}

    def delta(self, text):
        return self._chunk({"content": text})

    def reasoning(self, text):
        return self._chunk({"reasoning_content": text})

    def tool_call(self):
        call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"a":'}}
        return self._chunk({"tool_calls": [call]})

    def finish_reason(self, finish="stop"):
        return self._chunk({}, finish)

    def finish(self, finish="stop", usage=USAGE):
        tail = {"id": "u1", "object": "chat.completion.chunk", "created": 1, "model": "m",
                "choices": [], "usage": self._usage(usage)}
        return self.finish_reason(finish) + _data(tail) + self.terminal

    def whole(self, text, finish="stop", usage=USAGE):
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return json.dumps({"id": "u1", "object": "chat.completion", "created": 1, "model": "m",
                           "choices": [choice], "usage": self._usage(usage)}).encode()

    def error(self, message, kind="server_error", code=None):
        return json.dumps({"error": {"message": message, "type": kind, "code": code}}).encode()

    def error_in_stream(self, message, kind="server_error"):
        return b"data: " + self.error(message, kind) + b"\n\n"


class Anthropic:
    content_type = "text/event-stream"

    @staticmethod
    def _event(kind, **fields):
        return f"event: {kind}\n".encode() + _data({"type": kind, **fields})

    ping = _event("ping")
    broken = b'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 0, "delta": {"te\n\n'
    terminal = _event("message_stop")
    _stop_reasons = {"stop": "end_turn", "content_filter": "refusal", "tool_calls": "tool_use"}

    @property
    def message_start(self):
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
                   "usage": {"input_tokens": USAGE[0], "output_tokens": 1}}
        return self._event("message_start", message=message)

    @property
    def start(self):
        return self.message_start + self._event(
            "content_block_start", index=0, content_block={"type": "text", "text": ""})

    def delta(self, text):
        return self._event("content_block_delta", index=0, delta={"type": "text_delta", "text": text})

    def reasoning(self, text):
        return (self._event("content_block_start", index=7, content_block={"type": "thinking", "thinking": ""})
                + self._event("content_block_delta", index=7, delta={"type": "thinking_delta", "thinking": text}))

    def tool_call(self):
        block = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
        return (self._event("content_block_start", index=8, content_block=block)
                + self._event("content_block_delta", index=8,
                              delta={"type": "input_json_delta", "partial_json": '{"a":'}))

    def finish_reason(self, finish="stop", usage=USAGE):
        return (self._event("content_block_stop", index=0)
                + self._event("message_delta", delta={"stop_reason": self._stop_reasons[finish]},
                              usage={"input_tokens": usage[0], "output_tokens": usage[1]}))

    def finish(self, finish="stop", usage=USAGE):
        return self.finish_reason(finish, usage) + self.terminal

    def whole(self, text, finish="stop", usage=USAGE):
        content = [{"type": "text", "text": text}] if text else []
        return json.dumps({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
                           "content": content, "stop_reason": self._stop_reasons[finish],
                           "usage": {"input_tokens": usage[0], "output_tokens": usage[1]}}).encode()

    def error(self, message, kind="api_error", code=None):
        return json.dumps({"type": "error", "error": {"type": kind, "message": message}}).encode()

    def error_in_stream(self, message, kind="overloaded_error"):
        return self._event("error", error={"type": kind, "message": message})


class Gemini:
    content_type = "text/event-stream"
    start = b""
    ping = b": keep-alive\n\n"
    broken = b'data: {"candidates": [{"content": {"parts": [{"text": \n\n'
    terminal = None  # only the end of the body ends an answer
    _reasons = {"stop": "STOP", "content_filter": "SAFETY", "tool_calls": "STOP"}

    @staticmethod
    def _answer(parts, usage=USAGE, **fields):
        candidate = {"content": {"role": "model", "parts": parts}, "index": 0, **fields}
        counts = {"promptTokenCount": usage[0], "candidatesTokenCount": usage[1], "totalTokenCount": sum(usage)}
        return {"candidates": [candidate], "usageMetadata": counts}

    def delta(self, text):
        return _data(self._answer([{"text": text}]))

    def reasoning(self, text):
        return _data(self._answer([{"text": text, "thought": True}]))

    def tool_call(self):
        return _data(self._answer([{"functionCall": {"name": "f", "args": {"a": 1}}}]))

    def finish_reason(self, finish="stop", usage=USAGE):
        return _data(self._answer([{"text": ""}], usage, finishReason=self._reasons[finish]))

    finish = finish_reason

    def whole(self, text, finish="stop", usage=USAGE):
        parts = [{"text": text}] if text else []
        return json.dumps(self._answer(parts, usage, finishReason=self._reasons[finish])).encode()

    def error(self, message, kind="INTERNAL", code=500):
        return json.dumps({"error": {"code": code, "message": message, "status": kind}}).encode()

    def error_in_stream(self, message, kind="INTERNAL"):
        return b"data: " + self.error(message, kind) + b"\n\n"


class Ollama:
    content_type = "application/x-ndjson"
    start = b""
    broken = b'{"model": "m", "message": {"role": "assistant", "content": \n'
    terminal = None  # the line with the finish reason is the last

    @staticmethod
    def _line(message, **fields):
        return json.dumps({"model": "m", "message": {"role": "assistant", "content": "", **message},
                           "done": False, **fields}).encode() + b"\n"

    @property
    def ping(self):
        return self._line({})

    def delta(self, text):
        return self._line({"content": text})

    def reasoning(self, text):
        return self._line({"thinking": text})

    def tool_call(self):
        return self._line({"tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]})

    def finish_reason(self, finish="stop", usage=USAGE):
        return self._line({}, done=True, done_reason=finish, prompt_eval_count=usage[0], eval_count=usage[1])

    finish = finish_reason

    def whole(self, text, finish="stop", usage=USAGE):
        return self._line({"content": text}, done=True, done_reason=finish, prompt_eval_count=usage[0],
                          eval_count=usage[1])

    def error(self, message, kind="", code=None):
        return json.dumps({"error": message}).encode()

    def error_in_stream(self, message, kind=""):
        return self.error(message) + b"\n"


def wire_for(target):
    """The wire format that is spoken at a path."""
    if "/messages" in target:
        return Anthropic()
    if "enerateContent" in target:
        return Gemini()
    if "/api/chat" in target:
        return Ollama()
    return OpenAi()
