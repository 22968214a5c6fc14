"""What the tests' mail server (aiosmtpd) does with mails: prints them, but for those to `refused@…`."""

import logging

from aiosmtpd.handlers import Debugging

# A conversation that a test wants to fail is no news: the traceback would look like a failed test.
for name in ("mail.log", "asyncio"):
    logging.getLogger(name).setLevel(logging.CRITICAL)


class Letterbox(Debugging):
    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if address.startswith("refused@"):
            return "550 there is no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"
