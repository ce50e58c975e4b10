"""Figures that stand below each other have even decimals."""

from tamis.table._decimals import even_decimals


def test_fractions_of_a_column_have_even_decimals():
    """Three digits of the largest, no sign before what rounds to 0; whole numbers, texts and very small numbers stay."""
    assert even_decimals((0.268218, -0.0001, 1.0, None, float("inf"))) == [
        "0.268",
        "0.000",
        "1.000",
        None,
        float("inf"),
    ]
    assert even_decimals((-0.00791322, 0.0000004)) == ["-0.00791", "0.00000"]
    assert even_decimals((1234.56, 0.5)) == ["1234.6", "0.5"]
    assert even_decimals((2.0, "a")) == [2.0, "a"]
    assert even_decimals((3e-9, 1e-12)) == [3e-9, 1e-12]
