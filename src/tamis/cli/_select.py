"""``tamis select``: the table with the kept columns."""

from __future__ import annotations

from tamis.cli import _options as option
from tamis.cli._sentences import UserError, guarded


@guarded
def select(
    file: option.Files,
    target: option.Target = None,
    method: option.MethodName = None,
    keep: option.Keep = None,
    output: option.Output = None,
    force: option.Force = False,
    resume: option.Resume = False,
    settings: option.Settings = None,
    seed: option.Seed = None,
    jobs: option.Jobs = None,
    cluster: option.Cluster = None,
    nominal: option.Nominal = None,
    numeric: option.Numeric = None,
    drop: option.Drop = None,
    missing_values: option.MissingValues = None,
    drop_unlabelled: option.DropUnlabelled = False,
    encoding: option.Encoding = None,
) -> None:
    """Write the table with the columns that a method keeps, and the target."""
    from tamis.cli._estimator import chosen_estimator
    from tamis.cli._fitting import fitted, kept_columns
    from tamis.cli._output import checked_output, give_table
    from tamis.cli._parts import fitted_parts, in_parts, on_cluster, parted_table, write_columns
    from tamis.cli._reading import Request, read_dataset
    from tamis.cli._resume import finished, kept_until_written
    from tamis.cli._screen import say
    from tamis.table._names import listed

    if finished(output, resume=resume, force=force):
        return
    path = checked_output(output, force=force or resume)
    chosen, estimator = chosen_estimator(method, "columns", settings, keep=keep, seed=seed, jobs=jobs)
    request = Request(file[0], target, nominal, numeric, drop, missing_values, drop_unlabelled, encoding)
    with kept_until_written(path, resume=resume):
        if in_parts(file):
            if path is None:
                raise UserError("the kept columns of a table in parts go to a file. Name one with --output.")
            table = parted_table(file, request, chosen, estimator)
            with on_cluster(cluster):
                selector = fitted_parts(estimator, chosen, table)
            names = [name for name, stays in zip(table.names or (), selector.support_) if stays]
            write_columns(table, names, path, force=force or resume)
            say(f"{chosen.name} keeps {len(names)} of {table.n_columns} columns: {listed(names, 20)}")
            say(f"Written to {path}")
            return
        dataset = read_dataset(request)
        with on_cluster(cluster):
            selector = fitted(estimator, chosen, dataset)
        kept = kept_columns(selector, dataset)
        names = [name for name in kept.columns if name != dataset.target]
        say(f"{chosen.name} keeps {len(names)} of {dataset.X.width} columns: {listed(names, 20)}")
        give_table(kept, path, force=force or resume)
