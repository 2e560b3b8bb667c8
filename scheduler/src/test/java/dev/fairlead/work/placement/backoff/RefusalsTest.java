package dev.fairlead.work.placement.backoff;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.attempt.ClusterRefusal;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.RandomScene;
import dev.fairlead.work.placement.laws.Changed;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Clusters that are skipped, and for how long. Each test fails without the rule that it names. */
class RefusalsTest {
  private final World world = firstWithJobs();
  private final Instant now = world.asOf();
  private final Cluster cluster = world.clusters().getFirst();
  private final List<Job> jobs = ofOneProject(world);
  private final List<PlaceFailure> failures = new ArrayList<>();

  private static World firstWithJobs() {
    for (long seed = 0; ; seed++) {
      World drawn = RandomScene.world(seed, 12);
      if (!drawn.nodes().isEmpty() && ofOneProject(drawn).size() >= 4) {
        return drawn;
      }
    }
  }

  private static List<Job> ofOneProject(World world) {
    SortedMap<ProjectId, List<Job>> byProject = new TreeMap<>();
    for (PendingJob pending : world.pending()) {
      List<Job> jobs = byProject.computeIfAbsent(pending.job().project(), p -> new ArrayList<>());
      if (jobs.stream().noneMatch(job -> job.id().equals(pending.job().id()))) {
        jobs.add(pending.job());
      }
    }
    return byProject.values().stream().filter(of -> of.size() >= 4).findFirst().orElse(List.of());
  }

  private void refused(Job job, ClusterRefusal kind, long secondsAgo) {
    failures.add(
        new PlaceFailure(
            job.id(),
            0,
            world.nodes().getFirst().id(),
            FailureCause.PLACEMENT_CONFLICT,
            now.minusSeconds(secondsAgo),
            now.minusSeconds(secondsAgo),
            new PlaceFailure.Refusal(cluster.id(), kind, "no room"),
            null));
  }

  private Refusals refusals() {
    return Refusals.of(Changed.failures(world, failures));
  }

  @Test
  void temporaryRefusalExcludesTheClusterForTheProjectWithADoublingBackOff() {
    refused(jobs.getFirst(), ClusterRefusal.FOR_NOW, 5);
    refused(jobs.get(1), ClusterRefusal.FOR_NOW, 5);
    Refusals.Refused left = refusals().of(jobs.getLast()).get(cluster.name());
    assertThat(left.until()).isEqualTo(now.plusSeconds(10));
    assertThat(left.message()).isEqualTo("no room");
    refused(jobs.getFirst(), ClusterRefusal.FOR_NOW, 0);
    assertThat(refusals().of(jobs.getLast()).get(cluster.name()).until())
        .isEqualTo(now.plusSeconds(30));
    for (int i = 0; i < 8; i++) {
      refused(jobs.getFirst(), ClusterRefusal.FOR_NOW, 0);
    }
    assertThat(refusals().of(jobs.getLast()).get(cluster.name()).until())
        .isEqualTo(now.plusSeconds(120));
  }

  @Test
  void policyAppliesToItsJobAndToTheProjectAfterThreeDenials() {
    refused(jobs.getFirst(), ClusterRefusal.POLICY, 10);
    assertThat(refusals().of(jobs.getFirst()).get(cluster.name()).until())
        .isEqualTo(now.plusSeconds(20));
    assertThat(refusals().of(jobs.getLast())).isEmpty();
    refused(jobs.get(1), ClusterRefusal.POLICY, 10);
    refused(jobs.get(2), ClusterRefusal.POLICY, 10);
    assertThat(refusals().of(jobs.getLast())).containsKey(cluster.name());
  }

  /** Fails when a cluster is open to all jobs of a project once the time of a policy is over. */
  @Test
  void twoLeastDeniedJobsRetryTheClusterFirst() {
    jobs.forEach(job -> refused(job, ClusterRefusal.POLICY, 100));
    refused(jobs.getFirst(), ClusterRefusal.POLICY, 65);
    refused(jobs.get(1), ClusterRefusal.POLICY, 65);

    Refusals refusals = refusals();

    List<Job> open = jobs.stream().filter(job -> refusals.of(job).isEmpty()).toList();
    assertThat(open).hasSize(2).doesNotContain(jobs.getFirst(), jobs.get(1));
    assertThat(refusals.of(jobs.getFirst()).get(cluster.name()).until())
        .isEqualTo(now.plusSeconds(55));
  }

  /** Fails when the first two jobs block others although they cannot start for other reasons. */
  @Test
  void eachRoundAfterAPolicyDenialServesOtherJobs() {
    List<JobId> first = probesAt(31);
    List<JobId> second = probesAt(61);
    assertThat(first).hasSize(2);
    assertThat(second).hasSize(2).doesNotContainAnyElementsOf(first);
  }

  private List<JobId> probesAt(long secondsAfterTheDenial) {
    failures.clear();
    jobs.forEach(job -> refused(job, ClusterRefusal.POLICY, secondsAfterTheDenial));
    Refusals refusals = refusals();
    return jobs.stream().filter(job -> refusals.of(job).isEmpty()).map(Job::id).toList();
  }

  @Test
  void denialExpiresAndNoClusterIsExcludedNeedlessly() {
    assertThat(refusals().any()).isFalse();
    refused(jobs.getFirst(), ClusterRefusal.FOR_NOW, 15);
    assertThat(refusals().any()).isFalse();
  }

  @Test
  void clusterDenialDoesNotBlameTheNode() {
    refused(jobs.getFirst(), ClusterRefusal.FOR_NOW, 1);
    assertThat(BackOffs.of(Changed.failures(world, failures)).of(jobs.getFirst().id())).isEmpty();
  }
}
