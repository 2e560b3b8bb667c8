package dev.fairlead.work.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.judgement.ObservedMember;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Contract of every {@link ClusterGateway}: the simulated one, and a real one whose nodes obey the
 * annotations under {@code sim.fairlead.dev/}. Needs a cluster of two ready nodes with two free
 * GPUs each.
 */
public abstract class ClusterGatewayContract extends ClusterViewContract {

  @Test
  void launchedMemberRunsOnItsPlannedNodeAndSucceeds() {
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

  /** Fails when a cluster does not accept a job with code. */
  @Test
  protected void aMemberWithCodeRuns() {
    Specs coded = job().workdir("sha256:" + "c0de".repeat(16));
    LaunchOrder order = launch(LaunchOrders.answering(order(coded), "fla_0"));
    eventuallyIs(order, MemberState.RUNNING);
  }

  @Test
  protected void runningMemberShowsItsAllocatedDevices() {
    LaunchOrder order = launch(job());
    eventuallyIs(order, MemberState.RUNNING);
    List<HeldDevice> devices = allocate(order, key(order, 0));
    assertThat(devices).hasSize(1);
    eventually("its devices are shown", () -> member(order, 0).devices().equals(devices));
    assertThat(gateway().capabilities().gpuIdentity()).isNotEqualTo(GpuIdentity.UNKNOWN);
  }

  @Test
  protected void everyMemberOfAGangGetsAPod() {
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
  protected void outOfMemoryKillIsDistinguishedFromOtherKills() {
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
  protected void imagePullErrorIsReportedWhileTheMemberWaits() {
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
  protected void memberRejectedByItsNodeNeverStarted() {
    LaunchOrder order = launch(job().annotation("sim.fairlead.dev/outcome", "reject"));
    eventuallyIs(order, MemberState.FAILED);
    assertThat(member(order, 0).reason()).isEqualTo("UnexpectedAdmissionError");
    assertThat(member(order, 0).started()).isFalse();
    assertThat(member(order, 0).exitCode()).isNull();
  }

  @Test
  protected void stoppedMemberStaysVisibleWithItsResultUntilItsRetirement() {
    LaunchOrder order = launch(job().annotation("sim.fairlead.dev/stop-exit-code", "3"));
    eventuallyIs(order, MemberState.RUNNING);
    String uid = member(order, 0).uid();
    assertThat(applied(stop(order, GRACE))).isEqualTo(done());
    eventuallyIs(order, MemberState.FAILED);
    advance(Duration.ofSeconds(2));
    // Without the tracking finalizer the pod would already be gone, and its result with it.
    assertThat(member(order, 0).uid()).isEqualTo(uid);
    assertThat(member(order, 0).exitCode()).isEqualTo(3);
    assertThat(member(order, 0).deleting()).isTrue();
  }

  @Test
  protected void memberThatIgnoresTheStopIsKilledAfterItsGracePeriod() {
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
  protected void memberAskedToCheckpointReadsItsDeadlineAndKeepsRunning() {
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
  protected void memberAskedWhileStartingReadsTheRequestOnceItRuns() {
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
  protected void endedMemberGetsNoCheckpointRequest() {
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
  void stopOfUncreatedMembersReportsThemAbsent() {
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
  protected void removedMemberEndsAloneAndTheOthersKeepRunning() {
    LaunchOrder order = launch(job().workers(2));
    eventuallyIs(order, MemberState.RUNNING);

    assertThat(applied(remove(order, 1, GRACE))).isEqualTo(done());

    eventually("it has ended", () -> member(order, 1).state() == MemberState.FAILED);
    assertThat(member(order, 0).state()).isEqualTo(MemberState.RUNNING);
    assertThat(member(order, 0).deleting()).isFalse();
  }

  /** Fails when a gateway forgets which members of an attempt were ordered to leave. */
  @Test
  protected void launchAfterAMemberRemovalCreatesOnlyTheOthers() {
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
  void repeatedLaunchCreatesOnePodPerMember() {
    LaunchOrder order = launch(job().workers(2));
    eventuallyIs(order, MemberState.RUNNING);
    SortedSet<String> before = uids(order);
    assertThat(applied(launchAction(order))).isEqualTo(done());
    advance(Duration.ofSeconds(2));
    assertThat(uids(order)).isEqualTo(before);
  }

  @Test
  void replacedSupervisorCreatesNothing() {
    launch(job());
    LaunchOrder late = LaunchOrders.under(epoch() - 1, order(job()));
    assertThat(applied(launchAction(late))).isInstanceOf(ActionOutcome.Deposed.class);
    advance(Duration.ofSeconds(2));
    assertThat(seen(late).empty()).isTrue();
  }

  @Test
  void olderEpochIsRejectedWithTheActiveOne() {
    assertThat(gateway().claim(epoch() - 1, WATERMARK)).isEqualTo(new EpochClaim.Higher(epoch()));
    assertThat(gateway().claim(epoch(), WATERMARK)).isEqualTo(EpochClaim.OURS);
  }

  /** Fails when an older state of the database takes over the cluster with a new epoch. */
  @Test
  void staleDatabaseChangesNothingWhateverItsEpoch() {
    assertThat(gateway().claim(epoch() + 1, WATERMARK - 1))
        .isEqualTo(new EpochClaim.Ahead(WATERMARK));
    assertThat(gateway().claim(epoch(), WATERMARK)).isEqualTo(EpochClaim.OURS);
  }

  @Test
  void retirementDeletesAllObjects() {
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

  /**
   * Fails when a launch passes no secret, a second launch changes it, or it remains after the end.
   */
  @Test
  void membersGetTheSecretsOfTheFirstLaunchAndNoneRemains() {
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
  protected void lateMemberGetsTheSecretsOfTheFirstLaunch() {
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
  void launchWithMissingReferencesIsRejected() {
    LaunchOrder order = order(job().workers(2).secretEnv("HF_TOKEN", "hub", "token"));
    removedAtTheEnd(order);
    assertThat(applied(launchAction(order)))
        .isInstanceOfSatisfying(
            ActionOutcome.Refused.class,
            refused -> assertThat(refused.message()).contains("secret \"hub\""));
    assertThat(seen(order).members()).isEmpty();
  }

  /** Fails when the Secret of a single member has no owner object. */
  @Test
  void singleMemberGetsItsSecretToo() {
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
  protected void foreignPodWithOurNameIsUntouched() {
    LaunchOrder order = order(job());
    String name = ObjectNames.pod(order.attempt().id(), key(order, 0));
    occupy(order, name);
    assertThat(applied(launchAction(order))).isInstanceOf(ActionOutcome.Refused.class);
    // Our member was never created, and its end must be judged accordingly.
    assertThat(applied(stop(order, GRACE))).isEqualTo(new ActionOutcome.Done(keys(order)));
    applied(retire(order));
    advance(Duration.ofSeconds(2));
    assertThat(occupied(order, name)).isTrue();
  }

  @Test
  protected void theOutputOfAMemberCanBeRead() throws IOException {
    LaunchOrder order = launch(job());
    eventuallyIs(order, MemberState.RUNNING);
    try (InputStream logs = gateway().logs(log(order, 0))) {
      assertThat(new String(logs.readAllBytes(), StandardCharsets.UTF_8)).endsWith("\n");
    }
    LaunchOrder absent = order(job());
    assertThatThrownBy(() -> gateway().logs(log(absent, 0)).close())
        .isInstanceOf(IOException.class);
  }
}
