"""What the scenarios run on: a gate and what stands around it, each started, asked and ended by a few words.

Whoever imports it may also import what starts servers, from deploy/local."""

import os
import sys

from harness import places

sys.path.insert(0, os.path.join(places.ROOT, "deploy", "local"))
