package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PlacementSpec.JobTerm;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Jobs that stay near or away from others by their labels, from the submit to the pods. */
class NeighbourJourneyTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);

  private static Specs job(String name, int gpus, String runFor) {
    return Specs.job(name).gpus(gpus).annotation("sim.fairlead.dev/run-for", runFor);
  }

  private static List<JobTerm> term(String app, String within) {
    return List.of(new JobTerm(new TreeMap<>(Map.of("app", app)), within));
  }

  private List<String> nodes(Job job) {
    return fairlead.attempts(job).getLast().members().stream().map(Member::nodeName).toList();
  }

  /** Fails when the snapshot lacks labels, or lacks the labels of running jobs. */
  @Test
  void jobFollowsItsCacheAndAnotherWaitsUntilItHasLeft() {
    fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 2));
    Job near =
        fairlead.submit(
            job("near", 4, "5m")
                .placement(PlacementSpec.ANYWHERE.with().near(term("cache", "rack")).build()));
    fairlead.pass(Duration.ofSeconds(30));
    assertThat(fairlead.state(near)).isEqualTo(JobState.QUEUED);

    Job cache = fairlead.submit(job("cache", 4, "5m").label("app", "cache"));
    fairlead.until(near, JobState.RUNNING);
    assertThat(nodes(near)).isEqualTo(nodes(cache));

    Job away =
        fairlead.submit(
            job("away", 1, "1m")
                .placement(PlacementSpec.ANYWHERE.with().away(term("cache", "cluster")).build()));
    fairlead.pass(Duration.ofMinutes(1));
    assertThat(fairlead.state(away)).isEqualTo(JobState.QUEUED);
    fairlead.until(cache, JobState.SUCCEEDED);
    fairlead.until(away, JobState.RUNNING);
    assertThat(fairlead.state(near)).isIn(JobState.RUNNING, JobState.SUCCEEDED);
  }
}
