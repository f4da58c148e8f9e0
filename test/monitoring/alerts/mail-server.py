"""A mail server for tests: aiosmtpd with STARTTLS or TLS and a password. Prints its port, then each letter as a line
of JSON: who it is from and for, whether it came encrypted and by whom, and its text."""

import asyncio
import json
import logging
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult

logging.disable()
way, certificate, key = sys.argv[1:4]


class Handler:
    async def handle_DATA(self, server, session, envelope):
        letter = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "encrypted": session.ssl is not None or way == "tls",
            "user": session.auth_data,
            "text": envelope.content.decode("ascii"),
        }
        print(json.dumps(letter), flush=True)
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    is_good = data.login == b"alerts@example.test" and data.password == b"right p@ssword"
    return AuthResult(success=is_good, handled=False, auth_data=data.login.decode() if is_good else None)


async def main():
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    loop = asyncio.get_running_loop()
    settings = {"authenticator": authenticate, "auth_required": way != "plain", "auth_require_tls": False}
    if way == "starttls":
        settings.update(tls_context=context, require_starttls=True, auth_require_tls=True)
    factory = lambda: SMTP(Handler(), hostname="mail.test", **settings)
    server = await loop.create_server(factory, "127.0.0.1", 0, ssl=context if way == "tls" else None)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
