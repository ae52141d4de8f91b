"""The paper's own method: per-frame networks, derivative or integral residuals, a variance floor, Adam.

Kept as published, because users compare with it.  ``settings`` lists what the paper states for each of its
experiments and, where it is silent, what was chosen here.
"""
