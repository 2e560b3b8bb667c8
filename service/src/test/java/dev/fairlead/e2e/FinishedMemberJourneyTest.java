package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.JobControl;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A member of a gang that finishes before the others, from its pod to the next job. */
class FinishedMemberJourneyTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);

  private Specs gang() {
    fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 1));
    return Specs.job("gang")
        .gpus(8)
        .workers(2)
        .annotation("sim.fairlead.dev/run-for", "300s")
        .annotation("sim.fairlead.dev/members", "worker-1")
        .annotation("sim.fairlead.dev/finish-after", "20s");
  }

  private JobControl control() {
    return FairleadSubmits.control(fairlead);
  }

  private Attempt attempt(Job job) {
    return fairlead.attempts(job).getLast();
  }

  /** Fails when a finished member holds its GPUs until the last member ends. */
  @Test
  void freedGpusRunAnotherJobWhileTheGangContinues() {
    Job gang = fairlead.submit(gang());
    fairlead.until(gang, JobState.RUNNING);
    Job next =
        fairlead.submit(Specs.job("next").gpus(8).annotation("sim.fairlead.dev/run-for", "20s"));

    fairlead.until(next, JobState.SUCCEEDED);

    assertThat(fairlead.state(gang)).isEqualTo(JobState.RUNNING);
    assertThat(attempt(gang).left()).extracting(Member::key).containsExactly("worker-1");
    assertThat(attempt(next).members().getFirst().node())
        .isEqualTo(attempt(gang).left().getFirst().node());
    assertThat(fairlead.stores().counters().compare()).isEmpty();

    fairlead.until(gang, JobState.SUCCEEDED);
    fairlead.pass(Duration.ofMinutes(5));
    assertThat(fairlead.attempts(gang)).hasSize(1);
    assertThat(attempt(gang).retiredAt()).as("no pod is left").isNotNull();
    assertThat(fairlead.stores().counters().compare()).isEmpty();
  }

  /** Fails when the next attempt starts with the remaining members only. */
  @Test
  void gangRestartUsesTheFullSizeAgain() {
    Job gang = fairlead.submit(gang());
    fairlead.until(gang, JobState.RUNNING);
    fairlead.pass(Duration.ofSeconds(40));
    assertThat(attempt(gang).members()).hasSize(1);
    Job next =
        fairlead.submit(Specs.job("next").gpus(8).annotation("sim.fairlead.dev/run-for", "100s"));
    fairlead.until(next, JobState.RUNNING);

    control().requeue(new JobControl.Order(fairlead.ana(), gang.id(), null, false));
    fairlead.pass(Duration.ofSeconds(30));
    assertThat(attempt(gang).live()).as("it waits for its full size").isFalse();
    fairlead.until(next, JobState.SUCCEEDED);
    fairlead.until(gang, JobState.RUNNING);

    assertThat(attempt(gang).number()).isEqualTo(2);
    assertThat(attempt(gang).state()).isEqualTo(AttemptState.RUNNING);
    assertThat(attempt(gang).members()).hasSize(2);
    assertThat(fairlead.stores().counters().compare()).isEmpty();
  }
}
