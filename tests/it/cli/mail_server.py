"""What the tests' mail server (aiosmtpd) does: prints the mails it takes, which are all but those to
`refused@…`, and who signed in; `charts` does with the password `secret`."""

import base64
import logging

from aiosmtpd.handlers import Debugging
from aiosmtpd.smtp import AuthResult

# A conversation that a test wants to fail is no news: the traceback would look like a failed test.
for name in ("mail.log", "asyncio"):
    logging.getLogger(name).setLevel(logging.CRITICAL)


class Letterbox(Debugging):
    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if address.startswith("refused@"):
            return "550 there is no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def auth_PLAIN(self, server, args):
        _, user, password = base64.b64decode(args[1]).decode().split("\0")
        if (user, password) != ("charts", "secret"):
            return AuthResult(success=False, handled=False)
        print("signed in as", user, file=self.stream)
        return AuthResult(success=True)
