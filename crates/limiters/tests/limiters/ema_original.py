"""Writes ema-original-vectors.json: the decisions of BitPin-Blog's own EMA function over recorded arrival times.

    python3 ema_original.py BITPIN_BLOG > ema-original-vectors.json

BITPIN_BLOG is a checkout of https://github.com/SamanEN/BitPin-Blog-Task. The script imports rate/utils.py from it, and
replaces Django's models and the clock, so that neither Django nor a database is needed.
"""
import importlib.util
import json
import math
import pathlib
import sys
import types

CREATED = 1_000.0


class Ema:
    """Row of BlogRatingEma for the only post."""

    THRESHOLD = 2

    def __init__(self):
        self.mean_request_rate = 0
        self.variation_sum = 0
        self.last_record = CREATED

    def save(self):
        pass


def import_original(folder):
    """Imports rate/utils.py with stand-ins for its models. Returns the module, and the world that it sees."""
    world = types.SimpleNamespace(count=0, ema=Ema(), now=CREATED)
    ema_model = type("BlogRatingEma", (), {"THRESHOLD": Ema.THRESHOLD})
    ema_model.objects = types.SimpleNamespace(get=lambda **_: world.ema)
    models = types.ModuleType("blog_posts.models")
    models.BlogPost, models.BlogRatingEma, models.BlogRatingLeakyBucket = object, ema_model, object
    rate_models = types.ModuleType("rate.models")
    counted = types.SimpleNamespace(count=lambda: world.count)
    rate_models.Rate = types.SimpleNamespace(objects=types.SimpleNamespace(filter=lambda **_: counted))
    sys.modules.update({
        "blog_posts": types.ModuleType("blog_posts"), "blog_posts.models": models,
        "rate": types.ModuleType("rate"), "rate.models": rate_models,
    })
    path = next(pathlib.Path(folder).rglob("rate/utils.py"))
    spec = importlib.util.spec_from_file_location("rate.utils", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.time = types.SimpleNamespace(time=lambda: world.now)
    return module, world


def decide(folder, gaps_ms):
    module, world = import_original(folder)
    allowed = []
    ms = 0
    for gap in gaps_ms:
        ms += gap
        world.now = CREATED + ms / 1000
        allowed.append(module.can_request_rating_ema(object()))
        world.count += allowed[-1]
    return allowed, world.ema


def poisson(count, mean_ms):
    """Exponential gaps: evenly spaced quantiles in a fixed, shuffled order."""
    return [round(-math.log(1 - (i * 37 % count + 0.5) / count) * mean_ms) for i in range(count)]


SCENARIOS = {
    "15 ratings 5 s apart, then 6 ratings 50 ms apart": [5_000] * 15 + [50] * 6,
    "100 ratings with Poisson arrivals, then 200 ratings 50 ms apart": poisson(100, 60_000) + [50] * 200,
    "100 ratings 5 s apart, then 2,000 ratings 50 ms apart": [5_000] * 100 + [50] * 2_000,
    "100 ratings at the same moment": [0] * 100,
    "ratings with growing and shrinking gaps": [1_000 + 900 * (i % 7) - 130 * (i % 5) for i in range(200)],
}

if __name__ == "__main__":
    vectors = []
    for name, gaps in SCENARIOS.items():
        allowed, ema = decide(sys.argv[1], gaps)
        vectors.append({
            "name": name, "gaps_ms": gaps, "refused": [i for i, ok in enumerate(allowed) if not ok],
            "mean": ema.mean_request_rate, "variation_sum": ema.variation_sum,
        })
    print(json.dumps(vectors, separators=(",", ":")).replace("},{", "},\n{"))
