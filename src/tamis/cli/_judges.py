"""The methods, models and scores that ``tamis compare`` is asked for, by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tamis.cli._sentences import UserError, said

if TYPE_CHECKING:
    from tamis.table._dataset import Dataset


def check_names(methods: list[str] | None, classifiers: list[str] | None, score: str | None) -> None:
    """Refuse names that mean nothing, whatever the target holds, before a file is read."""
    from tamis.study._contenders import contenders
    from tamis.study._models import MODELS
    from tamis.study._scores import SCORES
    from tamis.table._names import did_you_mean

    for name in classifiers or ():
        if not any(name in known for known in MODELS.values()):
            _imported_model(name)
    scores = [name for names in SCORES.values() for name in names]
    if score is not None and score not in scores:
        from sklearn.metrics import get_scorer_names

        every = [*scores, *get_scorer_names()]
        if score not in every:
            raise UserError(
                f"no score {score!r}.{did_you_mean(score, every)} Scores: {', '.join(scores)}, and the scorers of "
                "scikit-learn."
            )
    for kind in SCORES:
        try:
            contenders(methods, 0, kind)
            return
        except ValueError as error:
            refusal = said(error).removeprefix("compare: ")
    raise UserError(refusal) from None


def models_of(names: list[str] | None, dataset: Dataset) -> Any:
    """The models of these names, in the form that `compare` takes."""
    from tamis.study._models import MODELS, model

    known = MODELS[dataset.target_kind]
    if names is None or all(name in known for name in names):
        return names
    others = {name for kind in MODELS.values() for name in kind}
    for name in names:
        if name in others and name not in known:
            what = "numbers" if dataset.target_kind == "numbers" else "classes"
            raise UserError(
                f"the target of {dataset.name} holds {what}, which {name!r} does not predict. Models: {', '.join(known)}."
            )
    return {
        name: model(name, dataset.target_kind) if name in known else _imported_model(name) for name in names
    }


def _imported_model(name: str) -> Any:
    """A model by its dotted name, behind `Numbers`."""
    from importlib import import_module

    from sklearn.pipeline import Pipeline

    from tamis.study._models import MODELS, Numbers
    from tamis.table._names import did_you_mean

    names = list(dict.fromkeys(name for kind in MODELS.values() for name in kind))
    known = f"Models: {', '.join(names)}, or one to import, such as sklearn.svm.SVC."
    module, _, class_name = name.rpartition(".")
    if not module or not all(part.isidentifier() for part in name.split(".")):
        raise UserError(f"no classifier {name!r}.{did_you_mean(name, names)} {known}")
    try:
        estimator = getattr(import_module(module), class_name)()
    except (ImportError, AttributeError, TypeError) as error:
        raise UserError(f"the classifier {name!r} cannot be made: {said(error)}. {known}") from error
    if not hasattr(estimator, "fit") or not hasattr(estimator, "predict"):
        raise UserError(f"{name!r} is no classifier: it has no fit and predict. {known}")
    return Pipeline([("numbers", Numbers()), (class_name.lower(), estimator)])
