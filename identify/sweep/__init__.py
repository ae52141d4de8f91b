"""Sweeps: many fits as tasks, run in processes of their own, each result a row in a store.

``Task -> row``: a ``Task`` says everything that decides a result, ``run_tasks`` runs what the store does not
have yet, on this machine or on a Dask cluster.
"""
