package dev.fairlead.work.workload.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.node.NodeCondition;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.FakeHosts;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.ClusterGatewayContract;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.NodeNotes;
import dev.fairlead.work.workload.RepairNotes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The conformance suite on a real Slurm. A case that Slurm cannot have is replaced by the refusal
 * that users get, or disabled with its reason.
 */
class SlurmContractIT extends ClusterGatewayContract {
  private static final String SIM = "sim.fairlead.dev/";
  private static final Installation INSTALLATION = new Installation(UUID.randomUUID(), 1);

  @TempDir static Path files;

  private static RealSlurm slurm;
  private static SlurmClusterGateway gateway;

  @BeforeAll
  static void start() {
    slurm = RealSlurm.start(3);
    EgressPolicy egress = EgressPolicy.of("test", List.of("127.0.0.0/8"), FakeHosts.LOOKUP);
    SlurmRest rest =
        new SlurmRest(new SlurmHttps(slurm.connection(), egress, Duration.ofSeconds(10)));
    gateway = new SlurmClusterGateway("hall", rest, INSTALLATION, "root").open();
  }

  @AfterAll
  static void end() {
    if (slurm != null) {
      gateway.close();
      slurm.close();
    }
  }

  @Override
  protected ClusterGateway gateway() {
    return gateway;
  }

  @Override
  protected LaunchOrders newOrders() {
    eventually("it is read", () -> gateway.contact().synced());
    return new LaunchOrders(new SeededIds(new Random().nextLong()), INSTALLATION, "contract");
  }

  /** The program follows the annotations for simulated pods. */
  @Override
  protected JobSpec spec(Specs wanted) {
    Map<String, String> simulated = wanted.build().annotations();
    String lasts = simulated.getOrDefault(SIM + "run-for", "600s");
    String ends = simulated.getOrDefault(SIM + "exit-code", "0");
    String stop = simulated.containsKey(SIM + "stop-after") ? "" : "exit 143";
    String text =
        "trap '%s' TERM; printenv >%s/$SLURM_JOB_ID-$FAIRLEAD_INDEX; for i in $(seq %s); do sleep 1 & wait; done; exit %s"
            .formatted(stop, files, lasts.replace("s", ""), ends);
    Specs program = wanted.memoryMiB(100).run(text);
    slurm.environment().forEach(program::env);
    JobSpec spec = program.build();
    return spec.withRoles(
        spec.roles().stream().map(role -> role.withImage(RoleSpec.NO_IMAGE)).toList());
  }

  @Override
  protected void advance(Duration by) {
    LockSupport.parkNanos(by.toNanos());
  }

  @Override
  protected void loseNode(String name) {
    update(name, "down");
  }

  @Override
  protected void returnNode(String name) {
    update(name, "resume");
  }

  @Override
  protected void cordon(String node, boolean cordoned) {
    update(node, cordoned ? "drain" : "resume");
  }

  private static void update(String node, String state) {
    slurm.command("scontrol", "update", "nodename=" + node, "state=" + state, "reason=test");
  }

  @Override
  protected boolean labelsNodes() {
    return false;
  }

  @Override
  protected @Nullable String secretVariable(LaunchOrder order, MemberKey member, String variable) {
    if (seen(order).empty()) {
      return null;
    }
    String job = seen(order).member(member).orElseThrow().uid();
    Path environment = files.resolve(job + "-" + member.index());
    eventually("the program has started", () -> Files.exists(environment));
    try {
      return Files.readAllLines(environment).stream()
          .filter(line -> line.startsWith(variable + "="))
          .map(line -> line.substring(variable.length() + 1))
          .findFirst()
          .orElse(null);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  private void refused(Specs wanted, String reason) {
    assertThat(applied(launchAction(order(wanted))))
        .isInstanceOfSatisfying(
            ActionOutcome.Refused.class, refused -> assertThat(refused.message()).contains(reason));
  }

  @Override
  @Test
  protected void aMemberWithCodeRuns() {
    refused(job().workdir("sha256:" + "c0de".repeat(16)), "work");
  }

  /** Slurm chooses the devices of a job. */
  @Override
  @Test
  protected void runningMemberShowsItsAllocatedDevices() {
    assertThat(gateway().capabilities().gpuIdentity()).isEqualTo(GpuIdentity.UNKNOWN);
  }

  /** All members are one job, with one number. */
  @Override
  @Test
  protected void everyMemberOfAGangGetsAPod() {
    LaunchOrder order = launch(job().workers(2));
    eventuallyIs(order, MemberState.RUNNING);
    assertThat(uids(order)).hasSize(1);
    assertThat(IntStream.range(0, 2).mapToObj(i -> member(order, i).node()).toList())
        .isEqualTo(order.attempt().members().stream().map(Member::nodeName).toList());
  }

  /** A cancelled job has no exit code of its program. */
  @Override
  @Test
  protected void stoppedMemberStaysVisibleWithItsResultUntilItsRetirement() {
    LaunchOrder order = launch(job());
    eventuallyIs(order, MemberState.RUNNING);
    String uid = member(order, 0).uid();
    assertThat(applied(stop(order, GRACE))).isEqualTo(done());
    eventuallyIs(order, MemberState.FAILED);
    advance(Duration.ofSeconds(2));
    assertThat(member(order, 0).uid()).isEqualTo(uid);
    assertThat(member(order, 0).deleting()).isTrue();
  }

  /** Slurm kills it after its own KillWait. */
  @Override
  @Test
  protected void memberThatIgnoresTheStopIsKilledAfterItsGracePeriod() {
    LaunchOrder order = launch(job().annotation(SIM + "stop-after", "50s"));
    eventuallyIs(order, MemberState.RUNNING);
    applied(stop(order, Duration.ofSeconds(12)));
    eventually("it is being deleted", () -> member(order, 0).deleting());
    eventuallyIs(order, MemberState.FAILED);
  }

  @Override
  @Test
  protected void memberAskedToCheckpointReadsItsDeadlineAndKeepsRunning() {
    refused(job().checkpointTimeout(Duration.ofMinutes(2)), "checkpoint");
    assertThat(applied(ask(order(job()), Instant.EPOCH))).as("of nothing").isEqualTo(done());
  }

  @Override
  @Test
  protected void removedMemberEndsAloneAndTheOthersKeepRunning() {
    LaunchOrder order = launch(job().workers(2));
    eventuallyIs(order, MemberState.RUNNING);
    assertThat(applied(remove(order, 1, GRACE)))
        .isInstanceOfSatisfying(
            ActionOutcome.Refused.class,
            refused -> assertThat(refused.why()).isEqualTo(ActionOutcome.Why.UNSUPPORTED));
    assertThat(member(order, 1).state()).isEqualTo(MemberState.RUNNING);
  }

  @Override
  @Test
  protected void theOutputOfAMemberCanBeRead() {
    LaunchOrder order = launch(job());
    eventuallyIs(order, MemberState.RUNNING);
    assertThatThrownBy(() -> gateway().logs(log(order, 0)).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("/tmp/" + ObjectNames.attempt(order.attempt().id()) + ".out");
  }

  /** Pools and quarantines apply in Fairlead only. */
  @Override
  @Test
  protected void nodeShowsItsPoolAndItsQuarantine() {
    NodeLabelsAndTaints both = new NodeLabelsAndTaints("day", "XID-79");
    assertThat(gateway().setLabelsAndTaints("n1", both))
        .isInstanceOfSatisfying(
            ActionOutcome.Refused.class,
            refused -> assertThat(refused.why()).isEqualTo(ActionOutcome.Why.UNSUPPORTED));
  }

  @Override
  @Test
  protected void nodeIsAnnotatedWithItsRepair() {
    assertThat(gateway().note("n1", RepairNotes.none())).isInstanceOf(NodeNotes.Not.class);
  }

  @Override
  @Test
  @Disabled("needs Slurm cgroups. SlurmAnswersTest reads the state OUT_OF_MEMORY")
  protected void outOfMemoryKillIsDistinguishedFromOtherKills() {}

  @Override
  @Test
  @Disabled("a Slurm job has no image")
  protected void imagePullErrorIsReportedWhileTheMemberWaits() {}

  @Override
  @Test
  @Disabled("a Slurm node rejects no job that slurmctld has placed there")
  protected void memberRejectedByItsNodeNeverStarted() {}

  @Override
  @Test
  @Disabled("jobs with a checkpoint request are refused")
  protected void memberAskedWhileStartingReadsTheRequestOnceItRuns() {}

  @Override
  @Test
  @Disabled("jobs with a checkpoint request are refused")
  protected void endedMemberGetsNoCheckpointRequest() {}

  @Override
  @Test
  @Disabled("members of a Slurm job end together")
  protected void launchAfterAMemberRemovalCreatesOnlyTheOthers() {}

  @Override
  @Test
  @Disabled("members of a Slurm job start together")
  protected void lateMemberGetsTheSecretsOfTheFirstLaunch() {}

  @Override
  @Test
  @Disabled("names of jobs are not unique. SlurmClusterIT.aSecondSubmissionWaitsAndIsCancelled")
  protected void foreignPodWithOurNameIsUntouched() {}

  @Override
  @Test
  @Disabled("Slurm nodes have no conditions")
  protected void faultConditionIsShownWithItsTimeUntilItClears() {}

  @Override
  @Test
  @Disabled("Slurm nodes have no notices")
  protected void machineWithATerminationNoticeIsLeaving() {}

  @Override
  @Test
  @Disabled("Slurm has no eviction budgets")
  protected void gangIsProtectedFromEvictionUntilItsBudgetIsRemoved() {}

  @Override
  @Test
  @Disabled("Slurm has no eviction budgets")
  protected void restoredBudgetProtectsAgain() {}

  @Override
  @Test
  @Disabled("isolation of pods, which Slurm does not have")
  protected void everyIsolationLayerIsReportedAndOnlyARefusedProbeProvesIt() {}

  @Override
  @Test
  @Disabled("parts of the GPU stack are pods")
  protected void everyPartOfTheGpuStackIsReportedIncludingUnknowns() {}

  @Override
  protected void show(String node, NodeCondition condition) {
    throw new UnsupportedOperationException("Slurm nodes have no conditions");
  }

  @Override
  protected void taint(String node, @Nullable Taint taint) {
    throw new UnsupportedOperationException("Slurm nodes have no taints");
  }

  @Override
  protected boolean evict(LaunchOrder order, MemberKey member) {
    throw new UnsupportedOperationException("Slurm has no eviction budgets");
  }

  @Override
  protected String checkpointFile(LaunchOrder order, MemberKey member) {
    throw new UnsupportedOperationException("jobs with a checkpoint request are refused");
  }

  @Override
  protected List<HeldDevice> allocate(LaunchOrder order, MemberKey member) {
    throw new UnsupportedOperationException("Slurm chooses the devices of a job");
  }

  @Override
  protected void occupy(LaunchOrder order, String podName) {
    throw new UnsupportedOperationException("names of jobs are not unique");
  }

  @Override
  protected boolean occupied(LaunchOrder order, String podName) {
    throw new UnsupportedOperationException("names of jobs are not unique");
  }
}
