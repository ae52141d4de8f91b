"""The paper's experiments again: ``TABLE -> tasks -> rows -> tables, figures, record``.

One file for each group of tables holds the paper's numbers, the tasks, what a worker does for one of them,
and the statistics as the paper defines them.
"""
