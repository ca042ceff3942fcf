"""Reads metrics by Prometheus' own parser. usage: metrics.py FILE_BEFORE FILE_AFTER EXPECTED_JSON

EXPECTED_JSON: samples that the second has more of than the first: [[name, {label: value}, difference], ...]
"""

import json
import sys

from checking import check, check_that
from prometheus_client.parser import text_string_to_metric_families


def read(path):
    with open(path, encoding="utf-8") as file:
        families = list(text_string_to_metric_families(file.read()))
    samples = {}
    for family in families:
        check_that(f"{family.name} says what it is", family.documentation.endswith(".") and family.type != "unknown")
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            check_that(f"{key} is there once", key not in samples)
            samples[key] = sample.value
            if family.type == "counter":
                check_that(f"{key} counts", sample.name.endswith("_total") and sample.value >= 0)
    return families, samples


def check_histograms(families):
    for family in families:
        if family.type != "histogram":
            continue
        series = {}
        for sample in family.samples:
            labels = {name: value for name, value in sample.labels.items() if name != "le"}
            series.setdefault(tuple(sorted(labels.items())), []).append(sample)
        for labels, samples in series.items():
            buckets = [s for s in samples if s.name.endswith("_bucket")]
            bounds = [float(s.labels["le"]) for s in buckets]
            check_that(f"{labels}: its buckets rise", bounds == sorted(bounds) and bounds[-1] == float("inf"))
            counts = [s.value for s in buckets]
            check_that(f"{labels}: they add up", counts == sorted(counts))
            check(f"{labels}: its count", [s.value for s in samples if s.name.endswith("_count")], [counts[-1]])


(_, before), (families, after) = read(sys.argv[1]), read(sys.argv[2])
check_histograms(families)
for name, labels, difference in json.loads(sys.argv[3]):
    key = (name, tuple(sorted(labels.items())))
    check_that(f"{key} is there", key in after)
    check(f"{key} more", after[key] - before.get(key, 0), difference)
for name in ["process_resident_memory_bytes", "process_start_time_seconds", "process_open_fds", "process_max_fds"]:
    check_that(f"{name} is there", after[(name, ())] > 0)
for (name, labels), value in before.items():
    if name.endswith("_total"):
        check_that(f"{name} never falls", after.get((name, labels), -1) >= value)
known = {"route", "provider", "reason", "kind", "outcome", "limit", "status", "le", "listener", "state", "target", "version"}
for _, labels in after:
    check_that("labels tell of no user, key or address", {name for name, _ in labels} <= known, labels)
print("everything is as it should be")
