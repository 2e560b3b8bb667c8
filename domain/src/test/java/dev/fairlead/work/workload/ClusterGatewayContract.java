package dev.fairlead.work.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.GpuComponent;
import dev.fairlead.fleet.cluster.IsolationFeature;
import dev.fairlead.fleet.node.NodeCondition;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Contract of every {@link ClusterGateway}: the simulated one, and a real one whose nodes obey the
 * annotations under {@code sim.fairlead.dev/}. Needs a cluster of two ready nodes with two free
 * GPUs each.
 */
public abstract class ClusterGatewayContract extends GatewayScene {
  @Test
  void aLaunchedMemberRunsWhereItWasPlannedAndSucceeds() {
    LaunchOrder order = launch(job().annotation("sim.fairlead.dev/run-for", "10s"));
    eventuallyIs(order, MemberState.RUNNING);
    ObservedMember running = member(order, 0);
    assertThat(running.node()).isEqualTo(order.attempt().members().getFirst().nodeName());
    assertThat(running.started()).isTrue();
    assertThat(running.startedAt()).isNotNull();
    eventuallyIs(order, MemberState.SUCCEEDED);
    ObservedMember ended = member(order, 0);
    assertThat(ended.uid()).isEqualTo(running.uid());
    assertThat(ended.exitCode()).isZero();
    assertThat(ended.endedAt()).isNotNull();
  }

  /** Fails when a cluster does not take a job with code. */
  @Test
  void aMemberWithCodeRuns() {
    Specs coded = job().workdir("sha256:" + "c0de".repeat(16));
    LaunchOrder order = launch(LaunchOrders.answering(order(coded), "fla_0"));
    eventuallyIs(order, MemberState.RUNNING);
  }

  @Test
  void aRunningMemberShowsTheDevicesThatItsNodeGaveIt() {
    LaunchOrder order = launch(job());
    eventuallyIs(order, MemberState.RUNNING);
    List<HeldDevice> devices = allocate(order, key(order, 0));
    assertThat(devices).hasSize(1);
    eventually("its devices are shown", () -> member(order, 0).devices().equals(devices));
    assertThat(gateway().capabilities().gpuIdentity()).isNotEqualTo(GpuIdentity.UNKNOWN);
  }

  @Test
  void everyMemberOfAGangGetsItsOwnPod() {
    LaunchOrder order = launch(job().workers(2));
    eventuallyIs(order, MemberState.RUNNING);
    assertThat(seen(order).others()).isTrue();
    assertThat(uids(order)).hasSize(2);
    assertThat(IntStream.range(0, 2).mapToObj(i -> member(order, i).node()).toList())
        .isEqualTo(order.attempt().members().stream().map(Member::nodeName).toList());
  }

  @Test
  void theExitCodeOfAFailureIsReported() {
    LaunchOrder order =
        launch(
            job()
                .annotation("sim.fairlead.dev/run-for", "1s")
                .annotation("sim.fairlead.dev/outcome", "fail")
                .annotation("sim.fairlead.dev/exit-code", "42"));
    eventuallyIs(order, MemberState.FAILED);
    assertThat(member(order, 0).exitCode()).isEqualTo(42);
  }

  @Test
  void aKillForMemoryIsToldFromAnyOther() {
    LaunchOrder order =
        launch(
            job()
                .annotation("sim.fairlead.dev/run-for", "1s")
                .annotation("sim.fairlead.dev/outcome", "oom"));
    eventuallyIs(order, MemberState.FAILED);
    assertThat(member(order, 0).reason()).isEqualTo("OOMKilled");
    assertThat(member(order, 0).exitCode()).isEqualTo(137);
  }

  @Test
  void anImageThatCannotBePulledIsReportedWhileTheMemberWaits() {
    LaunchOrder order = launch(job().annotation("sim.fairlead.dev/outcome", "image-error"));
    eventually(
        "the pull error is seen",
        () ->
            seen(order).member(key(order, 0)).map(ObservedMember::reason).stream()
                .anyMatch(List.of("ImagePullBackOff", "ErrImagePull")::contains));
    assertThat(member(order, 0).started()).isFalse();
    assertThat(member(order, 0).state()).isIn(MemberState.PENDING, MemberState.PULLING);
    applied(stop(order, GRACE));
    eventuallyIs(order, MemberState.FAILED);
    assertThat(member(order, 0).started()).isFalse();
  }

  @Test
  void aMemberThatItsNodeRefusesNeverStarted() {
    LaunchOrder order = launch(job().annotation("sim.fairlead.dev/outcome", "reject"));
    eventuallyIs(order, MemberState.FAILED);
    assertThat(member(order, 0).reason()).isEqualTo("UnexpectedAdmissionError");
    assertThat(member(order, 0).started()).isFalse();
    assertThat(member(order, 0).exitCode()).isNull();
  }

  @Test
  void aStoppedMemberStaysVisibleWithItsResultUntilItIsRetired() {
    LaunchOrder order = launch(job().annotation("sim.fairlead.dev/stop-exit-code", "3"));
    eventuallyIs(order, MemberState.RUNNING);
    String uid = member(order, 0).uid();
    assertThat(applied(stop(order, GRACE))).isEqualTo(done());
    eventuallyIs(order, MemberState.FAILED);
    advance(Duration.ofSeconds(2));
    // Without the tracking finalizer the pod is gone by now, and its result with it.
    assertThat(member(order, 0).uid()).isEqualTo(uid);
    assertThat(member(order, 0).exitCode()).isEqualTo(3);
    assertThat(member(order, 0).deleting()).isTrue();
  }

  @Test
  void aMemberThatTakesTooLongToStopIsKilledAfterItsGracePeriod() {
    LaunchOrder order = launch(job().annotation("sim.fairlead.dev/stop-after", "50s"));
    eventuallyIs(order, MemberState.RUNNING);
    applied(stop(order, Duration.ofSeconds(12)));
    eventually("it is being deleted", () -> member(order, 0).deleting());
    assertThat(member(order, 0).state()).isEqualTo(MemberState.RUNNING);
    eventuallyIs(order, MemberState.FAILED);
    assertThat(member(order, 0).exitCode()).isEqualTo(137);
  }

  /** Fails when a member is deleted at the request, or cannot read it. */
  @Test
  void aMemberThatIsAskedToSaveReadsUntilWhenAndRunsOn() {
    Instant until = Instant.parse("2030-01-01T00:02:00Z");
    LaunchOrder order = launch(job().workers(2).checkpointTimeout(Duration.ofMinutes(2)));
    eventuallyIs(order, MemberState.RUNNING);
    assertThat(checkpointFile(order, key(order, 1))).isEmpty();
    assertThat(seen(order).members().values()).noneMatch(ObservedMember::asked);
    for (Instant told : List.of(until, until, until.plusSeconds(60))) {
      assertThat(applied(ask(order, told))).isEqualTo(done());
      for (MemberKey member : keys(order)) {
        assertThat(checkpointFile(order, member)).isEqualTo(told.toString());
      }
    }
    assertThat(seen(order).members().values())
        .allMatch(m -> m.state() == MemberState.RUNNING && !m.deleting());
    eventually(
        "the request is seen",
        () -> seen(order).members().values().stream().allMatch(ObservedMember::asked));
    assertThat(applied(ask(order(job()), until))).as("of nothing").isEqualTo(done());
  }

  /** Fails when a member that still pulls is skipped: it would continue without the request. */
  @Test
  void aMemberThatIsAskedWhileItStartsReadsItAsSoonAsItRuns() {
    Instant until = Instant.parse("2030-01-01T00:02:00Z");
    LaunchOrder order =
        launch(
            job()
                .checkpointTimeout(Duration.ofMinutes(2))
                .annotation("sim.fairlead.dev/start-after", "1h"));
    eventually("it is shown", () -> !seen(order).members().isEmpty());
    assertThat(member(order, 0).started()).isFalse();
    assertThat(applied(ask(order, until))).isEqualTo(done());
    assertThat(checkpointFile(order, key(order, 0))).isEqualTo(until.toString());
  }

  /** Fails when the end of a member without a request counts as its response. */
  @Test
  void aMemberThatHasEndedIsNotAskedAnyMore() {
    LaunchOrder order =
        launch(
            job()
                .checkpointTimeout(Duration.ofMinutes(2))
                .annotation("sim.fairlead.dev/run-for", "1s"));
    eventuallyIs(order, MemberState.SUCCEEDED);
    assertThat(applied(ask(order, Instant.parse("2030-01-01T00:02:00Z")))).isEqualTo(done());
    assertThat(checkpointFile(order, key(order, 0))).isEmpty();
  }

  @Test
  void stoppingWhatWasNeverCreatedReportsEveryMemberAbsent() {
    LaunchOrder order = order(job().workers(2));
    assertThat(applied(stop(order, GRACE))).isEqualTo(new ActionOutcome.Done(keys(order)));
    assertThat(seen(order).empty()).isTrue();
  }

  @Test
  void aLaunchAfterAStopCreatesNothing() {
    LaunchOrder order = order(job().workers(2));
    applied(stop(order, GRACE));
    // A late create must not create a member that was reported as absent.
    applied(launchAction(order));
    advance(Duration.ofSeconds(2));
    assertThat(seen(order).members()).isEmpty();
  }

  /** Fails when the order to end one member ends the attempt. */
  @Test
  void aRemovedMemberEndsAloneAndTheOthersRunOn() {
    LaunchOrder order = launch(job().workers(2));
    eventuallyIs(order, MemberState.RUNNING);

    assertThat(applied(remove(order, 1, GRACE))).isEqualTo(done());

    eventually("it has ended", () -> member(order, 1).state() == MemberState.FAILED);
    assertThat(member(order, 0).state()).isEqualTo(MemberState.RUNNING);
    assertThat(member(order, 0).deleting()).isFalse();
  }

  /** Fails when a gateway forgets which members of an attempt were ordered to leave. */
  @Test
  void aLaunchAfterTheRemovalOfAMemberCreatesTheOthersAlone() {
    LaunchOrder order = order(job().workers(2));
    removedAtTheEnd(order);
    assertThat(applied(remove(order, 1, GRACE)))
        .isEqualTo(new ActionOutcome.Done(new TreeSet<>(List.of(key(order, 1)))));

    applied(launchAction(order));

    eventually("the other runs", () -> seen(order).members().containsKey(key(order, 0)));
    advance(Duration.ofSeconds(2));
    assertThat(seen(order).members()).containsOnlyKeys(key(order, 0));
  }

  @Test
  void aLaunchAfterRetirementCreatesNothing() {
    LaunchOrder order = launch(job());
    eventuallyIs(order, MemberState.RUNNING);
    applied(stop(order, GRACE));
    eventuallyIs(order, MemberState.FAILED);
    applied(retire(order));
    eventually("nothing is left", () -> seen(order).empty());
    applied(launchAction(order));
    advance(Duration.ofSeconds(2));
    assertThat(seen(order).members()).isEmpty();
  }

  @Test
  void launchedTwiceThereIsOnePodForEachMember() {
    LaunchOrder order = launch(job().workers(2));
    eventuallyIs(order, MemberState.RUNNING);
    SortedSet<String> before = uids(order);
    assertThat(applied(launchAction(order))).isEqualTo(done());
    advance(Duration.ofSeconds(2));
    assertThat(uids(order)).isEqualTo(before);
  }

  @Test
  void aSupervisorThatWasReplacedCreatesNothing() {
    launch(job());
    LaunchOrder late = LaunchOrders.under(epoch() - 1, order(job()));
    assertThat(applied(launchAction(late))).isInstanceOf(ActionOutcome.Deposed.class);
    advance(Duration.ofSeconds(2));
    assertThat(seen(late).empty()).isTrue();
  }

  @Test
  void anOlderEpochIsAnsweredWithTheOneThatActs() {
    assertThat(gateway().claim(epoch() - 1, WATERMARK)).isEqualTo(new EpochClaim.Higher(epoch()));
    assertThat(gateway().claim(epoch(), WATERMARK)).isEqualTo(EpochClaim.OURS);
  }

  /** Fails when an older state of the database takes over the cluster with a new epoch. */
  @Test
  void aDatabaseThatHasNotComeSoFarChangesNothingThereWhateverItsEpoch() {
    assertThat(gateway().claim(epoch() + 1, WATERMARK - 1))
        .isEqualTo(new EpochClaim.Ahead(WATERMARK));
    assertThat(gateway().claim(epoch(), WATERMARK)).isEqualTo(EpochClaim.OURS);
  }

  @Test
  void retirementLeavesNothing() {
    LaunchOrder order = launch(job().workers(2).annotation("sim.fairlead.dev/run-for", "1s"));
    eventuallyIs(order, MemberState.SUCCEEDED);
    long before = gateway().workloadsSince(0).revision();
    assertThat(applied(retire(order))).isEqualTo(done());
    eventually("nothing is left", () -> seen(order).empty());
    WorkloadView view = gateway().workloadsSince(before);
    assertThat(view.complete() || view.workloads().containsKey(order.attempt().id()))
        .as("an attempt with nothing left is told of")
        .isTrue();
  }

  /** Fails when a launch passes no secret, a second one changes it, or an end leaves it. */
  @Test
  void membersGetTheSecretsOfTheFirstLaunchAndNothingIsLeftOfThem() {
    LaunchOrder plain = order(job().workers(2).secretEnv("HF_TOKEN", "hub", "token"));
    LaunchOrder order = LaunchOrders.keeping(plain, "hub", "token", "s3cr3t");
    removedAtTheEnd(order);
    assertThat(applied(launchAction(order))).isEqualTo(done());
    eventuallyIs(order, MemberState.RUNNING);
    assertThat(keys(order))
        .allSatisfy(key -> assertThat(secretVariable(order, key, "HF_TOKEN")).isEqualTo("s3cr3t"));

    LaunchOrder again = LaunchOrders.keeping(plain, "hub", "token", "another");
    assertThat(applied(launchAction(again))).isEqualTo(done());
    assertThat(secretVariable(order, key(order, 0), "HF_TOKEN")).isEqualTo("s3cr3t");

    applied(stop(order, GRACE));
    eventuallyIs(order, MemberState.FAILED);
    assertThat(applied(retire(order))).isEqualTo(done());
    eventually("nothing is left", () -> seen(order).empty());
    assertThat(secretVariable(order, key(order, 0), "HF_TOKEN")).isNull();
  }

  /** Fails when a gang stops halfway because its owner deleted a secret. */
  @Test
  void aMemberThatComesLateGetsTheSecretsOfTheFirstLaunch() {
    LaunchOrder plain = order(job().workers(2).secretEnv("HF_TOKEN", "hub", "token"));
    LaunchOrder order = LaunchOrders.keeping(plain, "hub", "token", "s3cr3t");
    removedAtTheEnd(order);
    LaunchOrder half = LaunchOrders.of(order, order.attempt().members().subList(0, 1));
    assertThat(applied(launchAction(half))).isEqualTo(done());

    assertThat(applied(launchAction(plain))).isEqualTo(done());

    eventuallyIs(order, MemberState.RUNNING);
    assertThat(secretVariable(order, key(order, 1), "HF_TOKEN")).isEqualTo("s3cr3t");
  }

  /** Fails when members are created that wait for a missing Secret. */
  @Test
  void aLaunchWithoutWhatItNamesIsRefused() {
    LaunchOrder order = order(job().workers(2).secretEnv("HF_TOKEN", "hub", "token"));
    removedAtTheEnd(order);
    assertThat(applied(launchAction(order)))
        .isInstanceOfSatisfying(
            ActionOutcome.Refused.class,
            refused -> assertThat(refused.message()).contains("no secret \"hub\""));
    assertThat(seen(order).members()).isEmpty();
  }

  /** Fails when the Secret of a single member has no owner object. */
  @Test
  void aMemberAloneGetsItsSecretToo() {
    LaunchOrder order =
        LaunchOrders.keeping(
            order(job().secretEnv("HF_TOKEN", "hub", "token")), "hub", "token", "s3cr3t");
    removedAtTheEnd(order);
    assertThat(applied(launchAction(order))).isEqualTo(done());
    eventuallyIs(order, MemberState.RUNNING);
    assertThat(secretVariable(order, key(order, 0), "HF_TOKEN")).isEqualTo("s3cr3t");
    applied(stop(order, GRACE));
    eventuallyIs(order, MemberState.FAILED);
    applied(retire(order));
    eventually("nothing is left", () -> seen(order).empty());
    assertThat(secretVariable(order, key(order, 0), "HF_TOKEN")).isNull();
  }

  @Test
  void theSumOfWhatChangedEqualsTheCompleteView() {
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
  void aRevisionThatWasNeverGivenIsAnsweredWithEverything() {
    LaunchOrder order = launch(job());
    eventuallyIs(order, MemberState.RUNNING);
    WorkloadView view = gateway().workloadsSince(Long.MAX_VALUE - 1);
    assertThat(view.complete()).isTrue();
    assertThat(view.workloads()).containsKey(order.attempt().id());
  }

  @Test
  void aNodeThatFallsSilentIsNotReadyUntilItReturns() {
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

  /** Fails when a condition without a meaning counts, or its last status does not. */
  @Test
  void aConditionThatIsKnownAsAFaultIsShownWithItsTimeUntilItIsGood() {
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
  void aMachineThatItsProviderTakesAwayIsLeaving() {
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
  void aNodeIsToldAsItIsNow() {
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
  void nobodyEvictsAGangUntilItsBudgetIsLifted() {
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
  void aBudgetThatIsBackProtectsAgain() {
    LaunchOrder order = launch(job().workers(2));
    eventuallyIs(order, MemberState.RUNNING);
    assertThat(applied(budget(order, 0))).isEqualTo(done());
    assertThat(applied(budget(order, 2))).isEqualTo(done());

    assertThat(evict(order, key(order, 0))).isFalse();
    assertThat(applied(budget(order(job()), 1))).as("without a budget").isEqualTo(done());
  }

  @Test
  void aNodeIsKeptOutAndLetInAgain() {
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
  void aNodeShowsItsPoolAndItsQuarantine() {
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
  void aNodeHasTheNotesOfItsRepair() {
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
  void theCordonOfSomebodyElseStays() {
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

  @Test
  void aForeignPodOnOurNameIsLeftAsItIs() {
    LaunchOrder order = order(job());
    String name = ObjectNames.pod(order.attempt().id(), key(order, 0));
    occupy(order, name);
    assertThat(applied(launchAction(order))).isInstanceOf(ActionOutcome.Refused.class);
    // Our member was never created, and its end has to be judged by that.
    assertThat(applied(stop(order, GRACE))).isEqualTo(new ActionOutcome.Done(keys(order)));
    applied(retire(order));
    advance(Duration.ofSeconds(2));
    assertThat(occupied(order, name)).isTrue();
  }

  /** Fails when an isolation feature is missing, or one without a refused probe is ENFORCED. */
  @Test
  void everyWallIsToldAndOnlyWhatRefusedAProbeIsEnforced() {
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
  void everyPartOfTheGpuStackIsToldWithWhatIsNotKnownOfIt() {
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
  void changesAreToldToTheListener() {
    AtomicBoolean told = new AtomicBoolean();
    gateway().onChange(() -> told.set(true));
    launch(job());
    eventually("the listener ran", told::get);
  }

  @Test
  void theOutputOfAMemberCanBeRead() throws IOException {
    LaunchOrder order = launch(job());
    eventuallyIs(order, MemberState.RUNNING);
    try (InputStream logs = gateway().logs(log(order, 0))) {
      assertThat(new String(logs.readAllBytes(), StandardCharsets.UTF_8)).endsWith("\n");
    }
    LaunchOrder absent = order(job());
    assertThatThrownBy(() -> gateway().logs(log(absent, 0)).close())
        .isInstanceOf(IOException.class);
  }

  /** Knowledge of a reader that queries only changes. */
  private final class Tally {
    private final SortedMap<AttemptId, ObservedWorkload> workloads = new TreeMap<>();
    private long revision;

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
