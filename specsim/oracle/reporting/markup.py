"""HTML that is safe by construction: what is not markup already is escaped."""

from html import escape
from importlib.resources import files


class Raw(str):
    """Markup, which is not escaped again; any other string is text."""

    __slots__ = ()


def clean(text: str) -> str:
    """Without what neither a page nor an XML document may hold.

    >>> clean("bell" + chr(7) + " and bad " + chr(0xD800))
    'bell? and bad ?'
    """
    return "".join(c if c.isprintable() or c in " \n" else "?" for c in text)


def inside(*children: str) -> Raw:
    """Children one after another, text among them escaped."""
    return Raw(
        "".join(c if isinstance(c, Raw) else escape(clean(str(c))) for c in children)
    )


def tag(name: str, *children: str, **attributes: object) -> Raw:
    """An element; `class_` is class, underscores are hyphens, None is left out.

    >>> tag("a", "1 < 2", href="?a&b", class_="x")
    '<a href="?a&amp;b" class="x">1 &lt; 2</a>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(clean(str(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Raw(f"<{name}{written}>{inside(*children)}</{name}>")


def section(title: str, *children: str, lead: str = "", id_: str | None = None) -> Raw:
    """A titled part of a page."""
    under = [tag("p", lead, class_="lead")] if lead else []
    return tag("section", tag("h2", title), *under, *children, id=id_)


def table(heads: list[str], rows: list[list[str]], class_: str | None = None) -> Raw:
    """A table that scrolls sideways where the page is too narrow for it."""
    head = tag("tr", *(tag("th", h, scope="col") for h in heads))
    body = [tag("tr", *(tag("td", cell) for cell in row)) for row in rows]
    made = tag("table", tag("thead", head), tag("tbody", *body), class_=class_)
    return tag("div", made, class_="wide")


def document(title: str, *body: str) -> str:
    """A page in one file: no script, no font, nothing from elsewhere."""
    style = files(__package__).joinpath("style.css").read_text("utf-8")
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    head = inside(
        Raw('<meta charset="utf-8">'),
        Raw(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        Raw('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Raw('<meta name="color-scheme" content="light dark">'),
        Raw('<link rel="icon" href="data:,">'),
        tag("title", title),
        tag("style", Raw(style)),
    )
    page = tag("html", tag("head", head), tag("body", tag("main", *body)), lang="en")
    return f"<!doctype html>\n{page}\n"
