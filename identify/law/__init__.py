"""Text -> Law, and expressions back to text; never by evaluating the text as Python.

What the language means where a reader could doubt it:

* ``z'`` and ``z''`` are the derivatives of the state, the name that carries ``''``.  In SymPy the
  velocity is the symbol ``v`` (``vdot`` where the state is called v).  ``v``, ``dz``, ``zdot`` in a law
  are refused, as is ``kz`` for ``k*z``, and ``t``.
* ``^`` is ``**``, right associative; ``-z**2`` is ``-(z**2)``.
* A product needs no ``*`` after a number, a bracket or a space: ``2z``, ``3(z+1)``, ``a z``,
  ``(1+z)z'``, ``|z'|z'``.  ``a(z+1)``, ``1/2z``, ``z^2z'`` and ``|a|b|c|`` are refused as ambiguous.
* ``e`` is Euler's number where it occurs only as the base of powers with a name in the exponent,
  as in ``e**(-z)``; it is a parameter where it occurs only elsewhere, as in ``e*z`` or ``e**2``.  Both
  in one law, or ``e**(1/2)``, are refused.  ``exp(...)`` is always clear.
* Decimals are exact: ``0.1`` is 1/10.  ``cbrt`` is the real root ``sign(x)*abs(x)**(1/3)``.
* All names are real.  Only ``pi``, ``t``, function names and and/or/not/in are reserved.
"""

from identify.law.condition import read_condition
from identify.law.expression import read_expression
from identify.law.law import Condition, Law, Relation
from identify.law.printer import normal_text, to_latex, to_text
from identify.law.reader import read_law

__all__ = [
    "Condition",
    "Law",
    "Relation",
    "normal_text",
    "read_condition",
    "read_expression",
    "read_law",
    "to_latex",
    "to_text",
]
