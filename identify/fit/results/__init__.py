"""A fit -> what it warrants: values with errors, calibration, metrics, audit, and the run folder."""
