"""Decoys: columns that relate to the other columns as the originals do, but not to the target (model-X knockoffs).

============================= ==========================================================================
question                      answer
============================= ==========================================================================
a table as normal scores?     `Latents` (``latents.py``): numeric, tied, nominal and missing values alike
normal scores, and back?      `Maker` (``making.py``): whole tables of decoys, several at once
how far from the originals?   `distances` (``gaussian.py``): equi-correlated or minimum-variance
as the originals do?          `bonds` (``bonds.py``): how far the bonds of decoys are from those of the columns
who beat its decoys?          `contests` (``rates.py``), and what may be kept at a false discovery rate
chosen on halves of the rows? `plan` (``stability.py``): how many and how often, with a bound on false ones
============================= ==========================================================================
"""
