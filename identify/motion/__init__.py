"""Motions: what was filmed, what to film, what the same film cannot tell apart, and how far errors reach.

``trajectory`` and ``table`` read clips, ``dynamics`` simulates them, ``design`` and ``coverage`` measure the
velocities met at each state level, ``plan`` proposes what to film, ``alias`` and ``sharpness`` build two laws
that show the same observations, ``bounds`` turns residuals into distances from an affine coordinate.

Everything here needs the extra ``fit`` (numpy, scipy; matplotlib for pictures, pyarrow for Parquet); the
engine does not import it.
"""
