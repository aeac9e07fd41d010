"""Random numbers that a test writes down."""


class Numbers:
    """What draws the given numbers, one after the other."""

    def __init__(self, *numbers):
        self.left = list(numbers)

    def random(self):
        return self.left.pop(0)

    def uniform(self, low, high):
        return low + (high - low) * self.left.pop(0)
