package dev.fairlead.fleet.cluster;

import dev.fairlead.fleet.node.NodeLifecycle;
import dev.fairlead.fleet.node.gpu.GpuLifecycle;
import dev.fairlead.kernel.lifecycle.ExpectedTable;
import org.junit.jupiter.api.Test;

class ClusterLifecyclesTest {
  @Test
  void clusterTransitionsMatchTheTable() {
    ExpectedTable.of(
            """
            ACTIVE: TROUBLE -> DEGRADED, SILENCE -> UNREACHABLE, DRAIN -> DRAINING, DISABLE -> DISABLED
            DEGRADED: CONTACT -> ACTIVE, SILENCE -> UNREACHABLE, DRAIN -> DRAINING, DISABLE -> DISABLED
            UNREACHABLE: CONTACT -> ACTIVE, TROUBLE -> DEGRADED, DRAIN -> DRAINING, DISABLE -> DISABLED
            DRAINING: DISABLE -> DISABLED, ENABLE -> ACTIVE
            DISABLED: ENABLE -> ACTIVE
            """)
        .assertSameAs(ClusterLifecycle.TABLE);
  }

  @Test
  void nodeTransitionsMatchTheTable() {
    ExpectedTable.of(
            """
            ACTIVE: REPORTED_CORDONED -> CORDONED, REPORTED_NOT_READY -> UNREACHABLE, REPORTED_GONE -> RETIRED, \
                CORDON -> CORDONED, DRAIN -> DRAINING, QUARANTINE -> QUARANTINED
            CORDONED: REPORTED_READY -> ACTIVE, REPORTED_NOT_READY -> UNREACHABLE, REPORTED_GONE -> RETIRED, \
                DRAIN -> DRAINING, QUARANTINE -> QUARANTINED
            DRAINING: REPORTED_GONE -> RETIRED, DRAIN_ENDED -> CORDONED, QUARANTINE -> QUARANTINED
            QUARANTINED: REPORTED_GONE -> RETIRED, RELEASE -> CORDONED
            UNREACHABLE: REPORTED_READY -> ACTIVE, REPORTED_CORDONED -> CORDONED, REPORTED_GONE -> RETIRED, \
                DRAIN -> DRAINING, QUARANTINE -> QUARANTINED
            RETIRED: REPORTED_READY -> ACTIVE, REPORTED_CORDONED -> CORDONED, REPORTED_NOT_READY -> UNREACHABLE
            """)
        .assertSameAs(NodeLifecycle.TABLE);
  }

  @Test
  void gpuTransitionsMatchTheTable() {
    ExpectedTable.of(
            """
            HEALTHY: REPORTED_FAULT -> DEGRADED, REPORTED_LOST -> FAILED, SILENCE -> UNKNOWN, \
                QUARANTINE -> QUARANTINED
            DEGRADED: REPORTED_HEALTHY -> HEALTHY, REPORTED_LOST -> FAILED, SILENCE -> UNKNOWN, \
                QUARANTINE -> QUARANTINED
            FAILED: REPORTED_HEALTHY -> HEALTHY, QUARANTINE -> QUARANTINED
            QUARANTINED: RELEASE -> UNKNOWN
            UNKNOWN: REPORTED_HEALTHY -> HEALTHY, REPORTED_FAULT -> DEGRADED, REPORTED_LOST -> FAILED, \
                QUARANTINE -> QUARANTINED
            """)
        .assertSameAs(GpuLifecycle.TABLE);
  }
}
