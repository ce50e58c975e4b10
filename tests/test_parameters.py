"""Numbers as parameters: no truth values, and none that the machine cannot count with."""

import joblib
import numpy as np
import pytest
from sklearn.utils._param_validation import Interval, make_constraint

from tamis._parameters import JOBS, LARGEST, MOST, SEED, capped, n_wanted, n_workers, number, share_of, whole
from tests.estimators import default, public_estimators

X, Y = np.arange(24.0).reshape(8, 3) % 7, np.array(list("xyxyxyxy"))
NUMERIC = [
    (name, parameter)
    for name, cls in public_estimators().items()
    for parameter, kinds in cls._parameter_constraints.items()
    if not isinstance(kinds, str)
    and any(isinstance(kind, Interval) for kind in kinds)
    and not any(kind in ("boolean", "verbose") for kind in kinds if isinstance(kind, str))
]


@pytest.mark.parametrize(("name", "parameter"), NUMERIC)
@pytest.mark.parametrize("value", [True, False, np.True_, np.nan, -(10**400), "5"])
def test_no_estimator_takes_these_for_numbers(name, parameter, value):
    """Truth values, NaN, texts and huge negative numbers are refused by the name of the parameter."""
    with pytest.raises(ValueError, match=f"The '{parameter}' parameter of {name} must be"):
        default(name, **{parameter: value}).fit(X, Y)


@pytest.mark.parametrize(("name", "parameter"), NUMERIC)
def test_no_estimator_counts_beyond_what_can_be_counted(name, parameter):
    """A number of 400 digits is refused, in one way or another."""
    with pytest.raises(ValueError, match=parameter):
        default(name, **{parameter: 10**400}).fit(X, Y)


def test_every_number_of_every_estimator_is_looked_at():
    """The list above has dozens of them, and no estimator has an interval of scikit-learn's that takes True."""
    assert len(NUMERIC) > 40
    for name, parameter in NUMERIC:
        kinds = public_estimators()[name]._parameter_constraints[parameter]
        assert not any(make_constraint(kind).is_satisfied_by(True) for kind in kinds), (name, parameter)


def test_whole_numbers():
    """From the least to the most, NumPy's own among them; floats are none."""
    three = whole(3)
    assert [n for n in (2, 3, np.int64(4), 5.0, MOST, MOST + 1) if three.is_satisfied_by(n)] == [3, 4, MOST]
    assert whole(1, None).is_satisfied_by(10**400)
    assert str(three) == f"an int in the range [3, {MOST}]"


def test_numbers():
    """Whole numbers count as well, if a float can hold them; infinity is none."""
    above = number(1, None, closed="left")
    assert all(above.is_satisfied_by(value) for value in (1, 1.5, np.float32(2), LARGEST))
    assert not any(above.is_satisfied_by(value) for value in (0.5, np.nan, np.inf, LARGEST + 1, 10**400, "2"))


@pytest.mark.parametrize("kinds", [SEED, JOBS])
def test_seeds_and_jobs(kinds):
    """None and whole numbers; no truth value, and 0 is a seed but no number of jobs."""
    allowed = [make_constraint(kind) for kind in kinds]

    def takes(value):
        return any(kind.is_satisfied_by(value) for kind in allowed)

    assert takes(None)
    assert takes(2)
    assert not takes(True)
    assert not takes(10**12)
    assert takes(0) == (kinds is SEED)
    assert takes(-1) == (kinds is JOBS)


def test_jobs_are_no_more_than_there_are_processors():
    """A million jobs would be a million processes; negative numbers and None mean what they mean to joblib."""
    all_of_them = joblib.effective_n_jobs(-1)
    assert capped(10**6) == n_workers(10**6) == n_workers(-1) == all_of_them
    assert (capped(None), capped(1), capped(-1)) == (None, 1, -1)
    assert n_workers(None) == 1


@pytest.mark.parametrize(
    ("wanted", "total", "count"),
    [
        (3, 10, 3),
        (np.int32(3), 10, 3),
        (0.3, 10, 3),
        (0.29, 10, 2),
        (1e-9, 10, 1),
        (1.0, 10, 10),
        (0.7, 100, 70),
    ],
)
def test_a_fraction_is_rounded_down_to_one_at_least(wanted, total, count):
    """A whole number means itself; a fraction its share of the total, 0.7 of 100 being 70 and not 69."""
    assert share_of(wanted, total) == count
    assert n_wanted("M", "n", wanted, total, "rows") == count


def test_more_than_there_are_is_refused():
    """A number above the total is refused with both numbers, and what else may be given."""
    with pytest.raises(
        ValueError, match=r"^M: n=11, but X has 10 rows. Use a value from 1 to 10, or None\.$"
    ):
        n_wanted("M", "n", 11, 10, "rows", ", or None")


@pytest.mark.parametrize(
    ("name", "settings", "of"),
    [
        ("FS2Boost", {"max_features": 9}, "features"),
        ("EFR", {"max_features": 9}, "features"),
        ("UnivariateAUC", {"n_features_to_select": 9}, "features"),
        ("ReliefF", {"n_samples": 9}, "rows"),
        ("PSBoost", {"n_prototypes": 9}, "rows"),
    ],
)
def test_all_estimators_refuse_too_many_in_the_same_words(name, settings, of):
    """Columns and rows beyond those of X are refused in one sentence."""
    [what], total = settings, 3 if of == "features" else 8
    said = f"^{name}: {what}=9, but X has {total} {of}. Use a value from 1 to {total}"
    with pytest.raises(ValueError, match=said):
        default(name, **settings).fit(X, Y)
