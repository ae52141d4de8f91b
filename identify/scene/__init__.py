"""Synthetic scenes: motions of a law rendered as frames, with the true states beside them."""
