"""Row selectors by plain loops. `distances` is a list of lists of int: every row to every row of the table."""


def nearest_of(distances, row, rows):
    """Return the one of `rows` nearest to a row, the earlier in `rows` on ties."""
    best = rows[0]
    for other in rows[1:]:
        if distances[row][other] < distances[row][best]:
            best = other
    return best


def condensed(distances, labels, order=None):
    """Hart 1968: return the store in the order of storing, and the pass in which each row was stored."""
    order = list(range(len(labels))) if order is None else list(order)
    store, passes = [order[0]], [1]
    number = 0
    while True:
        number += 1
        added = False
        for row in order:
            if row not in store and labels[nearest_of(distances, row, store)] != labels[row]:
                store.append(row)
                passes.append(number)
                added = True
        if not added:
            return store, passes


def reduced(distances, labels, store):
    """Gates 1972: return the rows of a store that stay, in the order of storing."""
    current = list(store)
    for row in store:
        if len(current) == 1:
            break
        without = [other for other in current if other != row]
        missed = False
        for x in range(len(labels)):
            was_right = labels[nearest_of(distances, x, current)] == labels[x]
            is_right = labels[nearest_of(distances, x, without)] == labels[x]
            if was_right and not is_right:
                missed = True
        if not missed:
            current = without
    return current
