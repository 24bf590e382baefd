"""What it looks like."""

from pagedkv_edu.viz.copy_race import show_copies as show_copies
from pagedkv_edu.viz.half_step import show_half_step as show_half_step
from pagedkv_edu.viz.player import show as show
from pagedkv_edu.viz.race import show_race as show_race
from pagedkv_edu.viz.race_explorer import explore_race as explore_race
from pagedkv_edu.viz.schedule import show_schedule as show_schedule
from pagedkv_edu.viz.schedule_yours import show_plan as show_plan
from pagedkv_edu.viz.schedule_yours import show_victim as show_victim
from pagedkv_edu.viz.table_overflow import show_overflow as show_overflow
