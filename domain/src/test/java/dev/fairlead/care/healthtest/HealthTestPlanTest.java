package dev.fairlead.care.healthtest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeStatus;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.job.Specs;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class HealthTestPlanTest {
  private static final Instant AT = Instant.parse("2030-01-01T00:00:00Z");
  private static final HealthTest WEEKLY = test(Duration.ofDays(7));
  private static final HealthTestRun RUN =
      new HealthTestRun(
          new HealthTestRunId(new UUID(0, 1)),
          "dcgm",
          new ClusterId(new UUID(0, 2)),
          new NodeId(new UUID(0, 3)),
          "gpu-1",
          null,
          AT,
          null,
          null,
          "",
          null,
          null);

  private static HealthTest test(@Nullable Duration every) {
    return new HealthTest(
        "dcgm",
        new TenantId(new UUID(0, 4)),
        "fleet",
        Specs.job("t").build(),
        every,
        Duration.ZERO,
        1,
        RepairStep.SERVICE,
        "olga",
        AT);
  }

  private static JobStatus failed(Failure failure) {
    return new JobStatus(JobState.FAILED, AT, AT, AT, 1, 1, 0, null, failure);
  }

  private static HealthTestPlan.End end(JobStatus job) {
    return HealthTestPlan.end(RUN, job, true, AT).orElseThrow();
  }

  private static Cluster cluster(PlacementBackend.Kind backend) {
    Cluster cluster =
        new Cluster(
            RUN.cluster(),
            "c",
            ClusterKind.KUBERNETES,
            ClusterState.ACTIVE,
            CapacityType.RESERVED,
            Collections.emptySortedMap(),
            ClusterSettings.DEFAULT,
            Capabilities.UNOBSERVED,
            AT,
            null,
            null,
            1);
    return cluster.withSettings(
        cluster.settings().withBackend(new PlacementBackend(backend, null, null, null)));
  }

  /** Fails if the test of a node may run on another node, or is refused there repeatedly. */
  @ParameterizedTest
  @EnumSource(PlacementBackend.Kind.class)
  void testSkipsNodesOfClustersWithAnotherScheduler(PlacementBackend.Kind backend) {
    NodeStatus status =
        NodeStatus.EMPTY
            .with()
            .gpuModel("H100")
            .allocatable(new ResourceVector(64_000, 65_536, 8_000, 100, new TreeMap<>()))
            .labels(new TreeMap<>(Map.of(HealthTest.HOSTNAME, "gpu-1")))
            .build();
    Node node = new Node(RUN.node(), RUN.cluster(), "gpu-1", 1, null, status);

    assertThat(WEEKLY.covers(node, cluster(backend)))
        .isEqualTo(backend == PlacementBackend.Kind.FAIRLEAD);
  }

  /** Fails when a cause that does not concern the node isolates it. */
  @ParameterizedTest
  @EnumSource(FailureCause.class)
  void onlyTheProgramAndItsGpusFailANode(FailureCause cause) {
    HealthTestPlan.End end = end(failed(Failure.of(cause, "so", 1)));
    boolean says = cause == FailureCause.USER_ERROR || cause == FailureCause.GPU_FAULT;
    assertThat(end.isolates()).isEqualTo(says);
    assertThat(end.outcome().judges()).isEqualTo(says);
  }

  /** Fails when a node is isolated twice for one fault. */
  @Test
  void faultWithAnIncidentOpensNoOther() {
    Failure explained =
        new Failure(
            FailureCause.GPU_FAULT,
            "XID 79",
            1,
            null,
            null,
            null,
            null,
            List.of("INCIDENT inc_1"),
            null);
    assertThat(end(failed(explained)))
        .isEqualTo(new HealthTestPlan.End(HealthTestOutcome.FAILED, "XID 79", false, false));
  }

  @ParameterizedTest
  @CsvSource({
    "PASSED, P6DT23H, false",
    "PASSED, P7D, true",
    "FAILED, P1D, false",
    "HUNG, PT59M, false",
    "HUNG, PT1H, true",
    "INTERRUPTED, PT1H, true"
  })
  void nodeIsDueByItsLastRun(HealthTestOutcome last, Duration ago, boolean due) {
    HealthTestRun run = RUN.ended(last, "", AT);
    assertThat(HealthTestPlan.due(WEEKLY, run, AT.plus(ago))).isEqualTo(due);
    assertThat(HealthTestPlan.due(test(null), run, AT.plus(ago))).isFalse();
  }

  @Test
  void runningOrMissingTestDecidesWhetherANodeIsDue() {
    assertThat(HealthTestPlan.due(WEEKLY, null, AT)).isTrue();
    assertThat(HealthTestPlan.due(WEEKLY, RUN, AT.plusSeconds(999_999))).isFalse();
  }

  /** Fails when runs from before a change count, or interrupted runs. */
  @Test
  void testIsSuspectIfNoneOfItsLastRunsPassed() {
    HealthTestRun hung = RUN.ended(HealthTestOutcome.HUNG, "", AT);
    HealthTestRun failed = RUN.ended(HealthTestOutcome.FAILED, "", AT);
    HealthTestRun passed = RUN.ended(HealthTestOutcome.PASSED, "", AT);
    HealthTestRun gone = RUN.ended(HealthTestOutcome.INTERRUPTED, "", AT);
    assertThat(doubt(hung, gone, failed, hung, passed)).contains("passed on no node");
    assertThat(doubt(hung, failed)).isEmpty();
    assertThat(doubt(hung, passed, failed, hung)).isEmpty();
    assertThat(
            HealthTestPlan.doubt(
                new HealthTest(
                    "dcgm",
                    WEEKLY.tenant(),
                    "fleet",
                    WEEKLY.job(),
                    WEEKLY.every(),
                    Duration.ZERO,
                    1,
                    RepairStep.SERVICE,
                    "olga",
                    AT.plusSeconds(1)),
                List.of(hung, hung, hung)))
        .isEmpty();
  }

  private static String doubt(HealthTestRun... newest) {
    return HealthTestPlan.doubt(WEEKLY, Stream.of(newest).toList());
  }
}
