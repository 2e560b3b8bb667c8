"""A sensor that waits for a healthy fleet."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from airflow.sdk import BaseSensorOperator
from airflow.sdk.exceptions import AirflowFailException
from fairlead import Fairlead, Forbidden, InvalidRequest, NotFound, Unauthenticated

from fairlead_airflow.hook import FairleadHook
from fairlead_airflow.jobs import PASSING, why_refused


class FairleadHealthSensor(BaseSensorOperator):
    """Succeeds when a cluster, a pool, or both meet all given conditions. At least one condition
    is required.

    Logs unmet conditions at each poke. With `timeout=0` and `soft_fail=True` it is a check that skips
    downstream tasks. `mode="reschedule"` frees the worker between pokes.

    :param cluster: name. It must be ACTIVE. Templated.
    :param node_pool: name. Nodes and GPUs are counted only in this pool. Templated.
    :param nodes: minimum number of ACTIVE nodes.
    :param gpus: minimum number of free GPUs.
    :param model: model of the free GPUs, such as `H100`. Templated.
    :param quarantined: maximum number of quarantined nodes.
    :param fairlead_conn_id: connection of type `fairlead`.
    """

    template_fields: Sequence[str] = ("cluster", "node_pool", "model", "fairlead_conn_id")
    ui_color = "#dff6db"

    def __init__(
        self,
        *,
        cluster: str | None = None,
        node_pool: str | None = None,
        nodes: int | None = None,
        gpus: int | None = None,
        model: str | None = None,
        quarantined: int | None = None,
        fairlead_conn_id: str = FairleadHook.default_conn_name,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if cluster is None and nodes is None and gpus is None and quarantined is None:
            raise ValueError("set a condition: cluster, nodes, gpus or quarantined")
        for name, least in (("nodes", nodes), ("gpus", gpus), ("quarantined", quarantined)):
            if least is not None and least < 0:
                raise ValueError(f"{name} must be 0 or more, not {least}")
        if model is not None and gpus is None:
            raise ValueError("model is of the free gpus: say how many")
        self.cluster = cluster
        self.node_pool = node_pool
        self.nodes = nodes
        self.gpus = gpus
        self.model = model
        self.quarantined = quarantined
        self.fairlead_conn_id = fairlead_conn_id

    def poke(self, context: Any) -> bool:
        try:
            with FairleadHook(self.fairlead_conn_id).get_conn() as fl:
                missing = self._missing(fl)
        except (Forbidden, InvalidRequest, NotFound, Unauthenticated) as refused:
            raise AirflowFailException(why_refused(refused)) from refused
        except PASSING as passing:
            self.log.warning("Fairlead gives no answer: %s", passing)
            return False
        for line in missing:
            self.log.info(line)
        return not missing

    def _missing(self, fl: Fairlead) -> list[str]:
        missing = []
        if self.cluster is not None:
            cluster = fl.clusters.get(self.cluster)
            if cluster.state != "ACTIVE":
                missing.append(
                    f"cluster {cluster.name} is {cluster.state}: {cluster.trouble or 'no more is known'}"
                )
        if self.node_pool is not None:
            fl.pools.get(self.node_pool)  # an unknown name would otherwise count as empty
        if self.nodes is not None:
            there = self._count(fl, "ACTIVE", self.nodes)
            if there < self.nodes:
                missing.append(f"{there} nodes{self._where()} are ACTIVE, {self.nodes} are wanted")
        if self.quarantined is not None:
            out = self._count(fl, "QUARANTINED", self.quarantined + 1)
            if out > self.quarantined:
                missing.append(
                    f"more than {self.quarantined} nodes{self._where()} are quarantined: "
                    "fairlead incident list"
                )
        if self.gpus is not None:
            free = self._free(fl)
            if free < self.gpus:
                model = f" {self.model}" if self.model else ""
                missing.append(
                    f"{free:g}{model} GPUs{self._where()} are free, {self.gpus} are wanted"
                )
        return missing

    def _count(self, fl: Fairlead, state: str, enough: int) -> int:
        found = fl.nodes(cluster=self.cluster, state=state)
        of_pool = (node for node in found if self.node_pool is None or node.pool == self.node_pool)
        return sum(1 for _ in islice(of_pool, enough))

    def _free(self, fl: Fairlead) -> float:
        return sum(
            float(one.free)
            for one in fl.capacity()
            if (self.cluster is None or one.cluster == self.cluster)
            and (self.node_pool is None or one.pool == self.node_pool)
            and (self.model is None or one.model == self.model)
        )

    def _where(self) -> str:
        pool = f" of pool {self.node_pool}" if self.node_pool else ""
        return f"{pool} on {self.cluster}" if self.cluster else pool
