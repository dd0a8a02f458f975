"""Is every vector what it says? Everything is derived again from the question alone."""

import json
from collections import Counter
from collections.abc import Callable, Iterator

from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import CoinFault
from specsim.oracle.vectors import derive, drawn
from specsim.oracle.vectors.edges import sums_to_one
from specsim.oracle.vectors.make import SCHEMA
from specsim.oracle.vectors.schema import violations
from specsim.oracle.vectors.vector import (
    CLASSES,
    Tokens,
    Vector,
    legal,
    load,
    read,
    replay,
    shipped,
)
from specsim.rules import RULES
from specsim.seam import randomness


def lint() -> list[str]:
    """What is wrong with the shipped vectors, a line each; nothing if all is well."""
    problems = [line for name in RULES for line in misfits(name)]
    if problems:
        return problems
    every = load()
    for check in (wrong, alone, uncovered, blind):
        problems += check(every)
    return problems


def misfits(rule: str) -> list[str]:
    """Where a rule's file is not what the schema, or its own head, says."""
    path = shipped() / f"{rule}.json"
    if not path.is_file():
        return [f"{rule}: no vectors; write them with `specsim vectors export`"]
    document = json.loads(path.read_text("utf-8"))
    schema = json.loads((shipped() / SCHEMA).read_text("utf-8"))
    found = [f"{rule}: {line}" for line in violations(document, schema, schema)]
    if found:
        return found
    flags = {flag for entry in document["vectors"] for flag in entry["flags"]}
    if set(document["notes"]) != flags:
        found.append(f"{rule}: flags and notes are not the same")
    if (document["rule"], document["count"]) != (rule, len(document["vectors"])):
        found.append(f"{rule}: rule or count at the head is not the file's")
    for entry in document["vectors"]:
        if read(rule, entry).id != entry["id"]:
            found.append(f"{rule}: {entry['id']} is not the hash of what it asks")
    return found


def wrong(vectors: list[Vector]) -> list[str]:
    """Vectors that are malformed, unclear, or expect what is not derived for them."""
    return [
        f"{vector.rule}: {vector.id}: {line}"
        for vector in vectors
        for line in [*_shape(vector)] or [*_expected(vector), *_clear(vector)]
    ]


def _shape(vector: Vector) -> Iterator[str]:
    """Does everything have N, N + 1 and V entries, and do the rows weigh one?"""
    count = len(vector.tokens)
    sizes = {"p": len(vector.target.over), "sample": len(vector.sample)}
    races = RULES[vector.rule].races
    wide = [races * vector.vocab] * (count + 1 if races else 0)
    if [len(times) for times in vector.race] != wide:
        yield "there are not as many times as the races need"
    if set(sizes.values()) != {count + 1} or len(vector.accept) != count:
        yield "coins or rows of p are not as many as the draft needs"
    for rows in filter(None, (vector.target, vector.draft)):
        if {len(row) for row in rows.weights} - {vector.vocab}:
            yield "a row is not as long as the vocabulary"
        if not (vector.refusal or sums_to_one(rows)):
            yield "a row does not weigh 1"
    if any(not -1 <= parent < i for i, parent in enumerate(vector.parents)):
        yield "a parent does not come before its child"
    if vector.kind not in RULES[vector.rule].accepts:
        yield f"the rule takes no {vector.kind} draft"


def _expected(vector: Vector) -> Iterator[str]:
    """Do both derivations say what the vector says?"""
    answer = derive.by_replay(vector)
    block = answer and answer.block
    if vector.class_ == "edge" and derive.by_branches(vector) != [block]:
        yield f"replay gives {block}, the branch that the coins lie in does not"
    if vector.refusal and list(vector.blocks) != derive.supported(vector):
        yield "acceptable is not the target's support"
    if vector.refusal != (answer is None):
        yield f"replay gives {block}, which the vector does not foresee"
    if answer is None or vector.refusal:
        return
    if vector.blocks != (block,):
        yield f"replay gives {block}, not {vector.blocks}"
    if answer.margin != vector.margin:
        yield f"the margin is {answer.margin}, not {vector.margin}"
    for width in (w for w in derive.FLOATS if w >= vector.bits):
        floats = derive.by_floats(vector, width)
        if floats is None or floats[0] != block:
            yield f"floats of {width} bits give {floats and floats[0]}"


def _clear(vector: Vector) -> Iterator[str]:
    """Does a vector keep the promise of its class?"""
    answer = derive.by_replay(vector)
    if vector.class_ == "dyadic" and not (answer and drawn.exact(vector, answer)):
        yield "not everything is exact in 16-bit floats"
    if vector.class_ == "margin" and vector.margin < drawn.MARGIN:
        yield f"a margin of {vector.margin} is too small"


def alone(vectors: list[Vector]) -> list[str]:
    """Duplicates, and pairs of which one half is missing or not the other's image."""
    by_id = {vector.id: vector for vector in vectors}
    times = Counter(vector.id for vector in vectors)
    found = [f"{id}: stands {n} times" for id, n in times.items() if n > 1]
    for vector in vectors:
        if (pair := vector.pair) is None:
            continue
        base = by_id.get(pair.of)
        if base is None or vector.block != (base.block and pair(base.block)):
            found.append(f"{vector.id}: is not the {pair.relation} image of {pair.of}")
    return found


def uncovered(vectors: list[Vector]) -> list[str]:
    """Rules that lack a class, or a kind of proposal."""
    have = {(v.rule, has) for v in vectors for has in (v.class_, v.kind)}
    return [
        f"{rule.name}: no {want} vector"
        for rule in RULES.values()
        for want in (*CLASSES, *rule.kinds)
        if (rule.name, want) not in have
    ]


def blind(vectors: list[Vector]) -> list[str]:
    """Ways of misreading a uniform that no vector would show."""
    faults = [fault for fault in MUTANTS.values() if isinstance(fault, CoinFault)]
    return [
        f"{fault.name}: no vector shows it"
        for fault in faults
        if not any(shows(vector, fault.replay) for vector in vectors)
    ]


def shows(vector: Vector, coins: Callable[..., randomness.Source]) -> bool:
    """Does the rule, with its coins read like that, fail this vector?"""
    block: Tokens | None = replay(vector, RULES[vector.rule].verify, coins=coins)
    return not legal(vector, block)
