package dev.fairlead.work.workload.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.LaunchOrder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attempts on a real slurmctld, slurmd and slurmrestd. */
class SlurmClusterIT extends SlurmScene {
  @Test
  void nodesAreReportedWithTheirCoresMemoryAndGpus() {
    List<NodeReport> nodes = gateway().inventory().nodes();

    assertThat(nodes).extracting(NodeReport::name).containsExactly("n1", "n2", "n3");
    assertThat(nodes)
        .allSatisfy(node -> {
          assertThat(node.ready()).isTrue();
          assertThat(node.cordoned()).isFalse();
          assertThat(node.gpuModel()).isEqualTo("H100");
          assertThat(node.allocatable().gpuMilli()).isEqualTo(2000);
          assertThat(node.allocatable().cpuMilli()).isEqualTo(4000);
          assertThat(node.labels()).containsKey("partition.slurm.fairlead.dev/all");
        });
  }

  @Test
  void aJobRunsOnItsPlannedNodeAndSucceeds(@TempDir Path directory) throws IOException {
    SlurmClusterGateway gateway = gateway();
    Path node = directory.resolve("node");
    LaunchOrder order =
        launch(gateway, job("echo $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES >" + node).gpus(2));

    eventuallyIs(gateway, order, MemberState.SUCCEEDED);

    assertThat(node).hasContent("n3 0,1");
    assertThat(member(gateway, order, 0).exitCode()).isZero();
    assertThat(member(gateway, order, 0).node()).isEqualTo("n3");
    assertThat(member(gateway, order, 0).endedAt()).isNotNull();
  }

  @Test
  void theExitCodeOfAFailureIsReported() {
    SlurmClusterGateway gateway = gateway();
    LaunchOrder order = launch(gateway, job("exit 42"));

    eventuallyIs(gateway, order, MemberState.FAILED);

    assertThat(member(gateway, order, 0).exitCode()).isEqualTo(42);
  }

  @Test
  void theMembersOfAGangRunOnTheirNodesAndNameTheFirst(@TempDir Path directory) {
    SlurmClusterGateway gateway = gateway();
    LaunchOrder order =
        launch(
            gateway,
            job("echo $SLURMD_NODENAME $FAIRLEAD_RANK $FAIRLEAD_HEAD >"
                    + directory
                    + "/$FAIRLEAD_INDEX")
                .gpus(2)
                .workers(2));

    eventuallyIs(gateway, order, MemberState.SUCCEEDED);

    assertThat(directory.resolve("0")).hasContent("n3 0 n3");
    assertThat(directory.resolve("1")).hasContent("n2 1 n3");
    assertThat(jobs(order)).containsExactly("COMPLETED");
  }

  @Test
  void failedMemberEndsTheOthers() {
    SlurmClusterGateway gateway = gateway();
    LaunchOrder order =
        launch(gateway, job("[ $FAIRLEAD_INDEX = 1 ] && exit 7; sleep 600").workers(2));

    eventuallyIs(gateway, order, MemberState.FAILED);

    assertThat(member(gateway, order, 1).exitCode()).isEqualTo(7);
  }

  @Test
  void stoppedJobEndsAndReleasesItsNodes() {
    SlurmClusterGateway gateway = gateway();
    LaunchOrder order = launch(gateway, job("sleep 600"));
    eventuallyIs(gateway, order, MemberState.RUNNING);

    assertThat(gateway.apply(stop(order))).isEqualTo(done());
    eventuallyIs(gateway, order, MemberState.FAILED);

    assertThat(jobs(order)).containsExactly("CANCELLED");
    assertThat(member(gateway, order, 0).deleting()).isTrue();
    assertThat(gateway.apply(retire(order))).isEqualTo(done());
    assertThat(seen(gateway, order).empty()).isTrue();
  }

  /** Fails when a process submits again without looking for the job of an earlier process. */
  @Test
  void processFindsTheJobSubmittedByACrashedOne() {
    LaunchOrder order = launch(gateway(), job("sleep 600"));

    SlurmClusterGateway next = gateway();
    assertThat(next.apply(launch(order))).isEqualTo(done());

    eventuallyIs(next, order, MemberState.RUNNING);
    assertThat(jobs(order)).containsExactly("RUNNING");
  }

  /** Fails when a late submission of a replaced process runs in addition to the job. */
  @Test
  void aSecondSubmissionWaitsAndIsCancelled() throws Exception {
    SlurmClusterGateway gateway = gateway();
    LaunchOrder order = launch(gateway, job("sleep 600"));
    eventuallyIs(gateway, order, MemberState.RUNNING);

    submitAgain(order);

    eventually(
        "the copy is cancelled",
        () -> gateway.claim(EPOCH, 1) == EpochClaim.OURS && jobs(order).contains("CANCELLED"));
    assertThat(jobs(order)).containsExactlyInAnyOrder("RUNNING", "CANCELLED");
    assertThat(member(gateway, order, 0).state()).isEqualTo(MemberState.RUNNING);
  }

  /** Fails when an attempt that was reported as absent can start later. */
  @Test
  void aLaunchAfterAStopSubmitsNothing() {
    SlurmClusterGateway gateway = gateway();
    LaunchOrder order = order(gateway, job("sleep 600"));

    assertThat(gateway.apply(stop(order))).isEqualTo(new ActionOutcome.Done(keys(order)));
    assertThat(gateway.apply(launch(order))).isEqualTo(done());

    assertThat(jobs(order)).isEmpty();
  }

  /** Fails when a job that an administrator cancelled counts as a failure of its program. */
  @Test
  void jobCancelledByAnAdministratorLooksLikeAnEviction() {
    SlurmClusterGateway gateway = gateway();
    LaunchOrder order = launch(gateway, job("sleep 600"));
    eventuallyIs(gateway, order, MemberState.RUNNING);

    slurm.command("scancel", "--name=" + name(order));
    eventuallyIs(gateway, order, MemberState.FAILED);

    assertThat(member(gateway, order, 0).deleting()).isTrue();
    assertThat(member(gateway, order, 0).exitCode()).isNull();
  }

  /** Fails when Slurm may start the program again without Fairlead. */
  @Test
  void slurmCannotRequeueAJob() {
    SlurmClusterGateway gateway = gateway();
    LaunchOrder order = launch(gateway, job("sleep 600"));
    eventuallyIs(gateway, order, MemberState.RUNNING);
    String id = member(gateway, order, 0).uid();

    assertThat(slurm.command("scontrol", "requeue", id)).contains("disabled");
    assertThat(jobs(order)).containsExactly("RUNNING");
  }

  @Test
  void pendingJobShowsTheReasonOfSlurm() {
    SlurmClusterGateway gateway = gateway();
    String foreign =
        slurm.command(
            "sbatch",
            "--parsable",
            "-o",
            "/dev/null",
            "-D",
            "/",
            "-w",
            "n3",
            "--exclusive",
            "--wrap",
            "sleep 600");
    eventually(
        "n3 is used by others",
        () -> gateway.inventory().nodes().get(2).foreign().cpuMilli() == 4000);
    LaunchOrder order = launch(gateway, job("true"));
    eventually("it is shown", () -> !seen(gateway, order).empty());

    assertThat(member(gateway, order, 0).state()).isEqualTo(MemberState.PENDING);
    eventually(
        "Slurm has a reason",
        () -> "AwaitsNode slurm reports: Resources".equals(member(gateway, order, 0).reason()));
    slurm.command("scancel", foreign);
    eventuallyIs(gateway, order, MemberState.SUCCEEDED);
  }

  @Test
  void aJobWithAnImageIsRefusedWithTheReason() {
    SlurmClusterGateway gateway = gateway();
    LaunchOrder order = order(gateway, Specs.job("contained").run("true").build());

    assertThat(gateway.apply(launch(order)))
        .isInstanceOfSatisfying(
            ActionOutcome.Refused.class,
            refused -> {
              assertThat(refused.why()).isEqualTo(ActionOutcome.Why.DENIED);
              assertThat(refused.message()).contains("image: none");
            });
  }

  @Test
  void aDrainedNodeIsReportedAsCordoned() {
    SlurmClusterGateway gateway = gateway();
    slurm.command("scontrol", "update", "nodename=n1", "state=drain", "reason=test");
    try {
      eventually("it is cordoned", () -> gateway.inventory().nodes().get(0).cordoned());
    } finally {
      slurm.command("scontrol", "update", "nodename=n1", "state=resume");
    }
  }

  @Test
  void tokenRejectedBySlurmIsReported() {
    SlurmClusterGateway gateway = gateway("expired");

    eventually(
        () -> "the trouble is named, now " + gateway.contact().trouble(),
        () -> String.valueOf(gateway.contact().trouble()).startsWith("Slurm refuses the token"));
    assertThat(gateway.contact().synced()).isFalse();
  }

  /** Fails when the end of slurmrestd counts as the end of jobs. */
  @Test
  void jobsAreUnchangedWhileSlurmrestdIsUnavailable() {
    SlurmClusterGateway gateway = gateway();
    LaunchOrder order = launch(gateway, job("sleep 600"));
    eventuallyIs(gateway, order, MemberState.RUNNING);

    slurm.down(true);
    eventually("it is silent", () -> gateway.contact().silentMillis() > 0);

    assertThat(gateway.contact().trouble()).contains("no JSON");
    assertThat(gateway.apply(stop(order))).isInstanceOf(ActionOutcome.Unavailable.class);
    assertThat(member(gateway, order, 0).state()).isEqualTo(MemberState.RUNNING);
    slurm.down(false);
    eventually("it answers", () -> gateway.contact().silentMillis() == 0);
  }

  private void submitAgain(LaunchOrder order) throws Exception {
    SlurmScript script = new SlurmScript(order, "all", List.of("n1", "n2", "n3"));
    rest().submit(script.body());
  }
}
