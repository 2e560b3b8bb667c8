package dev.fairlead.work.serving.service;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.store.ExplanationStore;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.serving.Replica;
import dev.fairlead.work.serving.Replica.Condition;
import dev.fairlead.work.serving.Replica.Seen;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceTraffic;
import dev.fairlead.work.serving.ServingStore;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Reads how far replicas have come: their jobs, the explanations of these, and the gateways. */
@Component
public class ReplicaWatch {
  private final ServingStore services;
  private final JobStore jobs;
  private final ExplanationStore explanations;
  private final Transactions transactions;

  public ReplicaWatch(
      ServingStore services,
      JobStore jobs,
      ExplanationStore explanations,
      Transactions transactions) {
    this.services = services;
    this.jobs = jobs;
    this.explanations = explanations;
    this.transactions = transactions;
  }

  /** Jobs of the replicas of all these services. */
  Map<JobId, Job> jobs(List<ServiceState> states) {
    List<JobId> ids =
        states.stream()
            .flatMap(state -> state.replicas().stream())
            .map(Replica::job)
            .filter(Objects::nonNull)
            .toList();
    return ids.isEmpty()
        ? new HashMap<>()
        : transactions.readForAllTenants(() -> jobs.findAll(ids)).stream()
            .collect(Collectors.toMap(Job::id, job -> job));
  }

  /**
   * A service as it is seen.
   *
   * @param traffic of all clusters, by version
   */
  record Look(List<Seen> seen, SortedMap<Integer, ServiceTraffic> traffic) {}

  Look look(ServiceState state, Map<JobId, Job> known) {
    SortedMap<Integer, ServiceTraffic> traffic = new TreeMap<>();
    SortedSet<JobId> ready = new TreeSet<>();
    for (ServiceTraffic each : services.traffic(state.tenant(), state.id())) {
      traffic.put(each.version(), each);
      ready.addAll(each.ready());
    }
    List<JobId> waiting =
        state.replicas().stream()
            .map(Replica::job)
            .filter(Objects::nonNull)
            .filter(id -> queued(known.get(id)))
            .toList();
    Map<JobId, ExplanationStore.Stored> why =
        waiting.isEmpty() ? Map.of() : explanations.of(state.tenant(), waiting);
    List<Seen> seen =
        state.replicas().stream().map(replica -> seen(replica, known, why, ready)).toList();
    return new Look(seen, traffic);
  }

  private static Seen seen(
      Replica replica,
      Map<JobId, Job> known,
      Map<JobId, ExplanationStore.Stored> why,
      SortedSet<JobId> ready) {
    JobId id = replica.job();
    if (id == null) {
      return new Seen(replica, Condition.WAITING, unsubmitted(replica));
    }
    Job job = known.get(id);
    if (job == null || job.run().ended()) {
      return new Seen(replica, Condition.ENDED, ended(replica, job), longRun(job), null);
    }
    if (job.state() == JobState.RUNNING && ready.contains(id)) {
      return new Seen(replica, Condition.READY, "");
    }
    ExplanationStore.Stored stored = why.get(id);
    String reason =
        stored == null
            ? "job %s is %s%s"
                .formatted(
                    job.name(),
                    job.state(),
                    job.state() == JobState.RUNNING ? ", and no gateway reports it as ready" : "")
            : "job %s waits: %s".formatted(job.name(), stored.explanation().first().message());
    return new Seen(
        replica, Condition.WAITING, reason, false, queued(job) ? job.createdAt() : null);
  }

  private static boolean queued(@Nullable Job job) {
    return job != null && job.state() == JobState.QUEUED;
  }

  private static boolean longRun(@Nullable Job job) {
    Instant started = job == null ? null : job.run().startedAt();
    Instant ended = job == null ? null : job.run().endedAt();
    return started != null
        && ended != null
        && Duration.between(started, ended).compareTo(Replica.LONG_RUN) >= 0;
  }

  private static String unsubmitted(Replica replica) {
    return replica.refused().isEmpty()
        ? "it is not submitted yet"
        : "its job is refused: " + replica.refused();
  }

  private static String ended(Replica replica, @Nullable Job job) {
    Failure failure = job == null ? null : job.run().failure();
    return "job of replica %d ended%s"
        .formatted(replica.ordinal(), failure == null ? "" : ": " + failure.message());
  }
}
