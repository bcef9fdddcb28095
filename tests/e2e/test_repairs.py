"""A provider that refuses what others of its kind take is asked once more without it."""

from gateway_test import GatewayTest


def older(exchange):
    """Knows no stream_options."""
    if b"stream_options" in exchange.request.body:
        exchange.reply(400, exchange.wire.error("Unrecognized request argument supplied: stream_options"))
    else:
        exchange.stream("Hel", "lo")


class Repairs(GatewayTest):
    def test_stream_options_are_left_out_where_they_are_refused_and_from_then_on(self):
        self.upstream.script = older
        for _ in range(2):
            response = self.ask(stream=True)
            self.assertEqual(response.status, 200)
            self.assertEqual(response.headers["x-gateway-attempts"], "1")
        bodies = [request.body for request in self.upstream.requests]
        self.assertEqual([b"stream_options" in body for body in bodies], [True, False, False])


class HopelessRepairs(GatewayTest):
    def test_a_cure_is_tried_once(self):
        self.upstream.script = lambda exchange: exchange.reply(
            400, exchange.wire.error("stream_options are not for you"))
        self.assert_error(self.ask(stream=True), 400)
        self.assertEqual(len(self.upstream.requests), 2)
