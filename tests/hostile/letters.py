"""What the dead letters of a topic say of why."""


def reasons(world, topic):
    """The `einlass-error` of each, as bytes."""
    return [bytes.fromhex(value) for letter in world.consume(topic) for name,
            value in letter["headers"] if name == "einlass-error"]
