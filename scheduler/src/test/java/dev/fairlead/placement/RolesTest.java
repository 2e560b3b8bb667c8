package dev.fairlead.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.fairlead.explanation.Reason;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Several roles, each within a domain of its own: their layouts are as many as can be combined. */
class RolesTest {
  private final Scene scene = new Scene();
  private final JobBuilder other = scene.job("other").gpus(1);

  /** Fails when the places of all other roles are combined for one that has none anyway. */
  @Test
  void aRoleWithoutRoomKeepsNoOtherJobWaiting() {
    racks(20);
    JobBuilder job = roles(12, 1).thenRole("short").cpu(100);

    Scene.Planned plan = planned();

    assertThat(plan.starts(job)).isFalse();
    assertThat(plan.starts(other)).isTrue();
    assertThat(plan.first(job).reason()).isEqualTo(Reason.CAPACITY);
  }

  /** Fails when every layout of roles is tried that have room one by one but not together. */
  @Test
  void rolesThatHaveNoRoomTogetherKeepNoOtherJobWaiting() {
    racks(11);
    JobBuilder job = roles(12, 8);

    Scene.Planned plan = planned();

    assertThat(plan.starts(job)).isFalse();
    assertThat(plan.starts(other)).isTrue();
  }

  /** Fails when a role that found its room taken makes the others look no further. */
  @Test
  void aRoleGivesWayToOneThatFitsNowhereElse() {
    NodeBuilder nodes = racks(3);
    nodes.rack("big").cores(256).nodes(1, 8, "H100");
    JobBuilder job = roles(2, 8);
    job.thenRole("wide").gpus(8).cpu(150).roleTopology("rack");

    assertThat(planned().starts(job)).isTrue();
  }

  private NodeBuilder racks(int racks) {
    NodeBuilder nodes = scene.cluster("eu-1").foreignCores(64);
    for (int rack = 1; rack <= racks; rack++) {
      nodes.rack("r" + rack).nodes(1, 8, "H100");
    }
    return nodes;
  }

  private JobBuilder roles(int roles, int gpus) {
    JobBuilder job = scene.job("job").age(100).cpu(1);
    for (int role = 1; role <= roles; role++) {
      job.gpus(gpus).roleTopology("rack");
      if (role < roles) {
        job.thenRole("r" + role);
      }
    }
    return job;
  }

  private Scene.Planned planned() {
    return assertTimeoutPreemptively(Duration.ofSeconds(30), () -> scene.plan());
  }
}
