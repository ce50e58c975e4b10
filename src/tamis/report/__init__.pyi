from tamis.report._column_displays import PathDisplay as PathDisplay
from tamis.report._column_displays import RankingDisplay as RankingDisplay
from tamis.report._column_displays import RocFsDisplay as RocFsDisplay
from tamis.report._row_displays import MarginDisplay as MarginDisplay
from tamis.report._row_displays import PrototypeDisplay as PrototypeDisplay
from tamis.report._study_displays import CriticalDifferenceDisplay as CriticalDifferenceDisplay
from tamis.report._study_displays import SizeCurveDisplay as SizeCurveDisplay
from tamis.report._study_displays import StabilityDisplay as StabilityDisplay
