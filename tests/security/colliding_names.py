"""Names that libstdc++'s std::hash, whose seed everybody knows, maps to one value: what fills one bucket of a hash table."""

import itertools
import random

WORD = (1 << 64) - 1
MUL = 0xC6A4A7935BD1E995
INVERSE = pow(MUL, -1, 1 << 64)
SEED = 0xC70F6907


def _mixed(value):
    return value ^ (value >> 47)


def _of_block(block):
    return _mixed(int.from_bytes(block, "little") * MUL & WORD) * MUL & WORD


def _block_of(value):
    return (_mixed(value * INVERSE & WORD) * INVERSE & WORD).to_bytes(8, "little")


def _is_plain(block):
    return all(0x20 < byte < 0x7F and byte not in b'"\\' for byte in block)


def _twins(state, chance):
    """Two pairs of blocks that lead from one state of the hash to one and the same, and that state."""
    def letters():
        return bytes(chance.choices(b"abcdefghijklmnopqrstuvwxyz", k=8))

    first, second = letters(), letters()
    after = ((state ^ _of_block(first)) * MUL & WORD) ^ _of_block(second)
    while True:
        other = letters()
        match = _block_of(after ^ ((state ^ _of_block(other)) * MUL & WORD))
        if other != first and _is_plain(match):
            return (first + second).decode(), (other + match).decode(), after * MUL & WORD


def colliding_names(doublings):
    """2 ** doublings names of one length and one hash."""
    chance = random.Random(1)
    state = SEED ^ (16 * doublings * MUL & WORD)
    pairs = []
    for _ in range(doublings):
        one, other, state = _twins(state, chance)
        pairs.append((one, other))
    return ["".join(parts) for parts in itertools.product(*pairs)]
