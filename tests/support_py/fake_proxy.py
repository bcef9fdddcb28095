"""A forward proxy that tunnels every CONNECT to one place, whatever was asked for, and remembers the request."""

import socket
import threading


class FakeProxy:
    def __init__(self, target_port, refusal=None):
        self.requests = []  # the heads of the CONNECT requests
        self._target_port = target_port
        self._refusal = refusal
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return  # closed
            threading.Thread(target=self._tunnel, args=(client,), daemon=True).start()

    def _tunnel(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            data = client.recv(4096)
            if not data:
                return
            head += data
        self.requests.append(head.decode("latin-1"))
        if self._refusal:
            client.sendall(self._refusal)
            client.close()
            return
        target = socket.create_connection(("127.0.0.1", self._target_port))
        # In two segments, as a real one may.
        client.sendall(b"HTTP/1.1 200 Connection established\r\nVia: 1.1 proxy")
        client.sendall(b"\r\n\r\n")
        back = threading.Thread(target=self._copy, args=(target, client), daemon=True)
        back.start()
        self._copy(client, target)
        back.join()
        client.close()
        target.close()

    @staticmethod
    def _copy(source, sink):
        try:
            while data := source.recv(1 << 16):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            sink.close()

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
