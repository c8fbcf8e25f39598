"""What a single byte, lost or changed on the way, makes of something valid."""

_TELLING = (0x00, 0x09, 0x0A, 0x0D, 0x20, 0x2C, 0x2D, 0x30, 0x39, 0x3A, 0x3B, 0x7F, 0x80, 0xFF)


def mutated(random, data):
    """`data` with some bytes flipped, replaced, inserted, deleted, doubled or cut off."""
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        _CHANGES[random.randrange(len(_CHANGES))](random, changed)
    return bytes(changed)


def _flip(random, data):
    if data:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def _replace(random, data):
    if data:
        data[random.randrange(len(data))] = random.choice(_TELLING)


def _insert(random, data):
    at = random.randrange(len(data) + 1)
    data[at:at] = bytes([random.choice(_TELLING)]) * random.choice((1, 1, 2, 300))


def _delete(random, data):
    at = random.randrange(len(data) + 1)
    del data[at:at + random.choice((1, 1, 2, 9))]


def _double(random, data):
    at = random.randrange(len(data) + 1)
    data[at:at] = data[at:at + random.choice((1, 4, 16, 40))]


def _cut(random, data):
    del data[random.randrange(len(data) + 1):]


_CHANGES = (_flip, _flip, _replace, _insert, _delete, _double, _cut)
