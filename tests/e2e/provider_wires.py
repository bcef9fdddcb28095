"""How the four wire formats look from the provider's side: as much of each as a short answer needs."""

import json


def _data(value):
    return b"data: " + json.dumps(value).encode() + b"\n\n"


class OpenAi:
    content_type = "text/event-stream"
    start = b""

    @staticmethod
    def _chunk(delta, finish=None):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _data({"id": "u1", "object": "chat.completion.chunk", "created": 1, "model": "m",
                      "choices": [choice]})

    def delta(self, text):
        return self._chunk({"content": text})

    def finish(self):
        usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
        tail = {"id": "u1", "object": "chat.completion.chunk", "created": 1, "model": "m",
                "choices": [], "usage": usage}
        return self._chunk({}, "stop") + _data(tail) + b"data: [DONE]\n\n"

    def whole(self, text):
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
        return json.dumps({"id": "u1", "object": "chat.completion", "created": 1, "model": "m",
                           "choices": [choice], "usage": usage}).encode()

    def error(self, message, kind="server_error"):
        return json.dumps({"error": {"message": message, "type": kind, "code": None}}).encode()

    def error_in_stream(self, message):
        return b"data: " + self.error(message) + b"\n\n"


class Anthropic:
    content_type = "text/event-stream"

    @staticmethod
    def _event(kind, **fields):
        return f"event: {kind}\n".encode() + _data({"type": kind, **fields})

    @property
    def start(self):
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
                   "usage": {"input_tokens": 7, "output_tokens": 1}}
        block = {"type": "text", "text": ""}
        return self._event("message_start", message=message) + self._event(
            "content_block_start", index=0, content_block=block)

    def delta(self, text):
        return self._event("content_block_delta", index=0, delta={"type": "text_delta", "text": text})

    def finish(self):
        return (self._event("content_block_stop", index=0)
                + self._event("message_delta", delta={"stop_reason": "end_turn"},
                              usage={"output_tokens": 2})
                + self._event("message_stop"))

    def whole(self, text):
        return json.dumps({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
                           "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
                           "usage": {"input_tokens": 7, "output_tokens": 2}}).encode()

    def error(self, message, kind="api_error"):
        return json.dumps({"type": "error", "error": {"type": kind, "message": message}}).encode()

    def error_in_stream(self, message):
        return self._event("error", error={"type": "overloaded_error", "message": message})


class Gemini:
    content_type = "text/event-stream"
    start = b""

    @staticmethod
    def _answer(text, **fields):
        candidate = {"content": {"role": "model", "parts": [{"text": text}]}, "index": 0, **fields}
        usage = {"promptTokenCount": 7, "candidatesTokenCount": 2, "totalTokenCount": 9}
        return {"candidates": [candidate], "usageMetadata": usage}

    def delta(self, text):
        return _data(self._answer(text))

    def finish(self):
        return _data(self._answer("", finishReason="STOP"))

    def whole(self, text):
        return json.dumps(self._answer(text, finishReason="STOP")).encode()

    def error(self, message, kind="INTERNAL"):
        return json.dumps({"error": {"code": 500, "message": message, "status": kind}}).encode()

    def error_in_stream(self, message):
        return b"data: " + self.error(message) + b"\n\n"


class Ollama:
    content_type = "application/x-ndjson"
    start = b""

    @staticmethod
    def _line(text, **fields):
        message = {"role": "assistant", "content": text}
        return json.dumps({"model": "m", "message": message, "done": False, **fields}).encode() + b"\n"

    def delta(self, text):
        return self._line(text)

    def finish(self):
        return self._line("", done=True, done_reason="stop", prompt_eval_count=7, eval_count=2)

    def whole(self, text):
        return self._line(text, done=True, done_reason="stop", prompt_eval_count=7, eval_count=2)

    def error(self, message, kind=""):
        return json.dumps({"error": message}).encode()

    def error_in_stream(self, message):
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
