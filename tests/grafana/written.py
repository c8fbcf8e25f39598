"""The dashboards as the tests read them."""

import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GRAFANA = os.path.join(ROOT, "grafana")
sys.path.insert(0, GRAFANA)


def all_of(directory=os.path.join(GRAFANA, "dashboards")):
    """{uid: dashboard} of all files there."""
    found = {}
    for name in sorted(os.listdir(directory)):
        with open(os.path.join(directory, name)) as file:
            one = json.load(file)
        found[one["uid"]] = one
    return found


def panels(board):
    return [panel for panel in board["panels"] if panel["type"] != "row"]


def expressions(board):
    """(where, expression) of all panels and annotations."""
    for panel in panels(board):
        for target in panel.get("targets", []):
            yield f"{panel['title']} {target['refId']}", target["expr"]
    for one in board["annotations"]["list"]:
        yield f"annotation {one['name']}", one["expr"]
