"""One row of the table over one provider, as a stream or whole: its targets, its part of the config, its run, its checks."""

from client import ask
from frames import error_of, finish_of, frames_of, text_of
from gateway_test import provider
from imposter import Target, asked, gaps_of, names_of
from outcomes import AT_ONCE, Answer, Broken

KINDS = {"openai": "openai-compatible", "anthropic": "anthropic", "gemini": "gemini", "ollama": "ollama"}
# B speaks another format than A, so that every failover also changes the provider.
NEXT = dict(zip(KINDS, [*list(KINDS)[1:], *KINDS]))

PROMPT = 0.09  # the quickest of a row's "at once" gaps; the shortest pause is 0.1


class Case:
    def __init__(self, number, fault, kind, mode):
        self.fault = fault
        self.kind = kind
        self.mode = mode
        self.expected = fault.outcome_of(mode)
        self.model = f"case-{number}"
        self.targets = {"A": Target("A", *fault.a) if isinstance(fault.a, tuple) else fault.a("A")}
        if fault.b:
            self.targets["B"] = Target("B", *fault.b)
        self.provider_names = {name: f"{name.lower()}{number}" for name in self.targets}
        self.request_id = f"fault-{number}-{mode}"
        self.response = None
        self.trouble = None  # why there is no response
        self.exchanges = []

    def providers(self):
        kinds = {"A": self.kind, "B": NEXT[self.kind]}
        fields = {name: {"timeouts": self.fault.timeouts} for name in self.fault.timed if self.fault.timeouts}
        return {self.provider_names[name]: provider(KINDS[kinds[name]], target.port, **fields.get(name, {}))
                for name, target in self.targets.items()}

    def models(self):
        return {self.model: {"targets": [self.public_name(name) for name in self.targets], **self.fault.model}}

    def public_name(self, target):
        return f"{self.provider_names[target]}/m"

    def close(self):
        for target in self.targets.values():
            target.close()

    def run(self, port):
        try:
            self.response = ask(port, model=self.model, stream=self.mode == "stream",
                                headers={"X-Request-ID": self.request_id}, **self.fault.request)
        except (OSError, EOFError) as error:
            self.trouble = error
        self.exchanges = asked(*self.targets.values())

    # --- Checks, each raising AssertionError ----------------------------------------------------------

    def check(self):
        assert self.trouble is None, f"no answer: {self.trouble!r}"
        self.check_asked()
        sees = self.expected.sees
        if isinstance(sees, Answer):
            self.check_answer(sees)
        elif isinstance(sees, Broken):
            self.check_broken(sees)
        else:
            self.check_refusal(sees)

    def check_asked(self):
        names = names_of(self.exchanges)
        assert names == self.expected.asked, f"asked {names}, not {self.expected.asked}: {self.response.body[:300]}"
        gaps = gaps_of(self.exchanges)
        for gap, (least, most) in zip(gaps, self.expected.gaps):
            assert gap.can_be(least, most), f"gaps {gaps}, not {self.expected.gaps}"

    def at_once_gaps(self):
        return [gap for gap, limits in zip(gaps_of(self.exchanges), self.expected.gaps) if limits == AT_ONCE]

    def frames(self):
        assert self.response.status == 200, (self.response.status, self.response.body)
        return frames_of(self.response.body)

    def check_answer(self, sees):
        text = self.targets[sees.by].says if sees.text is None else sees.text
        if self.mode == "stream":
            frames = self.frames()
            assert error_of(frames) is None, frames[-1]
            answer = (text_of(frames), finish_of(frames), {frame["model"] for frame in frames})
        else:
            assert self.response.status == 200, (self.response.status, self.response.body)
            whole = self.response.json()
            choice = whole["choices"][0]
            answer = (choice["message"]["content"] or "", choice["finish_reason"], {whole["model"]})
        assert answer == (text, sees.finish, {self.public_name(sees.by)}), answer
        self.check_headers(sees.by)

    def check_broken(self, sees):
        frames = self.frames()
        error = error_of(frames)
        assert error is not None, f"looks like a whole answer: {frames[-2:]}"
        assert (text_of(frames), error["code"]) == (sees.text, sees.code), (text_of(frames), error)
        self.check_headers("A")

    def check_headers(self, served_by):
        headers = self.response.headers
        assert headers["x-model-used"] == self.public_name(served_by), headers
        count = self.expected.attempts or len(self.exchanges)
        assert headers.get("x-gateway-attempts") == str(count), headers

    def check_refusal(self, sees):
        assert self.response.status == sees.status, (self.response.status, self.response.body)
        assert self.response.headers["content-type"].split(";")[0] == "application/json"
        assert self.response.error["code"] == sees.code, self.response.error
        if sees.retry_after is not None:
            assert self.response.headers.get("retry-after") == sees.retry_after, self.response.headers

    def busy(self):
        """Upstream requests that are still going on."""
        return [exchange for target in self.targets.values() for exchange in target.busy()]
