"""Raw clips -> films: background, motion region, trim and candidate views, found by themselves."""

from identify.fit.prepare.picture import draw_prepared
from identify.fit.prepare.prepare import prepare
from identify.fit.prepare.prepared import Options, Prepared, Recipe, Refused, Signals, Trim

__all__ = ["Options", "Prepared", "Recipe", "Refused", "Signals", "Trim", "draw_prepared", "prepare"]
