"""The offline browser page: the engine, a Python for browsers and the page's own code in one HTML file.

``pins`` and ``fetch`` bring the parts, ``archive`` turns them into what a browser loads, ``build`` writes
the file; ``assets`` is what the page shows and ``inside`` the Python that runs in it, next to the engine.
"""
