package dev.fairlead.work.placement.backoff;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.ClusterRefusal;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.spec.Deadline;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Clusters that refused pods, with the time until which they are excluded, derived from stored
 * attempts. A temporary refusal counts against the cluster for the whole project. A policy denial
 * counts for its own job, and for the project once it denied several of its jobs. A missing claim
 * counts for all jobs of the project that mount the same claims. When the time of a policy is over,
 * two jobs of the project try the cluster before all others: each denied job spends one of its few
 * tries.
 */
public final class Refusals {
  public static final Refusals NONE = new Refusals();

  private static final Duration FIRST_FOR_NOW = Duration.ofSeconds(15);
  private static final Duration LONGEST_FOR_NOW = Duration.ofMinutes(2);
  private static final Duration FIRST_POLICY = Duration.ofSeconds(30);
  private static final Duration LONGEST_POLICY = Duration.ofMinutes(15);
  private static final int DOUBLINGS = 10;

  /**
   * A policy that has denied this many jobs of a project applies to the project's other jobs too.
   */
  private static final int SEVERAL = 3;

  /** Jobs of a project that try a cluster again after a policy denied several. */
  private static final int PROBES = 2;

  private final SortedMap<JobId, Job> known = new TreeMap<>();
  private final SortedMap<ProjectId, SortedMap<String, Refused>> ofProjects = new TreeMap<>();
  private final SortedMap<JobId, SortedMap<String, Refused>> ofJobs = new TreeMap<>();
  private final SortedMap<MountedClaims, SortedMap<String, Refused>> ofClaims = new TreeMap<>();
  private final SortedMap<ProjectId, SortedMap<String, Probing>> probing = new TreeMap<>();

  private Refusals() {}

  /**
   * A cluster that only some jobs of a project may try.
   *
   * @param others condition that the other jobs wait for
   */
  private record Probing(NavigableSet<JobId> probes, Refused others) {}

  /**
   * A cluster that is excluded.
   *
   * @param kind kind of the newest refusal
   * @param message message of its API server
   * @param until time of the next try
   */
  public record Refused(String cluster, ClusterRefusal kind, String message, Instant until) {}

  /** Claims and volumes that jobs of a project mount. */
  private record MountedClaims(ProjectId project, String claims)
      implements Comparable<MountedClaims> {
    static MountedClaims of(Job job) {
      NavigableSet<String> claims = new TreeSet<>();
      for (JobSpec.VolumeSpec volume : job.spec().volumes()) {
        if (volume.claim() != null) {
          claims.add(volume.claim());
        }
        if (volume.volume() != null) {
          claims.add("volume/" + volume.volume());
        }
      }
      return new MountedClaims(job.project(), String.join(" ", claims));
    }

    @Override
    public int compareTo(MountedClaims other) {
      int byProject = project.compareTo(other.project);
      return byProject != 0 ? byProject : claims.compareTo(other.claims);
    }
  }

  /** Returns the refusals at the time of the read. */
  public static Refusals of(World world) {
    Refusals refusals = new Refusals();
    List<PlaceFailure> refused =
        world.placeFailures().stream()
            .filter(f -> f.refusal() != null && !f.at().isAfter(world.asOf()))
            .sorted(Comparator.comparing(PlaceFailure::at))
            .toList();
    if (!refused.isEmpty()) {
      refusals.add(world, refused);
    }
    return refusals;
  }

  private void add(World world, List<PlaceFailure> refused) {
    world.pending().forEach(p -> known.put(p.job().id(), p.job()));
    world.live().forEach(l -> known.put(l.job().id(), l.job()));
    for (Cluster cluster : world.clusters()) {
      SortedMap<ProjectId, Against> byProject = new TreeMap<>();
      SortedMap<JobId, Against> byJob = new TreeMap<>();
      SortedMap<MountedClaims, Against> byClaims = new TreeMap<>();
      for (PlaceFailure failure : refused) {
        Job job = known.get(failure.job());
        PlaceFailure.Refusal what = failure.refusal();
        if (job == null || what == null || !what.cluster().equals(cluster.id())) {
          continue;
        }
        if (what.kind() == ClusterRefusal.STORAGE) {
          byClaims.computeIfAbsent(MountedClaims.of(job), d -> new Against()).add(failure, what);
        } else {
          byJob.computeIfAbsent(job.id(), j -> new Against()).add(failure, what);
          byProject.computeIfAbsent(job.project(), p -> new Against()).add(failure, what);
        }
      }
      Instant now = world.asOf();
      byJob.forEach((job, against) -> put(ofJobs, job, against.ofJob(cluster), now));
      byClaims.forEach((claims, against) -> put(ofClaims, claims, against.ofJob(cluster), now));
      byProject.forEach((project, against) -> {
        put(ofProjects, project, against.ofProject(cluster), now);
        against
            .probing(cluster, project, world)
            .ifPresent(few ->
                probing.computeIfAbsent(project, p -> new TreeMap<>()).put(cluster.name(), few));
      });
    }
  }

  private static <K> void put(
      SortedMap<K, SortedMap<String, Refused>> all, K who, Refused refused, Instant now) {
    if (refused.until().isAfter(now)) {
      all.computeIfAbsent(who, k -> new TreeMap<>()).put(refused.cluster(), refused);
    }
  }

  /** Refusals of one cluster for a job or a project. */
  private static final class Against {
    private final List<PlaceFailure> forNow = new ArrayList<>();
    private final List<PlaceFailure> policy = new ArrayList<>();
    private ClusterRefusal kind = ClusterRefusal.FOR_NOW;
    private String newestWords = "";

    void add(PlaceFailure failure, PlaceFailure.Refusal what) {
      (what.kind() == ClusterRefusal.FOR_NOW ? forNow : policy).add(failure);
      kind = what.kind();
      newestWords = what.message();
    }

    Refused ofJob(Cluster cluster) {
      return new Refused(
          cluster.name(), kind, newestWords, end(policy, FIRST_POLICY, LONGEST_POLICY));
    }

    Refused ofProject(Cluster cluster) {
      Instant end = end(forNow, FIRST_FOR_NOW, LONGEST_FOR_NOW);
      if (ofSeveral()) {
        Instant other = end(policy, FIRST_POLICY, LONGEST_POLICY);
        end = other.isAfter(end) ? other : end;
      }
      return new Refused(cluster.name(), kind, newestWords, end);
    }

    private boolean ofSeveral() {
      return policy.stream().map(PlaceFailure::job).distinct().count() >= SEVERAL;
    }

    /**
     * Present from the end of a policy's time until a job of the project, placed after the newest
     * denial, has pods on the cluster. The jobs that were denied least often come first, an array
     * after single jobs because it offers many elements, and then the oldest. Jobs that are being
     * launched on the cluster count. Each round gives the next jobs a turn, because the first ones
     * may be unable to start for other reasons.
     */
    Optional<Probing> probing(Cluster cluster, ProjectId project, World world) {
      Instant end = end(policy, FIRST_POLICY, LONGEST_POLICY);
      if (!ofSeveral() || end.isAfter(world.asOf())) {
        return Optional.empty();
      }
      Instant newest = policy.getLast().at();
      NavigableSet<JobId> probes = new TreeSet<>();
      for (World.LiveAttempt live : world.live()) {
        Attempt attempt = live.attempt();
        if (live.job().project().equals(project)
            && attempt.cluster().equals(cluster.id())
            && attempt.createdAt().isAfter(newest)) {
          switch (attempt.state()) {
            case PULLING, RUNNING -> {
              return Optional.empty();
            }
            case PLANNED, LAUNCHING -> probes.add(live.job().id());
            case STOPPING, UNKNOWN, SUCCEEDED, FAILED, PREEMPTED, EVICTED, LOST, CANCELLED -> {}
          }
        }
      }
      Duration again = Duration.between(newest, end);
      long round = Duration.between(end, world.asOf()).dividedBy(again);
      Instant until = end.plus(again.multipliedBy(round + 1));
      List<JobId> may = waiting(cluster, project, world);
      int free = Math.min(Math.max(0, PROBES - probes.size()), may.size());
      for (int i = 0; i < free; i++) {
        probes.add(may.get((int) ((round * PROBES + i) % may.size())));
      }
      return Optional.of(
          new Probing(probes, new Refused(cluster.name(), kind, newestWords, until)));
    }

    /** Jobs of the project that may try the cluster, in the order of their attempts. */
    private List<JobId> waiting(Cluster cluster, ProjectId project, World world) {
      SortedMap<JobId, Integer> denied = new TreeMap<>();
      policy.forEach(failure -> denied.merge(failure.job(), 1, Integer::sum));
      return world.pending().stream()
          .filter(pending -> pending.unmet().isEmpty() && pending.deadDependency() == null)
          .filter(pending -> ready(pending, world.asOf()))
          .map(PendingJob::job)
          .filter(job -> job.project().equals(project))
          .filter(job -> {
            List<String> clusters = job.spec().placement().clusters();
            return clusters.isEmpty() || clusters.contains(cluster.name());
          })
          .sorted(
              Comparator.comparing((Job job) -> denied.getOrDefault(job.id(), 0))
                  .thenComparing(job -> job.array() != null)
                  .thenComparing(Job::createdAt)
                  .thenComparing(Job::id))
          .map(Job::id)
          .toList();
    }

    private static boolean ready(PendingJob pending, Instant now) {
      Instant notBefore = pending.job().spec().notBefore();
      if (notBefore != null && notBefore.isAfter(now)
          || Deadline.passed(pending.job().spec(), now)) {
        return false;
      }
      return pending.offers().stream()
          .map(PendingJob.Offer::retryAt)
          .anyMatch(at -> at == null || !at.isAfter(now));
    }

    /** Doubled with each round: jobs that are refused together are refused once. */
    private static Instant end(List<PlaceFailure> failures, Duration first, Duration longest) {
      if (failures.isEmpty()) {
        return Instant.MIN;
      }
      SortedMap<JobId, Integer> times = new TreeMap<>();
      failures.stream()
          .filter(f -> f.element() == failures.getLast().element())
          .forEach(f -> times.merge(f.job(), 1, Integer::sum));
      int rounds = Collections.max(times.values());
      Duration doubled = first.multipliedBy(1L << Math.min(rounds - 1, DOUBLINGS));
      return failures.getLast().at().plus(doubled.compareTo(longest) > 0 ? longest : doubled);
    }
  }

  /** Returns whether any cluster is excluded for any job. */
  public boolean any() {
    return !ofProjects.isEmpty() || !ofJobs.isEmpty() || !ofClaims.isEmpty() || !probing.isEmpty();
  }

  /** Clusters that are excluded for the job, by name. */
  public SortedMap<String, Refused> of(Job job) {
    SortedMap<String, Refused> all =
        new TreeMap<>(ofProjects.getOrDefault(job.project(), Collections.emptySortedMap()));
    later(all, ofJobs.getOrDefault(job.id(), Collections.emptySortedMap()));
    probing
        .getOrDefault(job.project(), Collections.emptySortedMap())
        .forEach((cluster, few) -> {
          if (!few.probes().contains(job.id())) {
            later(all, new TreeMap<>(Map.of(cluster, few.others())));
          }
        });
    if (!ofClaims.isEmpty()) {
      later(all, ofClaims.getOrDefault(MountedClaims.of(job), Collections.emptySortedMap()));
    }
    return all;
  }

  private static void later(SortedMap<String, Refused> all, SortedMap<String, Refused> others) {
    others.forEach(
        (cluster, its) -> all.merge(cluster, its, (a, b) -> a.until().isAfter(b.until()) ? a : b));
  }

  /** Returns the refusals of a job in the world. */
  public SortedMap<String, Refused> of(JobId id) {
    Job job = known.get(id);
    return job == null ? Collections.emptySortedMap() : of(job);
  }
}
