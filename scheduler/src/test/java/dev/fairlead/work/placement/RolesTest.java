package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.fairlead.work.explanation.Reason;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Several roles, each within a separate domain: their layouts are all combinations. */
class RolesTest {
  private final Scene scene = new Scene();
  private final NodeBuilder nodes = scene.cluster("eu-1");
  private final JobBuilder other = scene.job("other").gpus(1);

  /** Fails when the layouts of all other roles are combined although one role fits nowhere. */
  @Test
  void infeasibleRoleDelaysNoOtherJob() {
    racks(20);
    JobBuilder job = roles(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1).thenRole("short").cpu(100);

    Scene.Planned plan = planned();

    assertThat(plan.starts(job)).isFalse();
    assertThat(plan.starts(other)).isTrue();
    assertThat(plan.first(job).reason()).isEqualTo(Reason.CAPACITY);
  }

  /** Fails when every layout is tried for roles that fit individually but not together. */
  @Test
  void jointlyInfeasibleRolesDelayNoOtherJob() {
    racks(11);
    JobBuilder job = roles(8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8);

    Scene.Planned plan = planned();

    assertThat(plan.starts(job)).isFalse();
    assertThat(plan.starts(other)).isTrue();
  }

  /**
   * Fails when roles are not ordered by the number of racks that fit them: the role of 7 GPUs fits
   * only in the first rack, and hundreds of layouts of the others would be tried before it gets
   * that rack.
   */
  @Test
  void roleThatFitsOnlyOneRackGetsIt() {
    nodes.cores(256).rack("r0").nodes(1, 8, "H100").cores(128);
    racks(19);
    JobBuilder job = roles(8, 8, 8, 7, 6, 6, 6);

    assertThat(planned().starts(job)).isTrue();
  }

  private void racks(int racks) {
    nodes.foreignCores(64);
    for (int rack = 1; rack <= racks; rack++) {
      nodes.rack("r" + rack).nodes(1, 8, "H100");
    }
  }

  /**
   * One member each, in one rack. The member with 7 GPUs needs more cores than most nodes have
   * free.
   */
  private JobBuilder roles(int... gpus) {
    JobBuilder job = scene.job("job").age(100);
    for (int role = 0; role < gpus.length; role++) {
      JobBuilder next = role == 0 ? job : job.thenRole("r" + role);
      next.gpus(gpus[role]).cpu(gpus[role] == 7 ? 150 : 1).roleTopology("rack");
    }
    return job;
  }

  private Scene.Planned planned() {
    return assertTimeoutPreemptively(Duration.ofSeconds(30), () -> scene.plan());
  }
}
