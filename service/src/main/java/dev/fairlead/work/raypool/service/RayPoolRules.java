package dev.fairlead.work.raypool.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.service.spi.RayPools;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.warmpool.WarmPool;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Checks the Ray pool that a job names, and reports why a driver waits for its place. */
@Component
public class RayPoolRules implements RayPools {
  /** States of drivers that have a place. */
  private static final List<JobState> INSIDE =
      List.of(JobState.QUEUED, JobState.ADMITTED, JobState.STARTING, JobState.RUNNING);

  private final ConfigStore documents;
  private final JobStore jobs;

  public RayPoolRules(ConfigStore documents, JobStore jobs) {
    this.documents = documents;
    this.jobs = jobs;
  }

  @Override
  public void known(JobSpec spec, Project project) {
    String name = RayPoolJob.pool(spec);
    if (name == null) {
      return;
    }
    List<String> pools =
        documents.all(WarmPool.DOCUMENTS, project.tenant()).stream()
            .filter(document -> project.id().equals(document.project()))
            .map(ConfigDocument::value)
            .filter(pool -> pool.ray() != null && !pool.deleting())
            .map(WarmPool::name)
            .sorted()
            .toList();
    if (!pools.contains(name)) {
      String detail =
          "Project %s has no Ray pool \"%s\". %s"
              .formatted(
                  project.name(),
                  name,
                  pools.isEmpty()
                      ? "An owner of the project can add it: fairlead project ray-pool set " + name
                      : "Its Ray pools: " + String.join(", ", pools) + ".");
      throw Refusal.field("/rayPool", detail, pools.isEmpty() ? null : pools.getFirst());
    }
  }

  @Override
  public Optional<Blocker> waits(Job job) {
    String name = RayPoolJob.pool(job.spec());
    if (name == null) {
      return Optional.empty();
    }
    String key = WarmPool.document(job.project(), name);
    WarmPool pool =
        documents
            .find(WarmPool.DOCUMENTS, job.tenant(), key)
            .map(ConfigDocument::value)
            .orElse(null);
    WarmPool.Sharing ray = pool == null ? null : pool.ray();
    if (pool == null || ray == null || pool.deleting()) {
      return Optional.of(
          blocker(
              name,
              "Ray pool %s is being deleted".formatted(name),
              new TreeMap<>(),
              "submit the job to another pool"));
    }
    List<Job> clusters = clusters(job, pool);
    List<Job> running = clusters.stream().filter(each -> each.state() == JobState.RUNNING).toList();
    return Optional.of(
        running.isEmpty() ? without(pool, clusters) : full(pool, ray.jobs(), running));
  }

  private List<Job> clusters(Job driver, WarmPool pool) {
    return jobs.activeNamed(driver.tenant(), driver.project(), pool.clusterNames()).stream()
        .flatMap(named -> jobs.find(driver.tenant(), named.id()).stream())
        .filter(job -> RayPoolJob.isCluster(job.spec()))
        .toList();
  }

  private static Blocker without(WarmPool pool, List<Job> clusters) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("clusters", (long) clusters.size());
    numbers.put("mostClusters", (long) pool.members());
    return clusters.isEmpty()
        ? blocker(
            pool.name(),
            "Ray pool %s has no Ray cluster, and starts one".formatted(pool.name()),
            numbers,
            "fairlead project ray-pool list shows why none starts")
        : blocker(
            pool.name(),
            "no Ray cluster of the pool %s runs yet: %s is %s"
                .formatted(pool.name(), clusters.getFirst().name(), clusters.getFirst().state()),
            numbers,
            "fairlead why " + clusters.getFirst().name());
  }

  private Blocker full(WarmPool pool, int each, List<Job> running) {
    long inside = 0;
    Instant next = null;
    for (Job cluster : running) {
      List<Job> drivers = drivers(cluster);
      inside += drivers.size();
      for (Job driver : drivers) {
        Instant end = latestEnd(driver);
        next = end != null && (next == null || end.isBefore(next)) ? end : next;
      }
    }
    long places = (long) running.size() * each;
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("jobs", inside);
    numbers.put("places", places);
    numbers.put("clusters", (long) running.size());
    numbers.put("mostClusters", (long) pool.members());
    String name = pool.name();
    if (inside < places) {
      return blocker(
          name,
          "Ray pool %s has %d jobs on %d places, and assigns a place within seconds"
              .formatted(name, inside, places),
          numbers,
          null);
    }
    String wait =
        next == null
            ? "the next place is free when one of them ends"
            : "the next place is free by " + next.truncatedTo(ChronoUnit.SECONDS);
    String action =
        running.size() < pool.members()
            ? "fairlead project ray-pool list shows why no further Ray cluster runs"
            : "an owner of the project can raise the maximum: fairlead project ray-pool set "
                + name
                + " --max";
    return blocker(
        name,
        "Ray pool %s is full: %d of %d jobs in %d of at most %d Ray clusters, and %s"
            .formatted(name, inside, places, running.size(), pool.members(), wait),
        numbers,
        action);
  }

  private List<Job> drivers(Job cluster) {
    JobFilter inside =
        JobFilter.of(cluster.tenant(), cluster.project())
            .labelled(new TreeMap<>(Map.of(RayPoolJob.DRIVER, cluster.name())))
            .withStates(INSIDE)
            .withLimit(RayPoolJob.MOST_DRIVERS);
    return jobs.list(inside).jobs();
  }

  private static @Nullable Instant latestEnd(Job driver) {
    Duration longest = driver.spec().maxRuntime();
    Instant started = driver.run().startedAt();
    return longest == null || started == null ? null : started.plus(longest);
  }

  private static Blocker blocker(
      String pool, String message, SortedMap<String, Long> numbers, @Nullable String action) {
    Blocker.Scope scope = new Blocker.Scope(Blocker.Scope.Kind.JOB, pool);
    return new Blocker(Reason.CAPACITY, scope, message, numbers, action);
  }
}
