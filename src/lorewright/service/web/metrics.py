"""What the service counts, for Prometheus: no names, no words, no IDs."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


class ServiceMetrics:
    """The metrics of one service, in a registry of their own."""

    media_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "lorewright_requests", "Requests answered.", ("kind", "status"), registry=self._registry
        )
        self.request_seconds = Histogram(
            "lorewright_request_seconds", "Time to answer.", ("kind",), buckets=_SECONDS, registry=self._registry
        )
        self.turns = Counter("lorewright_turns", "Turns committed.", registry=self._registry)
        self.turn_seconds = Histogram(
            "lorewright_turn_seconds", "Time of a turn.", buckets=_SECONDS, registry=self._registry
        )
        self._gauges = {
            name: Gauge(f"lorewright_{name}", text, registry=self._registry)
            for name, text in (
                ("open_campaigns", "Campaigns that are open."),
                ("open_campaign_bytes", "About how much memory they take."),
                ("engine_requests", "Requests that the engine works on."),
                ("streams", "Streams of events that are open."),
            )
        }

    def watch(self, name: str, value: Callable[[], float]) -> None:
        """Have a gauge ask for its value when it is read."""
        self._gauges[name].set_function(value)

    def text(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return bytes(generate_latest(self._registry))
