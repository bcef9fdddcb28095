"""A certificate made on the spot; as a root it vouches for itself."""

import os
import shutil
import ssl
import subprocess
import tempfile


class Certificate:
    def __init__(self, names="DNS:localhost,DNS:upstream.test,IP:127.0.0.1"):
        self.folder = tempfile.mkdtemp(prefix="runnel-e2e-tls-")
        self.cert_file = os.path.join(self.folder, "cert.pem")
        self.key_file = os.path.join(self.folder, "key.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-subj", "/CN=localhost", "-addext",
             f"subjectAltName={names}", "-keyout", self.key_file, "-out", self.cert_file],
            check=True, capture_output=True, timeout=60)

    def server(self):
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.load_cert_chain(self.cert_file, self.key_file)
        return made

    def client(self):
        return ssl.create_default_context(cafile=self.cert_file)

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)
