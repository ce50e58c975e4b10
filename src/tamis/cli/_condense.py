"""``tamis condense``: the table with the kept rows."""

from __future__ import annotations

from tamis.cli import _options as option
from tamis.cli._sentences import guarded


@guarded
def condense(
    file: option.File,
    target: option.Target = None,
    method: option.MethodName = None,
    keep: option.Keep = None,
    output: option.Output = None,
    force: option.Force = False,
    settings: option.Settings = None,
    seed: option.Seed = None,
    jobs: option.Jobs = None,
    nominal: option.Nominal = None,
    numeric: option.Numeric = None,
    drop: option.Drop = None,
    missing_values: option.MissingValues = None,
    drop_unlabelled: option.DropUnlabelled = False,
    encoding: option.Encoding = None,
) -> None:
    """Write the table with the rows that a method keeps, in their order."""
    from tamis.cli._estimator import chosen_estimator
    from tamis.cli._fitting import class_counts, fitted, kept_rows
    from tamis.cli._output import checked_output, give_table
    from tamis.cli._reading import Request, read_dataset
    from tamis.cli._screen import say

    path = checked_output(output, force=force)
    chosen, estimator = chosen_estimator(method, "rows", settings, keep=keep, seed=seed, jobs=jobs)
    dataset = read_dataset(
        Request(file, target, nominal, numeric, drop, missing_values, drop_unlabelled, encoding)
    )
    selector = fitted(estimator, chosen, dataset)
    kept = kept_rows(selector, dataset)
    counts = class_counts(dataset.y[selector.sample_indices_])
    say(f"{chosen.name} keeps {kept.height} of {dataset.X.height} rows ({counts})")
    give_table(kept, path, force=force)
