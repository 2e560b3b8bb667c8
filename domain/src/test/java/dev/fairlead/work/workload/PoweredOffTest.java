package dev.fairlead.work.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.workload.judgement.OpenFaults;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Effect of a confirmed power-off on the members of its node. */
class PoweredOffTest {
  private static NodeReports silent() {
    return NodeReports.node("n0").notReady();
  }

  @Test
  void memberOfTheEndedBootIsDead() {
    Watched one = Watched.running(1).node(0, silent()).poweredOff(0, "boot-1");
    one.judge();

    assertThat(one.member("worker-0").evidence()).isEqualTo(DeathEvidence.POWERED_OFF);
    assertThat(one.state()).isEqualTo(AttemptState.LOST);
  }

  /**
   * Fails when a machine that is up again, or was never off, counts as powered off. Seen to fail
   * without the readiness of the node in the evidence.
   */
  @Test
  void nodeReadyInThatBootIsAlive() {
    Watched one = Watched.running(1).poweredOff(0, "boot-1");
    one.judge();

    assertThat(one.member("worker-0").dead()).isFalse();
    assertThat(one.state()).isEqualTo(AttemptState.RUNNING);
  }

  /** Fails when a power-off before a boot ends members of the next boot. */
  @Test
  void memberOfAnotherBootContinues() {
    Watched one = Watched.running(1).node(0, silent()).poweredOff(0, "boot-0");
    one.judge();

    assertThat(one.member("worker-0").dead()).isFalse();
  }

  /**
   * Fails when a pod that may start after the machine has returned counts as dead, and then runs.
   */
  @Test
  void memberThatNeverStartedIsNotDead() {
    Watched one = Watched.launching(1).pending(0).node(0, silent()).poweredOff(0, "boot-1");
    one.judge();

    assertThat(one.member("worker-0").dead()).isFalse();
  }

  /** Fails when the possibly late node watch is trusted without a query. */
  @Test
  void clusterIsQueriedAboutTheNode() {
    Watched one =
        Watched.running(1)
            .node(0, silent())
            .inTruth(0, NodeReports.node("n0"))
            .poweredOff(0, "boot-1");
    one.judge();

    assertThat(one.member("worker-0").dead()).as("it answers that it is ready").isFalse();
  }

  /**
   * Fails when a machine that powers off counts as alive too early, or a running machine never
   * does.
   */
  @Test
  void nodeThatStaysReadyContradictsThePowerOff() {
    Watched one = Watched.running(1).poweredOff(0, "boot-1");
    OpenFaults isolated = one.isolated();
    NodeReport ready = NodeReports.node("n0").build();
    Duration late = Duration.ofMinutes(3);

    assertThat(isolated.contradicted(Map.of("n0", ready), Watched.START.plusSeconds(60))).isEmpty();
    assertThat(isolated.contradicted(Map.of("n0", ready), Watched.START.plus(late))).hasSize(1);
    assertThat(isolated.contradicted(Map.of("n0", silent().build()), Watched.START.plus(late)))
        .isEmpty();
    NodeReport booted = NodeReports.node("n0").bootId("boot-2").build();
    assertThat(isolated.contradicted(Map.of("n0", booted), Watched.START.plus(late))).isEmpty();
    assertThat(isolated.contradicted(Map.of(), Watched.START.plus(late))).isEmpty();
  }
}
