package dev.fairlead.work.serving.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.FleetSource;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.NodePage;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.store.ExplanationStore;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.serving.Replica;
import dev.fairlead.work.serving.Replica.Condition;
import dev.fairlead.work.serving.Replica.Seen;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceTraffic;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.ServingStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Reads the progress of replicas: their jobs and explanations, the gateways, and the nodes and
 * clusters that replicas have to leave.
 */
@Component
public class ReplicaWatch {
  private static final Set<NodeState> EXITS = Set.of(NodeState.DRAINING, NodeState.UNREACHABLE);

  /**
   * Silence after which the replicas of a cluster are replaced. A cluster is also UNREACHABLE after
   * a restart of the service, until its supervisor has seen it.
   */
  private static final Duration SILENT = Duration.ofSeconds(60);

  /** Silence after which the share of a cluster moves to clusters that answer. */
  private static final Duration SHARE_SILENT = Duration.ofSeconds(10);

  /** Maximum time in the queue of a job with free quota and nodes. */
  private static final Duration QUICK_START = Duration.ofSeconds(10);

  private final ServingStore services;
  private final JobStore jobs;
  private final ExplanationStore explanations;
  private final InventoryStore inventory;
  private final Transactions transactions;
  private volatile @Nullable Instant firstLook;

  public ReplicaWatch(
      ServingStore services,
      JobStore jobs,
      ExplanationStore explanations,
      InventoryStore inventory,
      Transactions transactions) {
    this.services = services;
    this.jobs = jobs;
    this.explanations = explanations;
    this.inventory = inventory;
    this.transactions = transactions;
  }

  /**
   * Jobs of replicas.
   *
   * @param leaving replicas on a node or cluster that is drained or unreachable
   * @param places the cluster of each job that has one
   * @param crowded queues with a replica that has waited for longer than a start takes
   * @param certain whether each cluster answers or has been silent for long
   */
  record Known(
      Map<JobId, Job> jobs,
      Map<JobId, Exit> leaving,
      Map<JobId, Place> places,
      Set<QuotaNodeId> crowded,
      boolean certain) {
    /**
     * Replicas of a version that do not leave, by the name of their cluster. A job that waits
     * counts for the cluster that is tried first.
     */
    SortedMap<String, Integer> replicas(ServiceState state, int version) {
      SortedMap<String, Integer> counts = new TreeMap<>();
      for (Replica replica : state.replicas()) {
        JobId id = replica.job();
        Job job = id == null ? null : jobs.get(id);
        if (job != null
            && replica.version() == version
            && !replica.stopping()
            && !job.run().ended()
            && !leaving.containsKey(id)) {
          Place place = places.get(id);
          (place == null
                  ? job.spec().placement().preferred().stream().findFirst()
                  : Optional.of(place.cluster()))
              .ifPresent(name -> counts.merge(name, 1, Integer::sum));
        }
      }
      return counts;
    }

    /**
     * Returns whether a replica of any service waits in a queue of the replicas of this service.
     */
    boolean crowded(ServiceState state) {
      return state.replicas().stream()
          .map(Replica::job)
          .filter(Objects::nonNull)
          .map(jobs::get)
          .anyMatch(job -> job != null && crowded.contains(job.queue()));
    }
  }

  record Place(String cluster, Contact contact) {}

  /** Whether a cluster gets a share of the traffic. */
  enum Contact {
    ANSWERS,
    /**
     * Silent for a short time, or not seen yet after a restart. The cluster gets a share only if it
     * had one.
     */
    UNKNOWN,
    SILENT
  }

  /**
   * Why a replica leaves.
   *
   * @param answers whether it still takes requests
   */
  record Exit(boolean answers, String why) {}

  /** Jobs of the replicas of all these services. */
  Known known(List<ServiceState> states) {
    List<JobId> ids =
        states.stream()
            .flatMap(state -> state.replicas().stream())
            .map(Replica::job)
            .filter(Objects::nonNull)
            .toList();
    return ids.isEmpty()
        ? new Known(Map.of(), Map.of(), Map.of(), Set.of(), true)
        : transactions.readForAllTenants(() -> known(ids, inventory.clusters()));
  }

  /** The time of plans. */
  Instant now() {
    return jobs.now();
  }

  List<Cluster> clusters() {
    return inventory.clusters();
  }

  /** The fleet for the placement of new replicas. */
  FleetSource.Fleet fleet() {
    return inventory.fleet();
  }

  /** Attempts of one cluster are read only while it or one of its nodes is out of service. */
  private Known known(List<JobId> ids, List<Cluster> clusters) {
    Map<JobId, Job> found =
        jobs.findAll(ids).stream().collect(Collectors.toMap(Job::id, job -> job));
    Instant now = jobs.now();
    Instant looked = firstLook;
    Instant first = looked == null || looked.isAfter(now) ? now : looked;
    firstLook = first;
    Map<ClusterId, Exit> exits = new HashMap<>();
    Map<ClusterId, Place> places = new HashMap<>();
    for (Cluster each : clusters) {
      exit(each, first, now).ifPresent(exit -> exits.put(each.id(), exit));
      places.put(each.id(), new Place(each.name(), contact(each, first, now)));
    }
    Set<QuotaNodeId> crowded =
        found.values().stream()
            .filter(job -> queued(job) && !now.isBefore(job.createdAt().plus(QUICK_START)))
            .map(Job::queue)
            .collect(Collectors.toSet());
    boolean certain =
        places.values().stream().noneMatch(place -> place.contact() == Contact.UNKNOWN);
    boolean calm =
        exits.isEmpty() && inventory.page(new NodePage(null, EXITS, null, null, 1)).isEmpty();
    if (calm && clusters.size() == 1) {
      Place only = places.values().iterator().next();
      return new Known(
          found,
          Map.of(),
          found.keySet().stream().collect(Collectors.toMap(id -> id, id -> only)),
          crowded,
          certain);
    }
    List<Attempt> attempts = jobs.liveAttempts(ids);
    Map<JobId, Place> ofJobs = new HashMap<>();
    for (Attempt attempt : attempts) {
      Place place = places.get(attempt.cluster());
      if (place != null) {
        ofJobs.put(attempt.job(), place);
      }
    }
    return new Known(found, calm ? Map.of() : leaving(attempts, exits), ofJobs, crowded, certain);
  }

  private Map<JobId, Exit> leaving(List<Attempt> attempts, Map<ClusterId, Exit> clusters) {
    Set<NodeId> nodes =
        attempts.stream()
            .flatMap(attempt -> attempt.members().stream())
            .map(Member::node)
            .collect(Collectors.toCollection(TreeSet::new));
    Map<NodeId, Exit> ofNodes = new HashMap<>();
    for (Node each : inventory.inService(nodes)) {
      if (EXITS.contains(each.state())) {
        ofNodes.put(
            each.id(),
            new Exit(
                each.state() == NodeState.DRAINING,
                "node %s is %s".formatted(each.name(), each.state())));
      }
    }
    Map<JobId, Exit> leaving = new HashMap<>();
    for (Attempt attempt : attempts) {
      attempt.members().stream()
          .map(member -> ofNodes.get(member.node()))
          .filter(Objects::nonNull)
          .min(Comparator.comparing(Exit::answers))
          .ifPresent(exit -> leaving.put(attempt.job(), exit));
      Exit ofCluster = clusters.get(attempt.cluster());
      if (ofCluster != null) {
        leaving.put(attempt.job(), ofCluster);
      }
    }
    return leaving;
  }

  private static Optional<Exit> exit(Cluster cluster, Instant firstLook, Instant now) {
    String why = "cluster %s is %s".formatted(cluster.name(), cluster.state());
    return switch (cluster.state()) {
      case ACTIVE, DEGRADED -> Optional.empty();
      case DRAINING -> Optional.of(new Exit(true, why));
      case UNREACHABLE ->
          silent(cluster, firstLook, now, SILENT)
              ? Optional.of(new Exit(false, why))
              : Optional.empty();
      case DISABLED -> Optional.of(new Exit(false, why));
    };
  }

  /**
   * The last contact of a cluster that answers is stored from time to time, so it proves a silence
   * of seconds only of a cluster that no longer answers its supervisor. A supervisor that is not
   * connected yet shows its cluster as UNREACHABLE.
   */
  private static Contact contact(Cluster cluster, Instant firstLook, Instant now) {
    boolean unreachable = cluster.state() == ClusterState.UNREACHABLE;
    if (!unreachable && !cluster.unanswered()) {
      return Contact.ANSWERS;
    }
    return silent(cluster, firstLook, now, unreachable ? SILENT : SHARE_SILENT)
        ? Contact.SILENT
        : Contact.UNKNOWN;
  }

  /**
   * After a time without any process, the last contact is old, so this process waits too. After the
   * database's clock was set back, the last contact is later than now.
   */
  private static boolean silent(Cluster cluster, Instant firstLook, Instant now, Duration longest) {
    Instant seen = cluster.lastSeenAt();
    return Duration.between(firstLook, now).compareTo(longest) >= 0
        && (seen == null || Duration.between(seen, now).abs().compareTo(longest) >= 0);
  }

  /**
   * A service as it is seen.
   *
   * @param traffic traffic of all clusters, by version
   */
  record Look(List<Seen> seen, SortedMap<Integer, ServiceTraffic> traffic) {}

  Look look(ServiceState state, Known known) {
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
            .filter(id -> queued(known.jobs().get(id)))
            .toList();
    Map<JobId, ExplanationStore.Stored> why =
        waiting.isEmpty() ? Map.of() : explanations.of(state.tenant(), waiting);
    List<Seen> seen =
        state.replicas().stream()
            .map(replica -> left(seen(replica, known.jobs(), why, ready), known.leaving()))
            .toList();
    return new Look(placed(state, seen, known.places()), traffic);
  }

  /** Without a ready replica on a cluster that answers, no replica has a cluster. */
  private static List<Seen> placed(ServiceState state, List<Seen> seen, Map<JobId, Place> places) {
    boolean answers =
        seen.stream()
            .filter(each -> each.condition() == Condition.READY)
            .map(each -> place(each, places))
            .anyMatch(place -> place != null && place.contact() == Contact.ANSWERS);
    return answers
        ? seen.stream().map(each -> each.at(sharing(state, place(each, places)))).toList()
        : seen;
  }

  private static @Nullable Place place(Seen seen, Map<JobId, Place> places) {
    JobId job = seen.replica().job();
    return job == null ? null : places.get(job);
  }

  private static @Nullable String sharing(ServiceState state, @Nullable Place place) {
    if (place == null) {
      return null;
    }
    boolean shares =
        switch (place.contact()) {
          case ANSWERS -> true;
          case UNKNOWN -> state.shares().containsKey(place.cluster());
          case SILENT -> false;
        };
    return shares ? place.cluster() : null;
  }

  /** A replica on a silent cluster or node is not ready, regardless of the last report. */
  private static Seen left(Seen seen, Map<JobId, Exit> leaving) {
    JobId job = seen.replica().job();
    Exit exit = job == null ? null : leaving.get(job);
    if (exit == null || seen.condition() == Condition.ENDED) {
      return seen;
    }
    return exit.answers() && seen.condition() == Condition.READY
        ? seen.left(Condition.READY, "")
        : seen.left(Condition.WAITING, exit.why());
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
      return new Seen(
          replica, Condition.ENDED, ended(replica, job), longRun(job), null, false, null);
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
        replica,
        Condition.WAITING,
        reason,
        false,
        queued(job) ? job.createdAt() : null,
        false,
        null);
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
    String model = job == null ? null : job.spec().annotations().get(ServiceVersion.MODEL);
    return "job of replica %d%s ended%s"
        .formatted(
            replica.ordinal(),
            model == null ? "" : " with model " + model,
            failure == null ? "" : ": " + failure.message());
  }
}
