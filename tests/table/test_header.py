"""The names of a frame's columns are known, with every version of scikit-learn and of the frame's library."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from tamis import SBSMF, PrototypeClassifier, RandomPrototypes, SelectorCV

X = np.random.default_rng(0).normal(size=(40, 3))
Y = (X[:, 0] > 0).astype(int)
MADE = {
    "columns": lambda: SBSMF(n_features_to_select=2, n_rounds=5),
    "rows": lambda: RandomPrototypes(random_state=0),
    "classifier": lambda: PrototypeClassifier(RandomPrototypes(random_state=0), KNeighborsClassifier()),
    "size": lambda: SelectorCV(SBSMF(n_rounds=5), GaussianNB(), cv=2),
}


def frame(kind, names):
    table = pd.DataFrame(X, columns=names)
    return {"pandas": table, "polars": pl.from_pandas(table), "pyarrow": pa.Table.from_pandas(table)}[kind]


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("made", MADE)
def test_names_are_noted_and_compared(kind, made, monkeypatch):
    """Also those of a frame without the protocol that scikit-learn before 1.9 asks, which polars 2 left out."""
    monkeypatch.delattr(pl.DataFrame, "__dataframe__", raising=False)
    fitted = MADE[made]().fit(frame(kind, ["a", "b", "c"]), Y)
    assert fitted.feature_names_in_.tolist() == ["a", "b", "c"]
    assert fitted.n_features_in_ == 3
    if made == "rows":
        return
    ask = fitted.transform if hasattr(fitted, "transform") else fitted.predict
    assert len(ask(frame(kind, ["a", "b", "c"]))) == 40
    with pytest.raises(ValueError, match="The feature names should match those that were passed during fit"):
        ask(frame(kind, ["a", "c", "b"]))
