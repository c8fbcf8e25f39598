"""An executable specification of the limiters: what each must answer, as plainly as it can be said.

Written from the limiters' contract alone; it shares no code with src/limits or lua/. Whole numbers and exact
fractions only. `Limiter` (limiter.py) takes the lines of an `einlass replay` trace and says the lines of its answers.
"""

from .limiter import Limiter

__all__ = ["Limiter"]
