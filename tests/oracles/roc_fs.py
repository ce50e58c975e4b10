"""ROC-FS by trying every order of tied columns, with fractions."""

from fractions import Fraction
from itertools import permutations, product


def judged_order(order, relevant):
    """Curve, area, p_b and p_w of one strict order of the columns, best first."""
    d, r = len(order), sum(relevant)
    true = [Fraction(sum(relevant[k] for k in order[:i]), r) for i in range(d + 1)]
    false = [Fraction(sum(not relevant[k] for k in order[:i]), d - r) for i in range(d + 1)]
    right = sum(relevant[order[i]] and not relevant[order[j]] for i in range(d) for j in range(d) if i < j)
    worst = max(i + 1 for i in range(d) if relevant[order[i]])
    return [
        *true,
        *false,
        Fraction(right, r * (d - r)),
        Fraction(int(relevant[order[0]])),
        Fraction(worst, d),
    ]


def judged(scores, relevant):
    """The means over all orders that the ties allow: true rates, false rates, area, p_b, p_w."""
    groups = [
        [k for k in range(len(scores)) if scores[k] == value] for value in sorted(set(scores), reverse=True)
    ]
    orders = [
        [k for part in parts for k in part] for parts in product(*(permutations(group) for group in groups))
    ]
    results = [judged_order(order, relevant) for order in orders]
    return [float(sum(column) / len(results)) for column in zip(*results)]
