"""Inputs from good ones by small damage, reproducible from a number."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random


def mutated(random: Random, seeds: Sequence[bytes], words: Sequence[str]) -> bytes:
    """A seed with a few changes; now and then a part of another seed, or nothing but words."""
    if words and random.random() < 0.1:
        return "".join(random.choices(words, k=random.randint(1, 25))).encode("utf-8", "replace")
    data = bytearray(random.choice(seeds))
    for _ in range(random.choice((1, 1, 2, 3, 6, 12))):
        _CHANGES[random.randrange(len(_CHANGES))](data, random, seeds, words)
    return bytes(data)


def _flip(data: bytearray, random: Random, seeds: Sequence[bytes], words: Sequence[str]) -> None:
    if data:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def _replace(data: bytearray, random: Random, seeds: Sequence[bytes], words: Sequence[str]) -> None:
    if data:
        data[random.randrange(len(data))] = random.choice((0, 9, 10, 32, 45, 127, 255, random.randrange(256)))


def _cut(data: bytearray, random: Random, seeds: Sequence[bytes], words: Sequence[str]) -> None:
    start = random.randrange(len(data) + 1)
    del data[start : start + random.choice((1, 2, 5, 20, 200))]


def _end(data: bytearray, random: Random, seeds: Sequence[bytes], words: Sequence[str]) -> None:
    del data[random.randrange(len(data) + 1) :]


def _double(data: bytearray, random: Random, seeds: Sequence[bytes], words: Sequence[str]) -> None:
    start = random.randrange(len(data) + 1)
    piece = data[start : start + random.choice((1, 3, 10, 40))]
    data[start:start] = piece * random.choice((1, 1, 2, 30))


def _word(data: bytearray, random: Random, seeds: Sequence[bytes], words: Sequence[str]) -> None:
    if words:
        start = random.randrange(len(data) + 1)
        data[start : start + random.choice((0, 0, 1, 4))] = random.choice(words).encode("utf-8", "replace")


def _number(data: bytearray, random: Random, seeds: Sequence[bytes], words: Sequence[str]) -> None:
    places = [i for i, byte in enumerate(data) if 48 <= byte <= 57]
    if places:
        place = random.choice(places)
        data[place : place + 1] = random.choice(
            (b"0", b"-1", b"99999999999", b"1e308", b".5", b"1e-9", b"64")
        )


def _splice(data: bytearray, random: Random, seeds: Sequence[bytes], words: Sequence[str]) -> None:
    other = random.choice(seeds)
    start, length = random.randrange(len(other) + 1), random.choice((4, 16, 64, 400))
    place = random.randrange(len(data) + 1)
    data[place : place + random.choice((0, length))] = other[start : start + length]


_CHANGES = (_flip, _replace, _cut, _end, _double, _word, _number, _splice)
