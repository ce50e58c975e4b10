"""ROGER's evolution: hypotheses judged a second, where the time goes, two jobs against one, and other packages' loops.

Run it from the repository: ``python benchmarks/evolution.py``. The loops of ``deap`` and ``cma`` are run where these
packages are installed, with the same compiled fitness as ours, so that the ratio is that of the loops.

Medians of warm runs on one thread. Processor seconds are counted, not seconds on the clock, so that other work on the
machine counts less; "two jobs" is by the clock and wants a machine with nothing else to do.
"""

import random
import statistics
import time
import warnings

import numpy as np
from joblib import Parallel, delayed

from tamis import EFR, SampledEFR
from tamis.datasets import make_problem
from tamis.evolution._kernels import strategy as kernels
from tamis.evolution.engine import _padded, generator

SIZES = ((50, 100), (100, 100), (50, 500), (1000, 500))
GOALS = (400_000, 350_000, 130_000, 20_000)
REPEATS = 7


def problem(n, d):
    """Noise in two classes with a row in common, so that no hypothesis is perfect and no run ends early."""
    values = np.random.default_rng(0).random((d, n))
    values[:, -1] = values[:, 0]
    return (
        _padded(values),
        _padded(np.zeros((0, n))),
        np.zeros(0, np.int64),
        np.ones(n),
        n // 2,
        False,
    )


def seconds(work, *arguments, clock=time.thread_time):
    """Median seconds of `work`, compiled and warm."""
    work(*arguments)
    taken = []
    for _ in range(REPEATS):
        start = clock()
        work(*arguments)
        taken.append(clock() - start)
    return statistics.median(taken)


def speed(n, d, n_evaluations):
    """Hypotheses judged a second in whole evolutions."""
    data = problem(n, d)
    done = (
        kernels.N_PARENTS + (n_evaluations - kernels.N_PARENTS) // kernels.N_OFFSPRING * kernels.N_OFFSPRING
    )
    return done / seconds(kernels.evolve, *data, n_evaluations, generator(1))


def parts(n, d):
    """Nanoseconds a hypothesis of each part of the work, and bytes of the table read a nanosecond."""
    rng = np.random.default_rng(0)
    data = problem(n, d)
    length = 2 * d
    size = (length // kernels.LANES + 1) * kernels.LANES
    words, noise = np.empty(2 * size + kernels.LANES, np.uint32), np.empty((2, size), np.float32)
    pool = rng.random((kernels.N_OFFSPRING + kernels.N_PARENTS, 2, length)).astype(np.float32)
    slots = np.arange(len(pool))
    state = generator(1)
    genomes = rng.random((kernels.GROUP, length)).astype(np.float32)
    h = np.zeros((kernels.GROUP, data[0].shape[1]), np.float32)
    weights, centers = genomes[:, :d].copy(), genomes[:, d:].copy()
    times = max(3, 20_000_000 // (n * d * kernels.GROUP))

    def repeated(work, *arguments):
        def loop():
            for _ in range(times):
                work(*arguments)

        return seconds(loop) / times * 1e9

    bred = repeated(
        kernels.breed, pool, slots[kernels.N_OFFSPRING :], slots[: kernels.N_OFFSPRING], state, words, noise
    )
    summed = repeated(kernels.add_distances, data[0], weights, centers, h)
    judged = repeated(kernels.judge, genomes, *data)
    read = data[0].nbytes * kernels.GROUP / summed
    return bred / kernels.N_OFFSPRING, summed / kernels.GROUP, (judged - summed) / kernels.GROUP, read


def jobs(n, d, n_evaluations, n_runs=8):
    """How much faster two threads finish the same independent runs than one."""
    data = problem(n, d)

    def runs(n_jobs):
        Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(kernels.evolve)(*data, n_evaluations, generator(seed)) for seed in range(n_runs)
        )

    one, two = (seconds(runs, n_jobs, clock=time.perf_counter) for n_jobs in (1, 2))
    return one / two


def fitness(data):
    """Our compiled fitness of one genome in [0, 1]^2d, for the other packages."""

    def lost(genome):
        genes = np.clip(np.asarray(genome, dtype=np.float32), 0, 1)[None]
        return float(kernels.judge(genes, *data)[0])

    return lost


def deap_speed(n, d, n_evaluations):
    """Hypotheses a second of deap's (mu + lambda) loop with its self-adaptive mutation; None if not installed."""
    try:
        from deap import algorithms, base, creator, tools
    except ImportError:
        return None
    creator.create("Lost", base.Fitness, weights=(-1.0,))
    creator.create("Genome", list, fitness=creator.Lost, strategy=None)
    lost, length = fitness(problem(n, d)), 2 * d

    def born():
        genome = creator.Genome(random.random() for _ in range(length))  # noqa: S311
        genome.strategy = [0.05] * length
        return genome

    tools_of = base.Toolbox()
    tools_of.register("evaluate", lambda genome: (lost(genome),))
    tools_of.register("mate", tools.cxESTwoPoint)
    tools_of.register("mutate", tools.mutESLogNormal, c=1.0, indpb=1.0)
    tools_of.register("select", tools.selBest)
    population = [born() for _ in range(20)]
    generations = (n_evaluations - 20) // 200
    start = time.thread_time()
    algorithms.eaMuPlusLambda(population, tools_of, 20, 200, 0.6, 0.4, generations, verbose=False)
    taken = time.thread_time() - start
    del creator.Lost, creator.Genome
    return (20 + 200 * generations) / taken


def cma_speed(n, d, n_evaluations):
    """Hypotheses a second of cma's ask-and-tell loop, 200 a generation, a step a coordinate; None if missing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it would like to draw
            import cma
    except ImportError:
        return None
    lost = fitness(problem(n, d))
    options = {"popsize": 200, "bounds": [0, 1], "verbose": -9, "CMA_diagonal": True, "seed": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        strategy = cma.CMAEvolutionStrategy(2 * d * [0.5], 0.05, options)
        start = time.thread_time()
        for _ in range(n_evaluations // 200):
            asked = strategy.ask()
            strategy.tell(asked, [lost(genome) for genome in asked])
    return n_evaluations // 200 * 200 / (time.thread_time() - start)


def ensembles(n, d):
    """Seconds by the clock of EFR and SampledEFR as they come, with one job and two, on a noisy problem."""
    data = make_problem(n, d, d // 10, "ball", label_noise=0.1, random_state=0)
    X, y = data.X.to_numpy(), data.y
    for estimator in (EFR(random_state=0), SampledEFR(random_state=0)):
        yield (
            type(estimator).__name__,
            *(
                seconds(estimator.set_params(n_jobs=n_jobs).fit, X, y, clock=time.perf_counter)
                for n_jobs in (1, 2)
            ),
        )


def main():
    """Print the figures."""
    print("hypotheses judged a second, one thread")
    for (n, d), goal in zip(SIZES, GOALS):
        found = speed(n, d, 20_020 if n < 1000 else 4_020)
        print(f"  n={n:5d} d={d:4d}  {found:10,.0f}   {found / goal:.2f} of the goal of {goal:,}")
    print(
        "nanoseconds a hypothesis: breeding, distances, area under the curve; bytes of the table read a nanosecond"
    )
    for n, d in SIZES:
        bred, summed, counted, read = parts(n, d)
        print(f"  n={n:5d} d={d:4d}  {bred:8,.0f} {summed:8,.0f} {counted:8,.0f}   {read:6.1f}")
    print("two jobs against one, by the clock")
    for n, d in SIZES:
        print(f"  n={n:5d} d={d:4d}  {jobs(n, d, 20_020 if n < 1000 else 2_020):.2f}")
    print("EFR and SampledEFR: seconds with one job and with two, and their ratio")
    for n, d in SIZES[:2]:
        for name, one, two in ensembles(n, d):
            print(f"  n={n:5d} d={d:4d}  {name:10s} {one:6.2f} {two:6.2f}   {one / two:.2f}")
    print("the loops of other packages with our fitness: hypotheses a second, and ours over theirs")
    for n, d in SIZES[:3]:
        ours = speed(n, d, 20_020)
        for name, run in (("deap", deap_speed), ("cma", cma_speed)):
            theirs = run(n, d, 2_020)
            said = "not installed" if theirs is None else f"{theirs:8,.0f}   {ours / theirs:8,.0f}"
            print(f"  n={n:5d} d={d:4d}  {name:5s} {said}")


if __name__ == "__main__":
    main()
