"""Evolve a hypothesis: 2,020 of them are judged, by the area under the ROC curve, with the same compiled fitness."""

import random
import warnings

import numpy as np

from jobs.tables import growing_columns, growing_rows, real

TITLE = "Evolve a hypothesis: 2,020 are judged"
QUALITY = "area under the ROC curve of the best hypothesis, on the rows it was evolved on"
CASES = [
    *real("ionosphere", "spambase"),
    *growing_rows((100, 1_000, 10_000), 20),
    *growing_columns(100, (10, 100, 1_000)),
]
QUICK = ["ionosphere", "100 x 20", "1000 x 20", "100 x 10", "100 x 100"]
N_EVALUATIONS, N_PARENTS, N_OFFSPRING = 2_020, 20, 200


def _problem(data):
    """The table as the compiled fitness reads it: columns in [0, 1], the first class first."""
    from tamis.evolution.engine import _padded

    order = np.argsort(data.y, kind="stable")
    low, high = data.X.min(axis=0), data.X.max(axis=0)
    scaled = (data.X[order] - low) / np.where(high > low, high - low, 1.0)
    n_rows = len(order)
    return (
        _padded(scaled.T),
        _padded(np.zeros((0, n_rows))),
        np.zeros(0, np.int64),
        np.ones(n_rows),
        np.array([0, (data.y == 0).sum(), n_rows]),
        False,
    )


def _fitness(data):
    from tamis.evolution._kernels import strategy

    problem = _problem(data)

    def lost(genome):
        genes = np.clip(np.asarray(genome, dtype=np.float32), 0, 1)[None]
        return float(strategy.judge(genes, *problem)[0])

    return lost


def judged(data, lost):
    n_near = int((data.y == 0).sum())
    return {"quality": 1 - lost / (2 * n_near * (len(data.y) - n_near))}


def tamis():
    from tamis.evolution._kernels import strategy
    from tamis.evolution.engine import generator

    return lambda data: float(strategy.evolve(*_problem(data), N_EVALUATIONS, generator(1))[1][-1])


def deap():
    from deap import algorithms, base, creator, tools

    creator.create("Lost", base.Fitness, weights=(-1.0,))
    creator.create("Genome", list, fitness=creator.Lost, strategy=None)

    def work(data):
        lost, length = _fitness(data), 2 * data.X.shape[1]

        def born():
            genome = creator.Genome(random.random() for _ in range(length))  # noqa: S311
            genome.strategy = [0.05] * length
            return genome

        box = base.Toolbox()
        box.register("evaluate", lambda genome: (lost(genome),))
        box.register("mate", tools.cxESTwoPoint)
        box.register("mutate", tools.mutESLogNormal, c=1.0, indpb=1.0)
        box.register("select", tools.selBest)
        random.seed(1)
        found, _ = algorithms.eaMuPlusLambda(
            [born() for _ in range(N_PARENTS)], box, N_PARENTS, N_OFFSPRING, 0.6, 0.4,
            (N_EVALUATIONS - N_PARENTS) // N_OFFSPRING, verbose=False,
        )  # fmt: skip
        return min(genome.fitness.values[0] for genome in found)

    return work


def cma():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it would like to draw
        import cma

    def work(data):
        lost = _fitness(data)
        options = {"popsize": N_OFFSPRING, "bounds": [0, 1], "verbose": -9, "CMA_diagonal": True, "seed": 1}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            strategy = cma.CMAEvolutionStrategy(2 * data.X.shape[1] * [0.5], 0.05, options)
            for _ in range(N_EVALUATIONS // N_OFFSPRING):
                asked = strategy.ask()
                strategy.tell(asked, [lost(genome) for genome in asked])
        return strategy.result.fbest

    return work


def nothing():
    return lambda data: _fitness(data)(np.full(2 * data.X.shape[1], 0.5))


CONTENDERS = {"tamis ROGER's evolution": tamis, "deap": deap, "cma": cma, "nothing": nothing}
