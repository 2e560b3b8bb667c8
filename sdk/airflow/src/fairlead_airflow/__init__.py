"""Airflow provider of Fairlead: docs/how-to/templates.md#airflow."""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"


def get_provider_info() -> dict[str, Any]:
    """Returns the provider information for the entry point apache_airflow_provider."""
    return {
        "package-name": "fairlead-airflow",
        "name": "Fairlead",
        "description": "Jobs, health and repairs of Fairlead, a control plane for AI compute.",
        "connection-types": [
            {
                "connection-type": "fairlead",
                "hook-class-name": "fairlead_airflow.hook.FairleadHook",
                "hook-name": "Fairlead",
            }
        ],
    }
