"""What every Display shares: making the axes to draw on, and colours that everybody can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from matplotlib.axes import Axes


COLOURS = ("#0065a8", "#c04a00", "#007f6e", "#a8328c", "#8a6500", "#4a4f57")
STYLES = ("-", "--", ":", "-.")
MARKERS = ("o", "s", "^", "D", "v", "P")
GREY = "#8a9099"


class Display:
    """Base of the figures: a subclass stores what is drawn, and draws it in `_draw`.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes that were drawn on.
    figure_ : matplotlib Figure
        Their figure.
    """

    ax_: Any
    figure_: Any

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on; those of a new figure by default.

        Returns
        -------
        self
            The display, with `ax_` and `figure_` set.
        """
        if ax is None:
            try:
                import matplotlib.pyplot as plt
            except ImportError as error:
                raise ImportError(
                    f"{type(self).__name__}: drawing needs matplotlib, which is not installed. Install tamis[plot]."
                ) from error
            _, ax = plt.subplots(figsize=(6.8, 4.2), layout="constrained")
        self._draw(ax)
        ax.spines[["top", "right"]].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw(self, ax: Axes) -> None:
        raise TypeError(f"{type(self).__name__} does not say what it draws.")


def line_style(number: int) -> dict[str, str]:
    """A colour and a dash pattern for curve `number`: all colours with one pattern, then with the next."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": STYLES[number // len(COLOURS) % len(STYLES)],
    }
