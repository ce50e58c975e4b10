"""The loops of the votes, in the order in which they run; none calls a loop of another file.

``distances`` (between groups), ``lists`` (which units are neighbours), ``cells`` (the same by cell), ``voting`` (T
rounds of boosting).
"""
