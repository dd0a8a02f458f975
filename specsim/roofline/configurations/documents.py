"""JSON, and as much YAML as engines' option files use, read strictly.

Of YAML: nested mappings and lists in block style, comments, plain and quoted scalars on
one line, and JSON where a value begins with a bracket. Anchors, tags, text blocks and
several documents are refused by line, and so is a key given twice: nothing is guessed.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from specsim.errors import Bad
from specsim.roofline.fields import short

DEEPEST = 20
KEY = re.compile(r"""("[^"\\]*"|'[^']*'|[\w][\w./-]*)\s*:(?:\s+|$)""")
PLAIN = re.compile(r"[\w./~][\w./@ +-]*")
WORDS = {"null": None, "~": None, "": None, "true": True, "false": False}


def from_json(engine: str, text: str) -> Any:
    """The value; Bad if it is cut off, no JSON, or says a thing twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise Bad(f"{engine}: {short(twice)} is given twice: give it once")
        return made

    def no(constant: str) -> NoReturn:
        raise Bad(f"{engine}: {constant} is no number of JSON: give another")

    try:
        return json.loads(text, object_pairs_hook=once, parse_constant=no)
    except Bad:
        raise
    except (ValueError, RecursionError) as error:
        at = f" at character {error.pos}" if isinstance(error, _Decode) else ""
        raise Bad(f"{engine}: not valid JSON{at}: {short(text)}") from None


_Decode = json.JSONDecodeError


@dataclass(frozen=True)
class _Line:
    number: int
    indent: int
    text: str


def from_yaml(engine: str, text: str) -> Any:
    """The value of a document in the subset above; Bad names the line outside it."""
    if text.lstrip()[:1] in ("{", "["):
        return from_json(engine, text)
    return _Yaml(engine).document(text)


@dataclass(frozen=True)
class _Yaml:
    engine: str

    def document(self, text: str) -> Any:
        lines = list(self._lines(text))
        if not lines:
            raise Bad(f"{self.engine}: nothing is in it: give its options")
        made, left = self._block(lines, lines[0].indent, 0)
        if left:
            raise self._bad(left[0], "is indented otherwise than what it belongs to")
        return made

    def _bad(self, line: _Line, what: str) -> Bad:
        shown = short(line.text)
        return Bad(f"{self.engine}: line {line.number} {what}: {shown}; mend that line")

    def _lines(self, text: str) -> list[_Line]:
        made: list[_Line] = []
        for number, raw in enumerate(text.splitlines(), 1):
            body = raw.strip()
            if not body or body[0] == "#" or (body == "---" and not made):
                continue
            line = _Line(number, len(raw) - len(raw.lstrip(" ")), body)
            if raw[line.indent] == "\t":
                raise self._bad(line, "is indented with a tab")
            made.append(line)
        return made

    def _block(
        self, lines: list[_Line], indent: int, depth: int
    ) -> tuple[Any, list[_Line]]:
        if depth > DEEPEST:
            raise self._bad(lines[0], f"is nested deeper than {DEEPEST}")
        if lines[0].text == "-" or lines[0].text.startswith("- "):
            return self._list(lines, indent, depth)
        return self._mapping(lines, indent, depth)

    def _list(
        self, lines: list[_Line], indent: int, depth: int
    ) -> tuple[list[Any], list[_Line]]:
        made: list[Any] = []
        while lines and lines[0].indent == indent and lines[0].text[0] == "-":
            line, rest = lines[0], lines[0].text[1:].lstrip()
            if KEY.match(rest):  # a mapping that begins beside its dash
                inner = indent + len(line.text) - len(rest)
                first = _Line(line.number, inner, rest)
                value, lines = self._block([first, *lines[1:]], inner, depth + 1)
            else:
                value, lines = self._value(line, rest, lines[1:], depth)
            made.append(value)
        return made, lines

    def _mapping(
        self, lines: list[_Line], indent: int, depth: int
    ) -> tuple[dict[str, Any], list[_Line]]:
        made: dict[str, Any] = {}
        while lines and lines[0].indent == indent:
            line = lines[0]
            if not (found := KEY.match(line.text)):
                raise self._bad(line, "is no `name: value`")
            name = found[1].strip("\"'")
            if name in made:
                raise self._bad(line, f"gives {short(name)} again")
            rest = line.text[found.end() :]
            made[name], lines = self._value(line, rest, lines[1:], depth)
        return made, lines

    def _value(
        self, line: _Line, text: str, lines: list[_Line], depth: int
    ) -> tuple[Any, list[_Line]]:
        """What stands after a name or a dash, on its line or in the block below it."""
        text = _uncommented(text)
        if text:
            return self._scalar(line, text), lines
        below = lines and (
            lines[0].indent > line.indent
            or (lines[0].indent == line.indent and lines[0].text.startswith("- "))
        )
        if not below or (line.text[0] == "-" and lines[0].indent == line.indent):
            return None, lines
        return self._block(lines, lines[0].indent, depth + 1)

    def _scalar(self, line: _Line, text: str) -> Any:
        if text[0] in "{[" or (text[0] == '"' and text[-1] == '"' and len(text) > 1):
            return from_json(self.engine, text)
        if text[0] == "'" and text[-1] == "'" and len(text) > 1:
            return text[1:-1].replace("''", "'")
        if text.lower() in WORDS:
            return WORDS[text.lower()]
        if re.fullmatch(r"[-+]?\d{1,19}", text):
            return int(text)
        if re.fullmatch(r"[-+]?(\d+\.\d*|\.\d+|\d+)([eE][-+]?\d{1,3})?", text):
            return float(text)
        if not PLAIN.fullmatch(text) and not re.fullmatch(r"[\w.:/@+-]+", text):
            raise self._bad(line, "has a value this reader does not know")
        return text


def _uncommented(text: str) -> str:
    """Without a comment, which follows a space and stands in no quotes."""
    if text[:1] in ("'", '"'):
        end = text.find(text[0], 1)
        tail = text[end + 1 :].lstrip()
        return text[: end + 1] if end > 0 and tail[:1] == "#" else text
    return "" if text[:1] == "#" else re.split(r"\s#", text, maxsplit=1)[0].strip()


def to_yaml(options: dict[str, Any]) -> str:
    """Mappings of numbers, words and switches, in block style."""
    lines: list[str] = []
    for name, value in options.items():
        if isinstance(value, dict):
            lines += [f"{name}:", *(f"  {key}: {_said(v)}" for key, v in value.items())]
        else:
            lines.append(f"{name}: {_said(value)}")
    return "\n".join(lines) + "\n"


def _said(value: Any) -> str:
    """A scalar; words in quotes wherever YAML could take them for something else."""
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z/][\w./-]*", value):
        return (
            value
            if value.lower() not in {*WORDS, "yes", "no", "on", "off"}
            else (json.dumps(value))
        )
    return json.dumps(value)
