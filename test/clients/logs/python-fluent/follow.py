# Follows a file with Python's fluent-logger: each line that is appended to it is a record. The library knows neither TLS
# nor shared keys, so its connection is opened here; the rest is its own: records, times, and what is sent again.
import errno
import hashlib
import json
import os
import socket
import ssl
import time

import msgpack
from fluent.sender import FluentSender

settings = json.loads(os.environ["CLIENT_SETTINGS"])


class SecureSender(FluentSender):
    def _reconnect(self):
        if self.socket:
            return
        context = ssl.create_default_context(cafile=settings["ca"])
        plain = socket.create_connection((self.host, self.port), self.timeout)
        try:
            sock = context.wrap_socket(plain, server_hostname="localhost")
            greet(sock)
        except Exception as error:
            plain.close()
            raise OSError(errno.EPIPE, str(error))
        self.socket = sock

    # A socket with TLS says otherwise that there is nothing to be read.
    def _check_recv_side(self):
        try:
            super()._check_recv_side()
        except ssl.SSLWantReadError:
            pass


def greet(sock):
    answers = msgpack.Unpacker(raw=True)

    def receive():
        while True:
            for answer in answers:
                return answer
            received = sock.recv(4096)
            if not received:
                raise OSError(errno.EPIPE, "the connection was closed")
            answers.feed(received)

    nonce = receive()[1][b"nonce"]
    salt, name, key = os.urandom(16).hex(), "python", settings["key"].encode()
    digest = hashlib.sha512(salt.encode() + name.encode() + nonce + key).hexdigest()
    sock.sendall(msgpack.packb(["PING", name, salt, digest, "", ""]))
    _, is_in, reason, server, theirs = receive()
    mine = hashlib.sha512(salt.encode() + server + nonce + key).hexdigest()
    if not is_in or theirs != mine.encode():
        raise OSError(errno.EACCES, reason.decode())


sender = SecureSender(settings["tag"], "127.0.0.1", settings["port"], nanosecond_precision=True)
with open(settings["file"]) as file:
    while True:
        line = file.readline()
        if line:
            sender.emit(None, {"line": line.rstrip("\n")})
        else:
            if sender.pendings:
                sender._send(b"")
            time.sleep(0.05)
