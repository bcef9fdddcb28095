"""Reads a client's stream as strictly as the dialect promises it, and says what is in it."""

import json


def frames_of(body):
    """The JSON frames before [DONE]; anything that is not exactly the promised framing fails."""
    text = body.decode("utf-8")
    assert "\r" not in text, "a carriage return in the stream"
    assert text.endswith("data: [DONE]\n\n"), f"ends with {text[-200:]!r}"
    assert text.count("data: [DONE]") == 1, "[DONE] more than once"
    *pieces, last = text.split("\n\n")
    assert last == ""
    frames = []
    for piece in pieces[:-1]:
        assert piece.startswith("data: ") and "\n" not in piece, f"not a frame: {piece!r}"
        frames.append(json.loads(piece[len("data: ") :]))
    return frames


def partial_frames(piece):
    """The frames of one read in the middle of a stream; it must hold whole ones."""
    assert piece.endswith(b"\n\n"), f"a frame was cut: {piece[-200:]!r}"
    payloads = [line[len(b"data: ") :] for line in piece.split(b"\n\n")[:-1]]
    return [json.loads(payload) for payload in payloads if payload != b"[DONE]"]


def text_of(frames):
    return "".join(
        choice["delta"].get("content") or ""
        for frame in frames
        for choice in frame.get("choices", [])
    )


def finish_of(frames):
    reasons = [
        choice["finish_reason"]
        for frame in frames
        for choice in frame.get("choices", [])
        if choice["finish_reason"]
    ]
    assert len(reasons) <= 1, reasons
    return reasons[0] if reasons else None


def error_of(frames):
    """The error frame, which must be the last and the only one of its kind."""
    errors = [frame["error"] for frame in frames if "error" in frame]
    assert len(errors) <= 1, errors
    if errors:
        assert list(frames[-1]) == ["error"], frames[-1]
        assert finish_of(frames) is None, "a finish and an error in one stream"
    return errors[0] if errors else None
