"""The Markov chain behind SampledEFR in plain loops: sparse hypotheses, each as often as it is probable.

h = tau (A + omega |L|) + b, P(y) = logistic(y h); a number y is normal with mean h and a sampled precision. Every step that the fast program takes is taken here, with the same
random numbers (splitmix64) and the same rounding to single precision, so that it can be asked for the same bits.
"""

import numpy as np

F = np.float32
NOTHING = (F(0), F(0), F(0))
MASK64 = 2**64 - 1
LOGARITHM = [
    0.99999994,
    -0.50000364,
    0.3333506,
    -0.24969909,
    0.19900165,
    -0.17250831,
    0.16222575,
    -0.10106884,
]
POWER = [1.0000001, 0.69314694, 0.2402212, 0.05550713, 0.009675541, 0.0013276471]
# Part of u1 in A, u2 in A, u1 in L.
SHAPES = [(0, 0, 0), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
SHAPES += [(0, curved, straight) for curved in (-0.7, 0.7) for straight in (0.7, -0.7)]


class Stream:
    """Uniform, normal, gamma and beta numbers from one seed."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK64
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
        return min((((z ^ (z >> 31)) >> 11) + 0.5) * 2.0**-53, 1 - 2.0**-53)

    def log_uniform(self):
        return float(logarithm(self.uniform()))

    def normal(self):
        while True:
            x = 2 * self.uniform() - 1
            y = 2 * self.uniform() - 1
            s = x * x + y * y
            if 0 < s < 1:
                return x * float(np.sqrt(-2.0 * float(logarithm(s)) / s))

    def gamma(self, shape):
        d = (shape + 1 if shape < 1 else shape) - 1 / 3
        c = 1 / float(np.sqrt(9 * d))
        while True:
            x = self.normal()
            v = 1 + c * x
            if v > 0:
                v = v * v * v
                if self.log_uniform() < 0.5 * x * x + d - d * v + d * float(logarithm(v)):
                    break
        if shape < 1:
            v *= float(exponential(max(self.log_uniform() / shape, -80)))
        return d * v

    def beta(self, a, b):
        x = self.gamma(a)
        y = self.gamma(b)
        return x / (x + y)

    def weight(self):
        product = self.uniform() * self.uniform() * self.uniform() * self.uniform()
        return -0.25 * float(logarithm(product))


def logarithm(x):
    """ln(x) in single precision."""
    bits = int(F(x).view(np.int32))
    e = (bits - 0x3F3504F3) >> 23
    f = np.int32(bits - (e << 23)).view(np.float32) - F(1)
    c = [F(value) for value in LOGARITHM]
    g = f * f
    low = (c[0] + c[1] * f) + (c[2] + c[3] * f) * g
    return F(e) * F(np.log(2.0)) + f * (low + ((c[4] + c[5] * f) + (c[6] + c[7] * f) * g) * (g * g))


def exponential(x):
    """exp(x) in single precision, of a number or an array, from -80 to 80."""
    y = np.asarray(x, dtype=np.float32) * F(1 / np.log(2.0))
    whole = (y + F(127.5)).astype(np.int32)
    f = y - (whole - 127).astype(np.float32)
    c = [F(value) for value in POWER]
    g = f * f
    power = (c[0] + c[1] * f) + (c[2] + c[3] * f) * g + (c[4] + c[5] * f) * (g * g)
    return power * (2.0 ** (whole - 127)).astype(np.float32)


def loss_and_factor(z):
    """The two parts of ln(1 + exp(-z)): a loss, and a factor whose logarithm is the rest."""
    t = np.abs(z)
    return F(0.5) * (t - z), F(1) + exponential(-np.minimum(t, F(80)))


def in_halves(values, operation):
    """64 values: the second half onto the first, and again, down to one."""
    while len(values) > 1:
        half = len(values) // 2
        values = operation(values[:half], values[half:])
    return values[0]


class Oracle:
    """A chain. bases: (v, 2, n), one row of columns a view; owners: column of each view; y: 1 and -1."""

    def __init__(self, bases, owners, y, *, additive, n_slots, seed, numeric=False):
        self.bases = np.asarray(bases, dtype=np.float32)
        self.owners = list(owners)
        self.d = max(owners) + 1
        self.y = np.asarray(y, dtype=np.float32)
        self.additive = additive
        self.numeric, self.precision = numeric, 0.0
        self.stream = Stream(seed)
        self.shapes, self.views, self.weights = [0] * self.d, [0] * self.d, [1.0] * self.d
        n_slots = 0 if additive or self.d < 2 else n_slots
        self.ends, self.signs, self.slot_weights = (
            [[0, 0] for _ in range(n_slots)],
            [0] * n_slots,
            [1.0] * n_slots,
        )
        n_groups = 2 if additive else 5
        self.shares, self.plus = [0.0] * n_groups, [0.5] * n_groups
        self.tau = self.omega = self.offset = self.rho = self.on_rate = self.pair_plus = 0.0

    def views_of(self, column):
        return [v for v, owner in enumerate(self.owners) if owner == column]

    def drawn_view(self, column):
        views = self.views_of(column)
        return views[0] if len(views) == 1 else views[int(self.stream.uniform() * len(views))]

    def likelihood(self, A, L, view=0, coefficients=NOTHING):
        """Log-likelihood with one view added; rows stand in blocks of 64, after whole sixteens padded with no class."""
        u1, u2 = self.bases[view]
        c1, c2, c3 = coefficients
        a = A + (c1 * u1 + c2 * u2)
        h = F(self.tau) * (a + F(self.omega) * np.abs(L + c3 * u1)) + F(self.offset)
        if self.numeric:
            return -self.precision * self.half_squares(self.y - h)
        z = self.y * h
        z = np.concatenate([z, np.zeros(-len(z) % 16, np.float32)])
        losses, factors = loss_and_factor(z)
        losses = np.concatenate([losses, np.zeros(-len(losses) % 64, np.float32)])
        factors = np.concatenate([factors, np.ones(-len(factors) % 64, np.float32)])
        total = 0.0
        for start in range(0, len(losses), 64):
            loss = in_halves(losses[start : start + 64], lambda a, b: a + b)
            factor = in_halves(factors[start : start + 64], lambda a, b: a * b)
            total -= float(loss + logarithm(factor))
        return total

    def half_squares(self, left):
        """Half the sum of squares, rows in blocks of 64."""
        squares = F(0.5) * (left * left)
        squares = np.concatenate([squares, np.zeros(-len(squares) % 64, np.float32)])
        total = 0.0
        for start in range(0, len(squares), 64):
            total += float(in_halves(squares[start : start + 64], lambda a, b: a + b))
        return total

    def coefficients(self, shape, weight):
        return tuple(F(weight) * F(part) for part in SHAPES[shape])

    def add(self, fields, view, coefficients, sign):
        A, L = fields
        u1, u2 = self.bases[view]
        c1, c2, c3 = (F(sign) * c for c in coefficients)
        return A + (c1 * u1 + c2 * u2), L + c3 * u1

    def add_pair(self, fields, left, right, weight):
        return fields[0] + F(weight) * (self.bases[left, 0] * self.bases[right, 0]), fields[1]

    def fields(self):
        found = (np.zeros(len(self.y), np.float32), np.zeros(len(self.y), np.float32))
        for k in range(self.d):
            if self.shapes[k]:
                found = self.add(found, self.views[k], self.coefficients(self.shapes[k], self.weights[k]), 1)
        for j, (left, right) in enumerate(self.ends):
            if self.signs[j]:
                found = self.add_pair(found, left, right, self.signs[j] * self.slot_weights[j])
        return found

    def hyperparameters(self, off_counts=1.0):
        counts = [[0, 0] for _ in self.shares]
        for shape in self.shapes:
            if shape:
                counts[(shape - 1) // 2][(shape - 1) % 2] += 1
        n_on = sum(shape > 0 for shape in self.shapes)
        self.rho = self.stream.beta(2.0 + n_on, 18.0 + off_counts * (self.d - n_on))
        drawn = [
            self.stream.gamma(prior + sum(count)) for prior, count in zip([0.2, 0.2, 0.1, 0.1, 0.1], counts)
        ]
        total = 0.0
        for one in drawn:
            total += one
        self.shares = [one / total for one in drawn]
        for g, (plus, minus) in enumerate(counts):
            odds, seen = 1.0, 0
            for count in (plus, minus):
                for i in range(count):
                    odds *= 2.0 * (0.2 + i) / (0.4 + seen)
                    seen += 1
            self.plus[g] = 0.5
            if self.stream.uniform() * (1.0 + odds) < odds:
                self.plus[g] = self.stream.beta(0.2 + plus, 0.2 + minus)
        if self.signs:
            plus, minus = self.signs.count(1), self.signs.count(-1)
            self.on_rate = self.stream.beta(
                0.4 + plus + minus, 1.6 + off_counts * (len(self.signs) - plus - minus)
            )
            self.pair_plus = self.stream.beta(0.5 + plus, 0.5 + minus)

    def redraw_free(self):
        for k in range(self.d):
            if self.shapes[k] == 0:
                self.views[k] = self.drawn_view(k)
                self.weights[k] = self.stream.weight()
        for j in range(len(self.signs)):
            if self.signs[j] == 0:
                left = int(self.stream.uniform() * self.d)
                right = (left + 1 + int(self.stream.uniform() * (self.d - 1))) % self.d
                self.ends[j] = [self.drawn_view(left), self.drawn_view(right)]
                self.slot_weights[j] = self.stream.weight()

    def start(self):
        self.tau = float(exponential(self.stream.normal()))
        self.omega = float(exponential(0.5 * self.stream.normal()))
        self.offset = self.stream.normal() * (1 if self.additive else 3)
        self.hyperparameters(off_counts=0.0)
        self.redraw_free()
        for k in range(self.d):
            if self.stream.uniform() < self.rho:
                mark, group = self.stream.uniform() - self.shares[0], 0
                while mark > 0 and group + 1 < len(self.shares):
                    group += 1
                    mark -= self.shares[group]
                self.shapes[k] = 2 * group + (1 if self.stream.uniform() < self.plus[group] else 2)
        for j in range(len(self.signs)):
            if self.stream.uniform() < self.on_rate:
                self.signs[j] = 1 if self.stream.uniform() < self.pair_plus else -1
        if self.numeric:
            self.precision = max(self.stream.gamma(1.0), 1e-12) / 0.5

    def place(self, chances, total):
        mark, last = total * self.stream.uniform(), 0
        for s, chance in enumerate(chances):
            if chance > 0:
                last = s
                mark -= chance
                if mark < 0:
                    break
        return last

    def columns(self, fields, power, inclusion):
        prior = [1.0 - self.rho]
        for share, plus in zip(self.shares, self.plus):
            prior += [self.rho * share * plus, self.rho * share * (1.0 - plus)]
        for k in range(self.d):
            view, weight = self.views[k], self.weights[k]
            if self.shapes[k]:
                fields = self.add(fields, view, self.coefficients(self.shapes[k], weight), -1)
            found = [self.likelihood(*fields, view, self.coefficients(s, weight)) for s in range(len(prior))]
            top = max(found)
            chances = [
                p * float(exponential(max(power * (value - top), -80.0))) for p, value in zip(prior, found)
            ]
            total = 0.0
            for chance in chances:
                total += chance
            inclusion[k] += 1.0 - chances[0] / total
            self.shapes[k] = self.place(chances, total)
            if self.shapes[k]:
                fields = self.add(fields, view, self.coefficients(self.shapes[k], weight), 1)
        return fields

    def partner(self, base, slope):
        """Log-likelihood of h = base + slope, rows added one by one, a logarithm every 64."""
        if self.numeric:
            left = (self.y - base) - slope
            found, squares = F(0), F(0)
            for i in range(len(left)):
                squares = squares + F(0.5) * (left[i] * left[i])
                if (i + 1) % 64 == 0 or i + 1 == len(left):
                    found, squares = found - F(self.precision) * squares, F(0)
            return float(found)
        losses, factors = loss_and_factor(self.y * base + slope)
        found, loss, factor = F(0), F(0), F(1)
        for i in range(len(losses)):
            loss, factor = loss + losses[i], factor * factors[i]
            if (i + 1) % 64 == 0 or i + 1 == len(losses):
                found = found - (loss + logarithm(factor))
                loss, factor = F(0), F(1)
        return float(found)

    def slots(self, fields, power, pairs):
        for j in range(len(self.signs)):
            left, right = self.ends[j]
            kept = left if self.stream.uniform() < 0.5 else right
            if self.signs[j]:
                fields = self.add_pair(fields, left, right, -self.signs[j] * self.slot_weights[j])
            base = F(self.tau) * (fields[0] + F(self.omega) * np.abs(fields[1])) + F(self.offset)
            c = F(self.tau * self.slot_weights[j])
            slope = (F(1) if self.numeric else self.y) * (c * self.bases[kept, 0])
            values = [
                [self.partner(base, F(sign) * slope * self.bases[v, 0]) for sign in (1, -1)]
                for v in range(len(self.owners))
            ]
            off = self.partner(base, np.zeros(len(base), np.float32))
            top = max(off, *(max(pair) for pair in values))
            chances = [(1.0 - self.on_rate) * float(exponential(max(power * (off - top), -80.0)))]
            total = chances[0]
            for v, owner in enumerate(self.owners):
                share = self.on_rate / (self.d - 1) / len(self.views_of(owner))
                share = 0.0 if owner == self.owners[kept] else share
                for side, value in enumerate(values[v]):
                    sign = self.pair_plus if side == 0 else 1.0 - self.pair_plus
                    chances.append(share * sign * float(exponential(max(power * (value - top), -80.0))))
                    total += chances[-1]
            for v, owner in enumerate(self.owners):
                on = (chances[2 * v + 1] + chances[2 * v + 2]) / total
                pairs[owner] += on
                pairs[self.owners[kept]] += on
            place = self.place(chances, total)
            self.signs[j] = 0 if place == 0 else (1 if place % 2 else -1)
            if place:
                self.ends[j] = [kept, (place - 1) // 2]
                fields = self.add_pair(fields, *self.ends[j], self.signs[j] * self.slot_weights[j])
        return fields

    def swaps(self, fields, power):
        if not 0 < sum(shape > 0 for shape in self.shapes) < self.d:
            return fields
        for _ in range(20):
            on = [k for k in range(self.d) if self.shapes[k]]
            off = [k for k in range(self.d) if not self.shapes[k]]
            giver = on[int(self.stream.uniform() * len(on))]
            taker = off[int(self.stream.uniform() * len(off))]
            moved = self.coefficients(self.shapes[giver], self.weights[giver])
            before = self.likelihood(*fields)
            fields = self.add(fields, self.views[giver], moved, -1)
            after = self.likelihood(*fields, self.views[taker], moved)
            if self.stream.log_uniform() < power * (after - before):
                self.shapes[taker], self.shapes[giver] = self.shapes[giver], 0
                self.weights[taker], self.weights[giver] = self.weights[giver], self.weights[taker]
                fields = self.add(fields, self.views[taker], moved, 1)
            else:
                fields = self.add(fields, self.views[giver], moved, 1)
        return fields

    def moves(self, fields, power):
        now = self.likelihood(*fields)
        for k in range(self.d):
            if not self.shapes[k]:
                continue
            step = 0.5 * self.stream.normal()
            other = self.weights[k] * float(exponential(step))
            change = self.coefficients(self.shapes[k], other - self.weights[k])
            then = self.likelihood(*fields, self.views[k], change)
            ratio = power * (then - now) + 4.0 * (step - (other - self.weights[k]))
            if self.stream.log_uniform() < ratio:
                fields = self.add(fields, self.views[k], change, 1)
                self.weights[k], now = other, then
            if len(self.views_of(k)) > 1:
                view = self.drawn_view(k)
                moved = self.coefficients(self.shapes[k], self.weights[k])
                fields = self.add(fields, self.views[k], moved, -1)
                then = self.likelihood(*fields, view, moved)
                if self.stream.log_uniform() < power * (then - now):
                    self.views[k], now = view, then
                fields = self.add(fields, self.views[k], moved, 1)
        for j in range(len(self.signs)):
            if self.signs[j]:
                step = 0.5 * self.stream.normal()
                other = self.slot_weights[j] * float(exponential(step))
                change = other - self.slot_weights[j]
                fields = self.add_pair(fields, *self.ends[j], self.signs[j] * change)
                then = self.likelihood(*fields)
                if self.stream.log_uniform() < power * (then - now) + 4.0 * (step - change):
                    self.slot_weights[j], now = other, then
                else:
                    fields = self.add_pair(fields, *self.ends[j], -self.signs[j] * change)
        return fields

    def numbers(self, fields, power):
        now = self.likelihood(*fields)
        for size in (0.6, 0.2, 0.06):
            for name in ("tau", "offset", "omega"):
                if name == "omega" and self.additive:
                    continue
                old = getattr(self, name)
                step = size * self.stream.normal()
                if name == "offset":
                    new = old + 2.0 * step
                    change = (new * new - old * old) / (1 if self.additive else 9)
                else:
                    new = old * float(exponential(step))
                    before, after = float(logarithm(old)), float(logarithm(new))
                    change = (after * after - before * before) * (1 if name == "tau" else 4)
                setattr(self, name, new)
                then = self.likelihood(*fields)
                if self.stream.log_uniform() < power * (then - now) - 0.5 * change:
                    now = then
                else:
                    setattr(self, name, old)
        if self.numeric:
            half, n = -now / self.precision, len(self.y)
            self.precision = max(self.stream.gamma(1.0 + 0.5 * power * n), 1e-12) / (0.5 + power * half)
            return 0.5 * n * float(logarithm(self.precision)) - self.precision * half
        return now + -len(self.y) % 16 * float(F(np.log(2.0)))

    def sweep(self, power, inclusion, pairs):
        fields = self.columns(self.fields(), power, inclusion)
        fields = self.slots(fields, power, pairs)
        fields = self.moves(self.swaps(fields, power), power)
        found = self.numbers(fields, power)
        self.hyperparameters()
        self.redraw_free()
        return found
