package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.JobCheck;
import dev.fairlead.work.placement.decision.Decision;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs of a queue with admission checks. */
class AdmissionCheckTest {
  private final Scene scene = new Scene();
  private QuotaNodeId queue;

  @BeforeEach
  void aQueueWithTwoChecks() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    queue =
        scene.queue(
            "checked",
            null,
            QueueSettings.of(QueueSettings.Order.STRICT_FIFO, QueueSettings.State.ACTIVE, null)
                .withChecks(List.of("review", "budget")));
  }

  private JobBuilder job(String name) {
    return scene.job(name).gpus(1).queue("checked", queue);
  }

  private static List<Decision.Ask> asked(Scene.Planned plan) {
    return plan.plan().decisions().stream()
        .filter(Decision.Ask.class::isInstance)
        .map(Decision.Ask.class::cast)
        .toList();
  }

  /** Fails when a job without check results starts, or no check is requested. */
  @Test
  void jobWithoutResultsWaitsAndItsChecksAreRequested() {
    JobBuilder waits = job("waits").age(100);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(waits)).isFalse();
    assertThat(asked(plan)).hasSize(1);
    assertThat(asked(plan).getFirst().checks()).containsExactly("budget", "review");
    assertThat(plan.first(waits).reason()).isEqualTo(Reason.ADMISSION_CHECK);
    assertThat(plan.first(waits).message())
        .satisfies(reason("admission-check.admission-check-budget-requested", "budget"));
  }

  /** Fails when the explanation lacks name, time or message, or a requested check is repeated. */
  @Test
  void explanationNamesEachCheckWithItsTimeAndMessage() {
    JobBuilder waits =
        job("waits")
            .check("review", JobCheck.State.PENDING, "")
            .check("budget", JobCheck.State.RETRY, "no money today");

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(waits)).isFalse();
    assertThat(asked(plan)).isEmpty();
    assertThat(plan.why(waits).blockers())
        .extracting(Blocker::message)
        .contains(
            "admission check 'review' is pending since " + Scene.NOW,
            "admission check 'budget' refused at %s and is requested again at %s: no money today"
                .formatted(Scene.NOW, Scene.NOW.plusSeconds(60)));
  }

  /** Fails when a result is ignored, or a job that waits for its checks blocks a strict queue. */
  @Test
  void jobWithAllResultsOvertakesAJobThatWaits() {
    JobBuilder waits = job("waits").age(100);
    JobBuilder ready =
        job("ready")
            .age(50)
            .check("review", JobCheck.State.READY, "")
            .check("budget", JobCheck.State.READY, "");

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(ready)).isTrue();
    assertThat(plan.starts(waits)).isFalse();
  }

  /** Fails when checks are requested for a job that is blocked by another condition. */
  @Test
  void checksOfAJobThatCouldNotStartAreNotRequested() {
    JobBuilder later = job("later").notBefore(Scene.NOW.plusSeconds(3600));

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(later)).isFalse();
    assertThat(asked(plan)).isEmpty();
    assertThat(plan.first(later).reason()).isEqualTo(Reason.NOT_BEFORE);
  }
}
