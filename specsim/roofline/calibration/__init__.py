"""Measure a machine, and keep what was found as a row that every command can use.

probes, torch_probes, numpy_probes   what is timed
clock, rounds                        timing it
fitting, rows                        the model's own constants, from times
machine, bench                       what there is to measure, and with what
calibrate, result, experiment, plot  doing it, and saying what came out
files, schema, loading               its file
"""

from specsim.roofline.calibration.calibrate import calibrate
from specsim.roofline.calibration.files import writable
from specsim.roofline.calibration.loading import load
from specsim.roofline.calibration.result import Calibration

__all__ = ["Calibration", "calibrate", "load", "writable"]
