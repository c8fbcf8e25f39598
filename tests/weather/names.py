"""The servers' names, as a DNS server of ours tells them to the gate."""

import socket
import struct
import threading

ADDRESS = "10.77.0.6"
SILENCE = "silence"
_A, _NO_SUCH_NAME = 1, 3
_TTL_S = 1


def answer(query, addresses):
    """To a query for one name: its address in `addresses`, or that there is no such name; None if it is kept waiting."""
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1:at + 1 + query[at]].decode())
        at += 1 + query[at]
    question = query[12:at + 5]
    address = addresses.get(".".join(labels).lower())
    if address == SILENCE:
        return None
    found = address is not None and struct.unpack("!H", question[-4:-2]) == (_A,)
    flags = 0x8180 | (0 if address else _NO_SUCH_NAME)
    message = query[:2] + struct.pack("!HHHHH", flags, 1, found, 0, 0) + question
    if found:
        message += struct.pack("!HHHIH", 0xc00c, _A, 1, _TTL_S, 4) + socket.inet_aton(address)
    return message


class Names:
    """In the network of the thread that makes it. `addresses`: {name: address}, to be changed at any time; nothing at all is said
    of a name whose address is SILENCE."""

    def __init__(self, addresses):
        self.addresses = addresses
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((ADDRESS, 53))
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            query, asker = self._socket.recvfrom(512)
            said = answer(query, self.addresses)
            if said is not None:
                self._socket.sendto(said, asker)
