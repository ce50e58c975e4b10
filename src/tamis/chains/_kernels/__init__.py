"""The loops of SampledEFR: ``sweeping`` -> ``pairs``, ``prior`` -> ``numbers``.

``numbers`` has random numbers, logarithms and exponentials with the same bits on every machine.
"""
