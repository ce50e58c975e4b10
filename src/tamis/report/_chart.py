"""Line charts and scatter plots as inline SVG whose values can be read with the pointer or the keyboard."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.report._markup import Html, element, joined
from tamis.report._page import details, figure, table

WIDTH, HEIGHT = 720, 380
LEFT, RIGHT, TOP, BOTTOM = 96, 14, 14, 46
N_COLOURS, N_DASHES = 6, 4


@dataclass(frozen=True)
class Line:
    """One curve.

    Parameters
    ----------
    name : str
        Its name in the legend.
    x, y : sequence of float
        Its points; those with a NaN are left out.
    error : sequence of float, optional
        Half the height of the band around each point.
    strong : bool, default=False
        Whether it is drawn thicker, with its band.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    error: Sequence[float] | None = None
    strong: bool = False


@dataclass(frozen=True)
class Scale:
    """Maps values to positions in the picture."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False
    whole: bool = False

    def __call__(self, value: float) -> float:
        low, high = self.low, self.high
        if self.logarithmic:
            value, low, high = math.log(value), math.log(low), math.log(high)
        share = 0.5 if high == low else (value - low) / (high - low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """About six round values, whole numbers where only these have a meaning."""
        if self.logarithmic and self.high / self.low > 4:
            steps = [base * 10**power for power in range(-6, 10) for base in (1, 2, 5)]
            powers = [float(step) for step in steps if self.low <= step <= self.high]
            return powers if len(powers) <= 9 else [step for step in powers if f"{step:e}"[0] == "1"]
        span = self.high - self.low
        if span == 0:
            return [self.low]
        raw = span / 5
        power = 10 ** math.floor(math.log10(raw))
        step = min((base * power for base in (1, 2, 5, 10)), key=lambda size: abs(size - raw))
        step = max(step, 1) if self.whole else step
        first = math.ceil(self.low / step - 1e-9)
        return [
            float(f"{count * step:.10g}") for count in range(first, math.floor(self.high / step + 1e-9) + 1)
        ]


def line_chart(lines: Sequence[Line], *, x_label: str, y_label: str, alt: str, caption: str = "") -> Html:
    """Curves against a number of columns or rows; the x axis is logarithmic where it spans more than a factor of 4.

    Parameters
    ----------
    lines : sequence of Line
        The curves; empty ones are left out.
    x_label, y_label : str
        What the axes show.
    alt : str
        The finding in words, for those who cannot see the picture.
    caption : str, default=""
        Below the picture.

    Returns
    -------
    Html
        A figure with a legend whose entries switch curves off, and a table of all values. Where some curves are strong,
        the others are grey, and named only under the pointer.
    """
    drawn = [line for line in map(_finite, lines) if len(line.x)]
    if not drawn:
        return element("p", "There is nothing to draw yet.", class_="faint")
    xs = sorted({x for line in drawn for x in line.x})
    ys = [y for line in drawn for y in line.y]
    for line in drawn:
        if line.strong and line.error is not None and len(line.x) > 1:  # only these have a band
            ys.extend(y + sign * e for y, e in zip(line.y, line.error) for sign in (-1, 1))
    pad = (max(ys) - min(ys)) * 0.05 or 0.05
    top = min(max(ys) + pad, 1.0) if max(ys) <= 1 else max(ys) + pad  # shares end at 1
    across = Scale(xs[0], xs[-1], LEFT + 8, WIDTH - RIGHT, xs[0] > 0 and xs[-1] / xs[0] > 4, whole=True)
    up = Scale(min(ys) - pad, top, HEIGHT - BOTTOM, TOP)
    some_strong = any(line.strong for line in drawn)
    drawn.sort(key=lambda line: line.strong)  # strong curves last, on top
    named = [line for line in drawn if line.strong] if some_strong else drawn
    styles = {line.name: _style(k) for k, line in enumerate(named)}
    parts = [
        _axes(across, up, x_label, y_label),
        *(_curve(line, styles.get(line.name, "grey"), across, up) for line in drawn),
    ]
    cursor = element("line", class_="cursor", y1=TOP, y2=HEIGHT - BOTTOM, x1=0, x2=0, visibility="hidden")
    data = {
        "places": [round(across(x), 1) for x in xs],
        "labels": [f"{x_label}: {short(x)}" for x in xs],
        "series": [_told(line, xs, up) for line in drawn],
    }
    headings = [x_label, *(line.name for line in drawn)]
    rows = [[x, *(dict(zip(line.x, line.y)).get(x) for line in drawn)] for x in xs]
    values = details("All values as a table", table(headings, rows, caption=alt))
    picture = _picture([*parts, cursor], alt)
    marked = figure(
        joined(_legend([line.name for line in named], first=len(drawn) - len(named)), picture, values),
        caption=caption,
        class_="chart",
    )
    return _with_data(marked, data)


def switched(charts: Mapping[str, Html]) -> Html:
    """Charts of which one is shown at a time, with a button for each; all are shown where no script runs.

    Parameters
    ----------
    charts : mapping of str to Html
        By the name on the button; the first is shown first.

    Returns
    -------
    Html
        The buttons and the charts.
    """
    if len(charts) < 2:
        return joined(*charts.values())
    buttons = [element("button", name, type="button", aria_pressed="false") for name in charts]
    panels = [element("div", chart, class_="panel") for chart in charts.values()]
    return element("div", element("div", *buttons, class_="choices", role="group"), *panels, class_="switch")


def scatter(
    places: Any,
    groups: Sequence[Any],
    ringed: Any,
    *,
    alt: str,
    caption: str = "",
    most: int = 2000,
    told: Callable[[int], str] | None = None,
) -> Html:
    """Points in two dimensions, by group, some of them ringed.

    Parameters
    ----------
    places : array-like, shape (n, 2)
        Where the points lie.
    groups : sequence of length n
        The class of each; a class has a colour and a shape.
    ringed : array-like of int
        The points that are drawn larger, as open marks.
    alt, caption : str
        As in `line_chart`.
    most : int, default=2000
        The most points drawn: half of them ringed, half not; the others are left out evenly.
    told : callable, optional
        Given the number of a point, the text shown under the pointer.

    Returns
    -------
    Html
        A figure with a legend.
    """
    points, labels = np.asarray(places, dtype=np.float64), np.asarray(groups)
    kept = np.zeros(len(points), dtype=bool)
    kept[np.asarray(ringed, dtype=np.intp)] = True
    shown = np.concatenate(
        [_thinned(np.flatnonzero(~kept), most // 2), _thinned(np.flatnonzero(kept), most // 2)]
    )
    low, high = points.min(axis=0), points.max(axis=0)
    across = Scale(low[0], high[0], 12, WIDTH - 12)
    up = Scale(low[1], high[1], HEIGHT - 12, 12)
    classes = list(dict.fromkeys(sorted(labels.tolist(), key=str)))
    parts = []
    for k, label in enumerate(classes):
        mine = [row for row in shown if labels[row] == label]
        marks = [
            _mark(
                k,
                across(points[row, 0]),
                up(points[row, 1]),
                bool(kept[row]),
                "" if told is None else told(int(row)),
            )
            for row in mine
        ]
        parts.append(element("g", *marks, class_=f"series c{k % N_COLOURS}"))
    data: dict[str, Any] = {"places": [], "labels": [], "series": []}
    picture = _picture(parts, alt)
    shapes = [
        element("g", _mark(k, 14, 6, True), class_=f"series c{k % N_COLOURS}") for k in range(len(classes))
    ]
    legend = _legend([str(label) for label in classes], shapes)
    return _with_data(figure(joined(legend, picture), caption=caption, class_="chart"), data)


def share_bar(share: float) -> Html:
    """A small bar for a share between 0 and 1, to stand beside the number."""
    back = element("rect", class_="back", width=100, height=12)
    front = element("rect", class_="front", width=round(100 * share), height=12)
    return element(
        "svg",
        back,
        front,
        class_="bar",
        viewBox=Html("0 0 100 12"),
        preserveAspectRatio="none",
        aria_hidden="true",
    )


def _finite(line: Line) -> Line:
    pairs = [
        (x, y, e)
        for x, y, e in zip(line.x, line.y, line.error or [0.0] * len(line.x))
        if math.isfinite(x) and math.isfinite(y)
    ]
    pairs.sort(key=lambda pair: pair[0])
    errors = None if line.error is None else [e if math.isfinite(e) else 0.0 for _, _, e in pairs]
    return Line(
        line.name, [float(x) for x, _, _ in pairs], [float(y) for _, y, _ in pairs], errors, line.strong
    )


def _axes(across: Scale, up: Scale, x_label: str, y_label: str) -> Html:
    floor, parts = HEIGHT - BOTTOM, []
    for value in up.ticks():
        y = up(value)
        parts.append(element("line", class_="grid", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y))
        parts.append(element("text", short(value), x=LEFT - 6, y=y + 4, text_anchor="end"))
    parts.extend(
        element("text", short(value), x=across(value), y=floor + 18, text_anchor="middle")
        for value in across.ticks()
    )
    parts.append(element("line", class_="axis", x1=LEFT, x2=WIDTH - RIGHT, y1=floor, y2=floor))
    parts.append(
        element(
            "text", x_label, x=(LEFT + WIDTH - RIGHT) / 2, y=HEIGHT - 8, text_anchor="middle", class_="faint"
        )
    )
    middle = (TOP + floor) / 2
    parts.append(
        element(
            "text",
            y_label,
            x=8,
            y=middle,
            text_anchor="middle",
            class_="faint",
            transform=f"rotate(-90 8 {middle:g})",
        )
    )
    return joined(*parts)


def _curve(line: Line, style: str, across: Scale, up: Scale) -> Html:
    points = [(across(x), up(y)) for x, y in zip(line.x, line.y)]
    parts = []
    if line.error is not None and line.strong and len(points) > 1:
        top = [f"{x:.1f},{up(y + e):.1f}" for (x, _), y, e in zip(points, line.y, line.error)]
        under = [f"{x:.1f},{up(y - e):.1f}" for (x, _), y, e in zip(points, line.y, line.error)]
        parts.append(element("polygon", class_="band", points=" ".join([*top, *reversed(under)])))
    if len(points) > 1:
        parts.append(element("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points)))
    parts.extend(
        element("circle", class_="dot", cx=x, cy=y, r=2.6 if len(points) > 1 else 5) for x, y in points
    )
    return element("g", *parts, class_=f"series {style}{' strong' if line.strong else ''}")


def _style(place: int) -> str:
    return f"c{place % N_COLOURS} d{place // N_COLOURS % N_DASHES}"


def _told(line: Line, xs: Sequence[float], up: Scale) -> dict[str, Any]:
    errors: Sequence[float] = line.error or [0.0] * len(line.x)
    known = {x: (y, error) for x, y, error in zip(line.x, line.y, errors)}
    texts: list[str | None] = []
    for x in xs:
        y, error = known.get(x, (math.nan, 0.0))
        texts.append(None if math.isnan(y) else f"{y:.3f}" + (f" ± {error:.3f}" if error else ""))
    heights = [round(up(known[x][0]), 1) if x in known else None for x in xs]
    return {"name": line.name, "values": texts, "heights": heights}


def _legend(names: Sequence[str], shapes: Sequence[Html] | None = None, first: int = 0) -> Html:
    """Buttons that switch curves off; the first button belongs to curve number `first`."""
    items = []
    for place, name in enumerate(names):
        if shapes is None:
            line = element("polyline", points="0,6 28,6")
            shape = element("g", line, class_=f"series {_style(place)}")
        else:
            shape = shapes[place]
        sign = element("svg", shape, viewBox=Html("0 0 28 12"), aria_hidden="true")
        items.append(
            element(
                "li",
                element("button", sign, name, type="button", aria_pressed="true", data_series=first + place),
            )
        )
    return element("ul", *items, class_="legend")


def _picture(parts: Sequence[Html], alt: str) -> Html:
    return element(
        "svg",
        *parts,
        class_="plot",
        viewBox=Html(f"0 0 {WIDTH} {HEIGHT}"),
        role="img",
        aria_label=alt,
        tabindex=0,
    )


def _with_data(marked: Html, data: dict[str, Any]) -> Html:
    opening = element("figure", class_="chart", data_chart=json.dumps(data)).removesuffix("</figure>")
    return Html(marked.replace('<figure class="chart">', opening, 1))


def _mark(place: int, x: float, y: float, large: bool, told: str = "") -> Html:
    """A point, in one of three shapes: consecutive groups differ in shape as well as in colour."""
    r, name = (5.0, "ring") if large else (2.2, "dot")
    title = [element("title", told)] if told else []
    if place % 3 == 0:
        return element("circle", *title, class_=name, cx=x, cy=y, r=r)
    if place % 3 == 1:
        return element("rect", *title, class_=name, x=x - r, y=y - r, width=2 * r, height=2 * r)
    r *= 1.3
    points = f"{x:.1f},{y - r:.1f} {x + r:.1f},{y + 0.8 * r:.1f} {x - r:.1f},{y + 0.8 * r:.1f}"
    return element("polygon", *title, class_=name, points=points)


def _thinned(rows: Any, most: int) -> Any:
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).round().astype(int)]


def short(value: float) -> str:
    """A number in four digits; tens of thousands and more are written out up to ten millions."""
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e7 else f"{value:.4g}"
