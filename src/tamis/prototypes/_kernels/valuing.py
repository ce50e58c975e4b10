"""The loop of RowValues: what the rows of many games are worth, added up.

Symbols
-------
order      the rows of a game, nearest first: N of them
m_i        1 if row i of the order has the class of the row that is voted on, else 0
shares     min(K, i) / (K i) for i = 1, ..., N
s_i        the value of row i: s_N = m_N shares_N, s_i = s_(i+1) + (m_i - m_(i+1)) shares_i
"""

from tamis._jit import kernel


@kernel
def add_game_values(order, asked, codes, shares, totals):
    """Add the values of the rows in the games of `order`, (games, N), to `totals`, (rows,); the games one by one.

    asked[g] is the row that is voted on in game g; codes has the classes of all rows.
    """
    last = order.shape[1] - 1
    for game in range(order.shape[0]):
        own = codes[asked[game]]
        value, after = 0.0, 0.0
        for place in range(last, -1, -1):
            row = order[game, place]
            right = 1.0 if codes[row] == own else 0.0
            value += (right - after) * shares[place]
            after = right
            totals[row] += value
