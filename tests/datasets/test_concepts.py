import math

import numpy as np
import polars as pl
import pytest

from tamis import datasets
from tests.oracles import problems as oracle
from tests.settings import N_PROBLEMS

MAKERS = {
    "led": datasets.make_led,
    "xd6": datasets.make_xd6,
    "hard": datasets.make_hard,
    "artificial": datasets.make_artificial,
    "problem": lambda n, random_state: datasets.make_problem(n, 20, 4, random_state=random_state),
}


def same(first, second):
    return (
        first.X.equals(second.X)
        and np.array_equal(first.y, second.y)
        and first.informative == second.informative
    )


@pytest.mark.parametrize("problem", [1, 2, 3])
def test_monks_are_all_descriptions_with_the_published_rule(problem):
    """make_monks gives the 432 descriptions in order, labelled by the rule."""
    monks = datasets.make_monks(problem)
    rows = oracle.monks_rows()
    assert monks.X.rows() == [tuple(f"v{value}" for value in row) for row in rows]
    assert monks.y.tolist() == [oracle.monks_label(row, problem) for row in rows]


@pytest.mark.parametrize("problem", [1, 2, 3])
def test_monks_equal_the_distributed_test_file(problem):
    """The generated descriptions are the distributed test file, row by row, and the dtypes agree with both files."""
    made, test = datasets.make_monks(problem), datasets.load(f"monks{problem}_test")
    train = datasets.load(f"monks{problem}_train")
    assert same(made, test)
    assert made.X.schema == test.X.schema == train.X.schema


@pytest.mark.parametrize(("problem", "wrong"), [(1, 0), (2, 0), (3, 6)])
def test_monks_training_files_follow_the_rule_but_for_the_published_noise(problem, wrong):
    """The training rows are distinct descriptions; only six labels of problem 3 break the rule."""
    train = datasets.load(f"monks{problem}_train")
    rows = [[int(value[1:]) for value in row] for row in train.X.rows()]
    assert len({tuple(row) for row in rows}) == len(rows)
    assert sum(oracle.monks_label(row, problem) != label for row, label in zip(rows, train.y)) == wrong


def test_monks_problem_must_be_one_of_three():
    """A problem that does not exist is refused."""
    with pytest.raises(ValueError, match="make_monks: problem=4, but there are three"):
        datasets.make_monks(4)


def test_led_without_noise_shows_the_digits():
    """With flip=0 each row is the digit's segments, and with flip=1 their opposite."""
    for flip in (0, 1):
        led = datasets.make_led(200, flip=flip, classes="digit", random_state=flip)
        assert set(led.y) == set(range(10))
        assert led.X.rows() == [
            tuple(abs(value - flip) for value in oracle.led_row(digit)) for digit in led.y
        ]


def test_led_parity_is_that_of_the_digit():
    """The same seed gives the same rows for both kinds of labels, and parity is the digit's."""
    digits = datasets.make_led(300, classes="digit", random_state=3)
    parity = datasets.make_led(300, random_state=3)
    assert digits.X.equals(parity.X)
    assert parity.y.tolist() == ["odd" if digit % 2 else "even" for digit in digits.y]


def test_led_inverts_segments_at_the_given_rate():
    """The share of inverted segments is flip, within Hoeffding's bound; so is the share of each digit."""
    n = 20_000
    led = datasets.make_led(n, flip=0.1, classes="digit", random_state=0)
    clean = np.array([oracle.led_row(digit) for digit in led.y])
    assert abs((led.X.to_numpy() != clean).mean() - 0.1) < oracle.hoeffding(7 * n)
    for digit in range(10):
        assert abs((led.y == digit).mean() - 0.1) < oracle.hoeffding(n)


def test_led24_has_17_columns_that_say_nothing():
    """Irrelevant columns are even coins, the same within each class."""
    n = 20_000
    led = datasets.make_led(n, irrelevant=17, random_state=1)
    assert led.X.width == 24
    assert led.informative == tuple(led.X.columns[:7])
    noise = led.X[:, 7:].to_numpy()
    for label in ("even", "odd"):
        rows = led.y == label
        assert np.all(np.abs(noise[rows].mean(axis=0) - 0.5) < oracle.hoeffding(rows.sum()))


def test_xd6_without_noise_is_the_disjunction():
    """With label_noise=0 every label follows the rule."""
    xd6 = datasets.make_xd6(500, label_noise=0, random_state=0)
    assert xd6.y.tolist() == [oracle.xd6_label(row) for row in xd6.X.rows()]


def test_xd6_inverts_labels_at_the_given_rate():
    """The share of labels that break the rule is label_noise, and the columns are even coins."""
    n = 20_000
    xd6 = datasets.make_xd6(n, random_state=0)
    broken = np.mean([oracle.xd6_label(row) != label for row, label in zip(xd6.X.rows(), xd6.y)])
    assert abs(broken - 0.1) < oracle.hoeffding(n)
    assert np.all(np.abs(xd6.X.to_numpy().mean(axis=0) - 0.5) < oracle.hoeffding(n))


def test_hard_without_noise_is_the_exclusive_or():
    """With flip=0 every label is the exclusive or of the first five columns."""
    hard = datasets.make_hard(500, flip=0, random_state=0)
    assert hard.y.tolist() == [oracle.hard_label(row) for row in hard.X.rows()]


def test_hard_inverts_values_at_the_given_rate():
    """The parity of five values, each inverted with probability .1, is right with probability (1 + .8^5) / 2."""
    n = 20_000
    hard = datasets.make_hard(n, random_state=0)
    right = np.mean([oracle.hard_label(row) == label for row, label in zip(hard.X.rows(), hard.y)])
    assert abs(right - (1 + 0.8**5) / 2) < oracle.hoeffding(n)


def test_artificial_has_the_stated_best_rule():
    """The sign of x1 + x2 + x3 is right with probability Phi(sqrt(3) 0.625), and the other columns do not move."""
    n = 20_000
    made = datasets.make_artificial(n, random_state=0)
    values = made.X.to_numpy()
    best = 0.5 * (1 + math.erf(math.sqrt(3) * 0.625 / math.sqrt(2)))
    right = ((values[:, :3].sum(axis=1) > 0) == made.y).mean()
    assert abs(right - best) < oracle.hoeffding(n)
    shift = values[made.y == 1].mean(axis=0) - values[made.y == 0].mean(axis=0)
    smaller = min((made.y == 0).sum(), (made.y == 1).sum())
    bound = 6.2 * math.sqrt(2 / smaller)  # 6.2 standard errors: a probability below 1e-9
    assert np.all(np.abs(shift - np.repeat([1.25, 0.0], [3, 7])) < bound)


def test_tic_tac_toe_by_playing_equals_counting_and_the_shipped_set():
    """The boards found by playing are those found by counting marks, and the rows of the UCI set."""
    played, shipped = datasets.tic_tac_toe(), datasets.load("tic_tac_toe")
    counted = sorted((*board, "p" if won else "n") for board, won in oracle.tic_tac_toe_ends())
    for dataset in (played, shipped):
        assert sorted((*row, label) for row, label in zip(dataset.X.rows(), dataset.y)) == counted
    assert played.X.schema == shipped.X.schema


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
def test_a_seed_decides_everything(make):
    """The same seed gives the same bits, as an integer, a Generator or a RandomState; other seeds give other rows."""
    for seed in range(0, N_PROBLEMS, 10):
        assert same(make(n=40, random_state=seed), make(n=40, random_state=np.int64(seed)))
        assert same(make(n=40, random_state=seed), make(n=40, random_state=np.random.default_rng(seed)))
        first, second = np.random.RandomState(seed), np.random.RandomState(seed)
        assert same(make(n=40, random_state=first), make(n=40, random_state=second))
        assert not same(make(n=40, random_state=first), make(n=40, random_state=seed))
        assert not same(make(n=40, random_state=seed), make(n=40, random_state=seed + 1))


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
def test_a_generator_moves_on_and_none_is_unpredictable(make):
    """Two sets from one Generator, and two without a seed, differ."""
    rng = np.random.default_rng(0)
    assert not same(make(n=40, random_state=rng), make(n=40, random_state=rng))
    assert not same(make(n=40, random_state=None), make(n=40, random_state=None))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n": 0}, ValueError, r"make_led: n=0, but at least 1 is needed\. Use n=1 or more\."),
        ({"n": 2.5}, TypeError, r"make_led: n=2\.5 is not a whole number"),
        ({"n": True}, TypeError, r"make_led: n=True is not a whole number"),
        ({"irrelevant": -1}, ValueError, r"make_led: irrelevant=-1, but at least 0 is needed"),
        ({"flip": 1.5}, ValueError, r"make_led: flip=1\.5\. Use a number from 0 to 1\."),
        ({"flip": float("nan")}, ValueError, r"make_led: flip=nan\. Use a number from 0 to 1\."),
        ({"flip": "a"}, TypeError, r"make_led: flip='a' is not a number"),
        ({"classes": "ten"}, ValueError, r"make_led: classes='ten'\. Use 'parity' or 'digit'\."),
        ({"random_state": -1}, ValueError, r"make_led: random_state=-1, but a seed is 0 or more"),
        ({"random_state": "a"}, TypeError, r"make_led: random_state is of type str"),
    ],
)
def test_bad_arguments_are_named(arguments, error, message):
    """A generator names the argument, its value and the limit."""
    with pytest.raises(error, match=message):
        datasets.make_led(**arguments)


@pytest.mark.parametrize(
    "entry",
    [e for e in datasets.describe() if e.origin == "generated" and e.target_kind == "classes"],
    ids=lambda e: e.name,
)
def test_named_sets_are_the_generators_with_seed_0(entry):
    """load gives what the generator gives with seed 0, and the list says what is in it."""
    made = {
        "artificial": lambda: datasets.make_artificial(random_state=0),
        "hard": lambda: datasets.make_hard(random_state=0),
        "led": lambda: datasets.make_led(random_state=0),
        "led24": lambda: datasets.make_led(irrelevant=17, random_state=0),
        "monks1": lambda: datasets.make_monks(1),
        "monks2": lambda: datasets.make_monks(2),
        "monks3": lambda: datasets.make_monks(3),
        "xd6": lambda: datasets.make_xd6(random_state=0),
    }[entry.name]()
    loaded = datasets.load(entry.name)
    assert same(loaded, made)
    assert loaded.name == entry.name
    assert loaded.X.shape == (entry.rows, entry.columns)
    assert sorted(set(map(str, loaded.y))) == list(entry.classes)
    assert loaded.informative == entry.informative
    nominal = [name for name, dtype in loaded.X.schema.items() if isinstance(dtype, pl.Enum)]
    assert nominal == list(entry.nominal)
    assert sum(loaded.X.null_count().row(0)) == entry.missing == 0
