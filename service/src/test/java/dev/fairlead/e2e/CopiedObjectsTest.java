package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.InventoryView;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * A cluster shows objects of an attempt that runs on another one: a backup was restored into it, or
 * its reports are false.
 */
class CopiedObjectsTest {
  private static final FleetPool TWO_NODES = new FleetPool(2, 8, "H100", 1, 1);
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final SimulatedCluster eu = fairlead.register("eu-1", TWO_NODES);
  private final List<Object> applied = new ArrayList<>();
  private boolean failed;

  /** Shows the same as eu-1, with nodes of the same names that have rebooted. */
  private ClusterGateway copying(ClusterGateway real) {
    return Between.on(
        real,
        (method, arguments, call) ->
            switch (method.getName()) {
              case "workloadsSince" -> copies();
              case "inventory" -> booted((InventoryView) call.now());
              case "nodeNow" -> Optional.of(booted((String) arguments[0]));
              case "apply" -> {
                applied.add(arguments[0]);
                yield call.now();
              }
              default -> call.now();
            });
  }

  private WorkloadView copies() {
    WorkloadView view = eu.workloadsSince(0);
    SortedMap<AttemptId, ObservedWorkload> shown = new TreeMap<>();
    view.workloads().forEach((id, workload) -> shown.put(id, failed ? failed(workload) : workload));
    return new WorkloadView(view.revision(), true, shown);
  }

  private static ObservedWorkload failed(ObservedWorkload workload) {
    TreeMap<MemberKey, ObservedMember> members = new TreeMap<>();
    workload
        .members()
        .forEach((key, pod) ->
            members.put(
                key,
                ObservedMember.of(key, pod.uid(), MemberState.FAILED, pod.node())
                    .with()
                    .started(true)
                    .exitCode(1)
                    .reason("Error")
                    .startedAt(pod.startedAt())
                    .endedAt(pod.startedAt())
                    .build()));
    return new ObservedWorkload(workload.attempt(), members, false);
  }

  private InventoryView booted(InventoryView own) {
    List<NodeReport> nodes = new ArrayList<>(own.nodes());
    eu.inventory().nodes().forEach(node -> nodes.add(booted(node.name())));
    return new InventoryView(own.revision(), nodes);
  }

  private static NodeReport booted(String name) {
    return NodeReports.node(name).bootId("another").build();
  }

  private Attempt running() {
    Job job =
        fairlead.submit(Specs.job("train").gpus(1).annotation("sim.fairlead.dev/run-for", "2h"));
    fairlead.until(job, JobState.RUNNING);
    fairlead.reachThrough(this::copying);
    return fairlead.attempts(job).getFirst();
  }

  private void assertRuns(Attempt attempt) {
    assertThat(fairlead.stores().jobs().attempts(List.of(attempt.id())))
        .singleElement()
        .satisfies(now -> {
          assertThat(now.state()).isEqualTo(AttemptState.RUNNING);
          assertThat(now.retiredAt()).isNull();
          assertThat(now.members()).noneMatch(member -> member.dead());
        });
    assertThat(eu.processes()).hasSize(1);
  }

  /** Fails when a supervisor judges an attempt of another cluster by its own nodes. */
  @Test
  void nodeOfTheSameNameOnAnotherClusterEndsNothing() {
    Attempt attempt = running();
    fairlead.register("eu-2", TWO_NODES);
    fairlead.pass(Duration.ofMinutes(6));

    assertRuns(attempt);
  }

  /** Fails when the end of a copied pod counts, or the copies are deleted like pods of Fairlead. */
  @Test
  void endOfACopiedPodEndsNothingAndTheCopiesAreUntouched() {
    Attempt attempt = running();
    failed = true;
    fairlead.register("eu-2", TWO_NODES);
    fairlead.pass(Duration.ofMinutes(6));

    assertRuns(attempt);
    assertThat(applied).noneMatch(WorkloadAction.Retire.class::isInstance);
    assertThat(fairlead.metrics().get(Metric.DIVERGENCES.meter()).gauges())
        .as("it is told")
        .anyMatch(gauge -> gauge.value() == 1);
  }
}
