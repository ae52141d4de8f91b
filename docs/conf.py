"""The site: Sphinx, MyST and furo; nothing is loaded from elsewhere, neither to build nor to read."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import identify  # noqa: E402 - after the path is set

project = "identify"
author = "The identify authors"
copyright = "the identify authors"
release = version = identify.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "extension"]
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
myst_dmath_double_inline = True
html_math_renderer = "drawn"
html_theme = "furo"
html_title = f"identify {release}"
html_static_path: list[str] = []
html_show_sphinx = False
smartquotes = False  # they would turn --option and z'' into something else
html_copy_source = False
exclude_patterns = ["build", "pictures/*.py"]
autodoc_typehints = "description"
autodoc_member_order = "bysource"
