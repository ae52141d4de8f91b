"""Families as files: YAML -> declared family -> law -> analysis -> comparison with what the file expects.

Nothing in a family file is executed: YAML is read event by event into text, numbers, lists and
mappings, and laws are read by ``identify.law``.  Importing this package loads neither sympy nor pydantic.
"""
