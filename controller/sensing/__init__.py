"""What a read and what a silence prove: polls in, settled cards and believed absences out."""

from controller.sensing.budget import FalseAlarmBudget
from controller.sensing.presence import Sensing
from controller.sensing.sight import SightSensing
from controller.sensing.tracks import ZoneFigures

__all__ = ["FalseAlarmBudget", "Sensing", "SightSensing", "ZoneFigures"]
