package dev.fairlead.work.placement.backoff;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.placement.RandomScene;
import dev.fairlead.work.placement.laws.Changed;
import dev.fairlead.work.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Jobs, the nodes that they avoid, and for how long. Each test fails without the rule that it
 * names.
 */
class BackOffsTest {
  private static final JobId ONE = job(1);
  private static final JobId TWO = job(2);
  private final World world = firstWithNodes();
  private final Instant now = world.asOf();
  private final List<Node> nodes =
      world.nodes().stream()
          .filter(n -> n.cluster().equals(world.nodes().getFirst().cluster()))
          .toList();
  private final NodeId node = nodes.getFirst().id();
  private final List<PlaceFailure> failures = new ArrayList<>();

  /** With one cluster of at least six nodes. */
  private static World firstWithNodes() {
    for (long seed = 0; ; seed++) {
      World drawn = RandomScene.world(seed, 3);
      if (drawn.clusters().size() == 1 && drawn.nodes().size() >= 6) {
        return drawn;
      }
    }
  }

  private static JobId job(int number) {
    return new JobId(new UUID(1, number));
  }

  private void failed(JobId job, NodeId on, FailureCause cause, long secondsAgo) {
    Instant at = now.minusSeconds(secondsAgo);
    failures.add(new PlaceFailure(job, 0, on, cause, at, at, null, null));
  }

  private BackOffs backOffs() {
    return backOffs(world);
  }

  private BackOffs backOffs(World of) {
    return BackOffs.of(Changed.failures(of, failures));
  }

  private World with(Gpu gpu) {
    List<Node> changed =
        world.nodes().stream()
            .map(each ->
                each.id().equals(node)
                    ? each.withStatus(each.status().withGpus(List.of(gpu)))
                    : each)
            .toList();
    return world.toBuilder().nodes(changed).build();
  }

  /** Fails when a GPU that is out of service costs the other GPUs of its node. */
  @Test
  void faultOfAGpuThatIsOutOfServiceBlamesNoNode() {
    String sick = "GPU-00000000-0000-0000-0000-000000000001";
    String other = "GPU-00000000-0000-0000-0000-000000000002";
    Instant at = now.minusSeconds(10);
    for (JobId job : List.of(ONE, TWO)) {
      failures.add(new PlaceFailure(job, 0, node, FailureCause.GPU_FAULT, at, at, null, sick));
    }

    BackOffs quarantined = backOffs(with(new Gpu(0, sick, GpuState.QUARANTINED, 0)));
    BackOffs withdrawn = backOffs(with(new Gpu(0, other, GpuState.HEALTHY, 0)));
    BackOffs healthy = backOffs(with(new Gpu(0, sick, GpuState.HEALTHY, 0)));
    BackOffs unnamed = backOffs(with(new Gpu(0, "n/0", GpuState.HEALTHY, 0)));

    assertThat(List.of(quarantined, withdrawn))
        .allMatch(each -> each.everybody().isEmpty() && each.of(ONE).isEmpty());
    assertThat(List.of(healthy, unnamed))
        .allMatch(each -> each.everybody().containsKey(node) && each.of(ONE).containsKey(node));
  }

  @Test
  void failedStartBlamesTheNodeForItsJobOnly() {
    failed(ONE, node, FailureCause.START_TIMEOUT, 10);

    assertThat(backOffs().of(ONE)).containsEntry(node, now.plusSeconds(50)).hasSize(1);
    assertThat(backOffs().of(TWO)).isEmpty();
    assertThat(backOffs().everybody()).isEmpty();
  }

  @Test
  void twoFailedJobsBlameTheNodeForAll() {
    failed(ONE, node, FailureCause.START_TIMEOUT, 10);
    failed(TWO, node, FailureCause.PLACEMENT_CONFLICT, 5);

    assertThat(backOffs().everybody()).containsEntry(node, now.plusSeconds(50)).hasSize(1);
  }

  @Test
  void failedMachineIsAvoidedByAllJobs() {
    failed(ONE, node, FailureCause.NODE_FAILURE, 5);

    assertThat(backOffs().everybody()).containsEntry(node, now.plusSeconds(25));
  }

  @Test
  void backOffDoublesPerFailureOfTheCauseUpToFifteenMinutes() {
    for (int times = 1; times <= 8; times++) {
      failed(ONE, node, FailureCause.START_TIMEOUT, 0);
      long minutes = Math.min(15, 1L << (times - 1));
      assertThat(backOffs().of(ONE)).containsEntry(node, now.plusSeconds(60 * minutes));
      assertThat(backOffs().failures(node)).isEqualTo(times);
    }
  }

  @Test
  void backOffEndsWithTheTimeOfTheRead() {
    failed(ONE, node, FailureCause.NODE_FAILURE, 30);

    assertThat(backOffs().everybody()).isEmpty();
    assertThat(backOffs().of(ONE)).isEmpty();
  }

  @Test
  void failuresAfterASetBackClockAreIgnored() {
    failed(ONE, node, FailureCause.NODE_FAILURE, -3600);

    assertThat(backOffs().everybody()).isEmpty();
  }

  @Test
  void clusterIsAvoidedWhileHalfOfItsNodesFailSeveralJobs() {
    int half = (nodes.size() + 1) / 2;
    for (int i = 0; i < half; i++) {
      failed(job(i), nodes.get(i).id(), FailureCause.START_TIMEOUT, i);
    }

    assertThat(backOffs().everybody()).hasSize(nodes.size());
    assertThat(backOffs().everybody().values()).containsOnly(now.plusSeconds(60 - (half - 1)));

    failures.removeLast();
    assertThat(backOffs().everybody()).isEmpty();
  }

  @Test
  void jobFailingEverywhereExcludesNoNodeForOthers() {
    nodes.forEach(each -> failed(ONE, each.id(), FailureCause.START_TIMEOUT, 0));

    assertThat(backOffs().everybody()).isEmpty();
    assertThat(backOffs().of(ONE)).hasSize(nodes.size());
  }
}
