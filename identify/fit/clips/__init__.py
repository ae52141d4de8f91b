"""Clips: any film in a folder as timed, upright, 8-bit frames that are streamed and never held."""
