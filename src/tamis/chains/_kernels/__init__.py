"""The loops of SampledEFR: ``sweeping`` -> ``pairs``, ``prior`` -> ``numbers``.

``numbers`` has random numbers, logarithms and exponentials that are bit for bit the same on every machine.
"""
