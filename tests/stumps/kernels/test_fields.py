"""Names of packed arrays."""

from tamis.stumps._kernels import fields


def test_fields_are_numbered_in_their_order():
    """Every group of fields counts from 0, so that a packed array has one column for each."""
    groups = [value for name, value in vars(fields).items() if name.isupper() and isinstance(value, tuple)]
    assert len(groups) == 11
    for group in groups:
        assert list(group) == list(range(len(group)))


def test_a_best_stump_of_several_columns_ends_with_the_column():
    """The first six fields stand alone where there is one column."""
    assert fields.BEST.column == 6
