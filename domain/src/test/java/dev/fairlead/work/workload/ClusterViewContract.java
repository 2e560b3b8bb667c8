package dev.fairlead.work.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.GpuComponent;
import dev.fairlead.fleet.cluster.IsolationFeature;
import dev.fairlead.fleet.node.NodeCondition;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Nodes, changes and features of a cluster that a gateway shows and sets. */
public abstract class ClusterViewContract extends GatewayScene {

  @Test
  void sumOfChangesEqualsTheFullView() {
    Tally tally = new Tally();
    LaunchOrder ends = launch(job().annotation("sim.fairlead.dev/run-for", "1s"));
    tally.takeChanges();
    LaunchOrder stopped = launch(job().workers(2));
    eventuallyIs(ends, MemberState.SUCCEEDED);
    tally.takeChanges();
    applied(retire(ends));
    applied(stop(stopped, GRACE));
    eventuallyIs(stopped, MemberState.FAILED);
    eventually(
        "both views are equal",
        () -> {
          tally.takeChanges();
          return tally.workloads.equals(everything());
        });
    assertThat(tally.workloads).containsKey(stopped.attempt().id());
  }

  @Test
  void unknownRevisionReturnsTheFullView() {
    LaunchOrder order = launch(job());
    eventuallyIs(order, MemberState.RUNNING);
    WorkloadView view = gateway().workloadsSince(Long.MAX_VALUE - 1);
    assertThat(view.complete()).isTrue();
    assertThat(view.workloads()).containsKey(order.attempt().id());
  }

  @Test
  void silentNodeIsNotReadyUntilItReturns() {
    String node = nodes().getFirst().name();
    long revision = gateway().inventory().revision();
    loseNode(node);
    try {
      eventually("the node is not ready", () -> !node(node).ready());
      assertThat(gateway().inventory().revision()).isNotEqualTo(revision);
      assertThat(node(node).machineGone()).isFalse();
    } finally {
      returnNode(node);
    }
    eventually("the node is ready", () -> node(node).ready());
  }

  /**
   * Fails when a condition without a meaning counts, or the last status of a condition does not.
   */
  @Test
  protected void faultConditionIsShownWithItsTimeUntilItClears() {
    String node = nodes().getFirst().name();
    Instant since = Instant.parse("2026-03-01T12:00:00Z");
    NodeCondition bad = new NodeCondition("GPUMissing", "True", "GPUsAreMissing", since);
    show(node, new NodeCondition("SomethingElse", "True", "Sick", since));
    show(node, bad);
    eventually("the fault is shown", () -> node(node).faults().equals(List.of(bad)));
    assertThat(node(node).leaving()).isFalse();
    assertThat(gateway().nodeNow(node).orElseThrow().faults()).containsExactly(bad);

    show(node, new NodeCondition("GPUMissing", "False", "AllThere", since.plusSeconds(60)));
    eventually("it is over", () -> node(node).faults().isEmpty());
  }

  /** Fails when only one of the two kinds of notices counts. */
  @Test
  protected void machineWithATerminationNoticeIsLeaving() {
    String node = nodes().getFirst().name();
    Instant since = Instant.parse("2026-03-01T12:00:00Z");
    show(node, new NodeCondition("VMEventScheduled", "True", "Terminate", since));
    eventually("by a condition", () -> node(node).leaving());
    assertThat(node(node).faults()).isEmpty();
    show(node, new NodeCondition("VMEventScheduled", "False", "None", since.plusSeconds(60)));
    eventually("no more", () -> !node(node).leaving());

    taint(node, new Taint("karpenter.sh/disrupted", "", "NoSchedule"));
    eventually("by a taint", () -> node(node).leaving());
    taint(node, null);
    eventually("no more", () -> !node(node).leaving());
  }

  @Test
  void currentNodeStateIsReported() {
    NodeReport shown = nodes().getFirst();
    NodeReport told = gateway().nodeNow(shown.name()).orElseThrow();
    assertThat(told.name()).isEqualTo(shown.name());
    assertThat(told.bootId()).isEqualTo(shown.bootId());
    assertThat(told.machineGone()).isFalse();
    assertThat(gateway().nodeNow("no-such-node")).isEmpty();
    loseNode(shown.name());
    try {
      eventually(
          "its silence is told", () -> !gateway().nodeNow(shown.name()).orElseThrow().ready());
    } finally {
      returnNode(shown.name());
    }
    eventually("the node is ready", () -> node(shown.name()).ready());
  }

  @Test
  protected void gangIsProtectedFromEvictionUntilItsBudgetIsRemoved() {
    LaunchOrder order = launch(job().workers(2));
    eventuallyIs(order, MemberState.RUNNING);
    assertThat(evict(order, key(order, 0))).isFalse();

    assertThat(applied(budget(order, 0))).isEqualTo(done());
    eventually("it may be evicted", () -> evict(order, key(order, 0)));
    eventually("it has ended", () -> member(order, 0).state() == MemberState.FAILED);
    assertThat(member(order, 0).reason()).isEqualTo("Evicted");
    assertThat(member(order, 1).state()).isEqualTo(MemberState.RUNNING);
  }

  @Test
  protected void restoredBudgetProtectsAgain() {
    LaunchOrder order = launch(job().workers(2));
    eventuallyIs(order, MemberState.RUNNING);
    assertThat(applied(budget(order, 0))).isEqualTo(done());
    assertThat(applied(budget(order, 2))).isEqualTo(done());

    assertThat(evict(order, key(order, 0))).isFalse();
    assertThat(applied(budget(order(job()), 1))).as("without a budget").isEqualTo(done());
  }

  @Test
  void nodeIsCordonedAndUncordoned() {
    String node = nodes().getFirst().name();
    if (!labelsNodes()) {
      assertThat(gateway().keepOut(node, true)).isInstanceOf(ActionOutcome.Refused.class);
      assertThat(gateway().keepOut(node, false)).isInstanceOf(ActionOutcome.Refused.class);
      return;
    }
    assertThat(gateway().keepOut(node, true)).isEqualTo(done());
    eventually("it is cordoned", () -> node(node).cordoned());
    assertThat(node(node).ourCordon()).isTrue();
    assertThat(gateway().keepOut(node, true)).as("again").isEqualTo(done());

    assertThat(gateway().keepOut(node, false)).isEqualTo(done());
    eventually("it is open", () -> !node(node).cordoned());
    assertThat(gateway().keepOut("no-such-node", true)).isEqualTo(done());
  }

  /** Fails when a mark is missing, remains, or counts as a label or taint of the cluster. */
  @Test
  protected void nodeShowsItsPoolAndItsQuarantine() {
    String node = nodes().getFirst().name();
    NodeLabelsAndTaints both = new NodeLabelsAndTaints("day", "XID-79");
    if (!labelsNodes()) {
      assertThat(gateway().setLabelsAndTaints(node, both))
          .isInstanceOfSatisfying(
              ActionOutcome.Refused.class,
              refused -> assertThat(refused.why()).isEqualTo(ActionOutcome.Why.UNSUPPORTED));
      assertThat(gateway().setLabelsAndTaints(node, NodeLabelsAndTaints.NONE))
          .as("nothing to do")
          .isEqualTo(done());
      return;
    }
    NodeReport before = node(node);
    assertThat(gateway().setLabelsAndTaints(node, both)).isEqualTo(done());
    eventually("both are shown", () -> node(node).labelsAndTaints().equals(both));
    assertThat(node(node).labels()).isEqualTo(before.labels());
    assertThat(node(node).taints()).isEqualTo(before.taints());
    assertThat(gateway().setLabelsAndTaints(node, new NodeLabelsAndTaints("night", null)))
        .isEqualTo(done());
    eventually(
        "the other pool",
        () -> node(node).labelsAndTaints().equals(new NodeLabelsAndTaints("night", null)));
    assertThat(gateway().setLabelsAndTaints(node, NodeLabelsAndTaints.NONE)).isEqualTo(done());
    eventually("nothing is left", () -> node(node).equals(before));
    assertThat(gateway().setLabelsAndTaints("no-such-node", both)).isEqualTo(done());
  }

  /** Fails when the task of a janitor is not on the node, or its own annotations are lost. */
  @Test
  protected void nodeIsAnnotatedWithItsRepair() {
    String node = nodes().getFirst().name();
    SortedMap<String, @Nullable String> asked = new TreeMap<>();
    asked.put(RepairNotes.PREFIX + "cause", "XID 79 (\"off\" the bus)");
    NodeNotes first = gateway().note(node, asked);
    if (!labelsNodes()) {
      assertThat(first)
          .isInstanceOfSatisfying(
              NodeNotes.Not.class, not -> assertThat(not.why()).contains("patch"));
      return;
    }
    assertThat(first).isEqualTo(new NodeNotes.Shown(new TreeMap<>(asked)));
    SortedMap<String, @Nullable String> answer = new TreeMap<>();
    answer.put(RepairNotes.ANSWER, "n1 DONE");
    gateway().note(node, answer);
    assertThat(gateway().note(node, asked))
        .isInstanceOfSatisfying(
            NodeNotes.Shown.class,
            shown -> assertThat(shown.notes()).hasSize(2).containsAllEntriesOf(answer));
    assertThat(gateway().note(node, RepairNotes.none()))
        .isEqualTo(new NodeNotes.Shown(new TreeMap<>()));
    assertThat(gateway().note("no-such-node", asked)).isInstanceOf(NodeNotes.Not.class);
  }

  @Test
  void foreignCordonStays() {
    String node = nodes().getFirst().name();
    cordon(node, true);
    try {
      eventually("it is cordoned", () -> node(node).cordoned());
      gateway().keepOut(node, true);
      gateway().keepOut(node, false);
      advance(Duration.ofSeconds(1));
      assertThat(node(node).cordoned()).isTrue();
      assertThat(node(node).ourCordon()).isFalse();
    } finally {
      cordon(node, false);
    }
    eventually("it is open", () -> !node(node).cordoned());
  }

  /** Fails when an isolation feature is missing, or one without a refused probe is ENFORCED. */
  @Test
  protected void everyIsolationLayerIsReportedAndOnlyARefusedProbeProvesIt() {
    eventually("each was looked at", () -> isolation().values().stream().noneMatch(this::notTried));
    assertThat(isolation().keySet()).containsExactlyElementsOf(IsolationFeature.NAMES);
    assertThat(isolation().get(IsolationFeature.FENCE).state())
        .isEqualTo(IsolationFeature.State.ENFORCED);
    // no pod was sent anything
    assertThat(isolation().get(IsolationFeature.NETWORK).state())
        .isEqualTo(IsolationFeature.State.UNKNOWN);
    assertThat(isolation().values())
        .allSatisfy(feature ->
            assertThat(feature.reason() == null)
                .as(feature.name())
                .isEqualTo(feature.state() == IsolationFeature.State.ENFORCED));
  }

  /** Fails when a part is missing, or absent or unknown without a reason. */
  @Test
  protected void everyPartOfTheGpuStackIsReportedIncludingUnknowns() {
    eventually("it was looked at", () -> !gateway().capabilities().gpuStack().isEmpty());
    List<GpuComponent> stack = gateway().capabilities().gpuStack();

    assertThat(stack).extracting(GpuComponent::part).containsExactly(GpuComponent.Part.values());
    assertThat(stack)
        .allSatisfy(component -> {
          boolean present = component.state() == GpuComponent.State.PRESENT;
          assertThat(present || component.reason() != null).as(component.toString()).isTrue();
          assertThat(present || component.versions().isEmpty()).as("no version").isTrue();
        });
  }

  private SortedMap<String, IsolationFeature> isolation() {
    SortedMap<String, IsolationFeature> isolation = new TreeMap<>();
    gateway().capabilities().isolation().forEach(feature -> isolation.put(feature.name(), feature));
    return isolation;
  }

  private boolean notTried(IsolationFeature feature) {
    String reason = feature.reason();
    return reason != null && (reason.contains("not tried yet") || reason.contains("not checked"));
  }

  @Test
  void changesNotifyTheListener() {
    AtomicBoolean told = new AtomicBoolean();
    gateway().onChange(() -> told.set(true));
    launch(job());
    eventually("the listener ran", told::get);
  }

  /** Knowledge of a reader that queries only changes. */
  private final class Tally {
    final SortedMap<AttemptId, ObservedWorkload> workloads = new TreeMap<>();
    long revision;

    void takeChanges() {
      WorkloadView view = gateway().workloadsSince(revision);
      if (view.complete()) {
        workloads.clear();
      }
      view.workloads().forEach(workloads::put);
      workloads.values().removeIf(ObservedWorkload::empty);
      revision = view.revision();
    }
  }
}
