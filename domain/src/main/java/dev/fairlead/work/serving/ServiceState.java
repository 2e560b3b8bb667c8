package dev.fairlead.work.serving;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a service: its stable version, its rollout, its replicas and the weights of its
 * route, in one row that is always consistent in itself.
 *
 * @param document name of the document with its settings
 * @param route host name, as in its settings
 * @param latest number of the last version
 * @param stable number of the version that has the traffic
 * @param warm the previous stable version, which keeps its replicas for a while, or null
 * @param rollout the last rollout, open or ended, or null before the first
 * @param weights percent of the traffic by version: 100 together, or empty when nothing is ready
 * @param replicas replicas of all versions
 * @param deleting whether the service is removed when its replicas have ended
 * @param revision rises with each change
 * @param scaling number of replicas by load, or null before the first sample, without a load target
 *     and while the service sleeps
 * @param idleness whether the service sleeps, or null before the first sample and if it never
 *     sleeps
 * @param shares percent of the traffic by cluster: 100 together, or empty when nothing is ready
 */
@RecordBuilder
public record ServiceState(
    ModelServiceId id,
    TenantId tenant,
    String document,
    String route,
    int latest,
    int stable,
    @Nullable Warm warm,
    @Nullable Rollout rollout,
    SortedMap<Integer, Integer> weights,
    List<Replica> replicas,
    boolean deleting,
    long revision,
    @Nullable Scaling scaling,
    @Nullable Idleness idleness,
    SortedMap<String, Integer> shares)
    implements ServiceStateBuilder.With {
  private static final int ALL = 100;

  /** A version with replicas that run without traffic. */
  public record Warm(int version, Instant until) {}

  public ServiceState {
    weights = Collections.unmodifiableSortedMap(new TreeMap<>(weights));
    replicas = List.copyOf(replicas);
    shares =
        Collections.unmodifiableSortedMap(shares == null ? new TreeMap<>() : new TreeMap<>(shares));
  }

  /** A new service. Its first version needs no rollout. */
  public static ServiceState first(
      ModelServiceId id, TenantId tenant, String document, String route) {
    return ServiceStateBuilder.builder()
        .id(id)
        .tenant(tenant)
        .document(document)
        .route(route)
        .latest(1)
        .stable(1)
        .warm(null)
        .rollout(null)
        .weights(new TreeMap<>())
        .replicas(List.of())
        .deleting(false)
        .revision(1)
        .scaling(null)
        .idleness(null)
        .shares(new TreeMap<>())
        .build();
  }

  /** Returns whether requests reach the version, or may soon. */
  public boolean serves(int version) {
    return version == stable
        || weights.containsKey(version)
        || rollout != null && rollout.open() && rollout.target() == version;
  }

  /** Replicas that are not stopping, of the versions that {@link #serves} names. */
  public List<Replica.Seen> serving(List<Replica.Seen> seen) {
    return seen.stream()
        .filter(each -> !each.replica().stopping() && serves(each.replica().version()))
        .toList();
  }

  /** Returns the state with a new version and its rollout, which replaces an open rollout. */
  public ServiceState released(Instant now) {
    return with()
        .latest(latest + 1)
        .rollout(Rollout.to(latest + 1, true, now))
        .revision(revision + 1)
        .idleness(awoken(now, "version %d was applied".formatted(latest + 1)))
        .build();
  }

  /**
   * All traffic moves to the target of the open rollout as soon as its replicas are ready.
   *
   * @param version target that the caller has seen
   * @throws Refusal ILLEGAL_STATE without an open rollout to this version
   */
  public ServiceState promoted(int version, String by, Instant now) {
    return with(opened(version).unjudged(now, "promoted by " + by))
        .measured(scaling, awoken(now, "version %d was promoted".formatted(version)));
  }

  /**
   * All traffic returns to the stable version.
   *
   * @param version target that the caller has seen
   * @throws Refusal ILLEGAL_STATE without an open rollout to this version
   */
  public ServiceState aborted(int version, String by, Instant now) {
    return with(opened(version).ended(RolloutPhase.ABORTED, now, "aborted by " + by));
  }

  /**
   * Stops the steps of the open rollout until {@link #resumed}. A bad version is still rolled back.
   *
   * @param version target that the caller has seen
   * @throws Refusal ILLEGAL_STATE without an open rollout with steps to this version
   */
  public ServiceState paused(int version, String by, Instant now) {
    Rollout open = stepping(version);
    return open.paused()
        ? this
        : with(
            open.with().pause(new Rollout.Pause(now, by)).reason("it was paused by " + by).build());
  }

  /**
   * Continues a paused rollout. A rollout that is not paused does not change.
   *
   * @param version target that the caller has seen
   * @throws Refusal ILLEGAL_STATE without an open rollout with steps to this version
   */
  public ServiceState resumed(int version, String by) {
    Rollout open = stepping(version);
    return open.paused()
        ? with(open.with().pause(null).reason("it was resumed by " + by).build())
        : this;
  }

  /**
   * Begins the next step without a verdict on the current step. The step to 100 percent is not
   * skipped.
   *
   * @param version target that the caller has seen
   * @param share percent of the step that the caller has seen, so that a repeated command skips no
   *     further step
   * @throws Refusal ILLEGAL_STATE without an open rollout with steps to this version, while it is
   *     paused, and unless it is in this step
   */
  public ServiceState skipped(int version, int share, String by, Instant now) {
    Rollout open = stepping(version);
    if (open.paused()
        || open.phase() == RolloutPhase.WAITING_FOR_REPLICAS
        || open.share() != share
        || share == ALL) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "The rollout to version %d is %s at %d %%, so the step of %d %% cannot be skipped: %s."
              .formatted(version, open.phase(), open.share(), share, open.reason()));
    }
    return with(open.next(now, "the step of %d %% was skipped by %s".formatted(share, by)));
  }

  /** The pause of its open rollout. A service that is being deleted has none. */
  public Optional<Rollout.Pause> pause() {
    return deleting ? Optional.empty() : Optional.ofNullable(rollout).map(Rollout::pause);
  }

  private Rollout stepping(int version) {
    Rollout open = opened(version);
    if (!open.judged()) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "The rollout to version %d has no steps: %s.".formatted(version, open.reason()));
    }
    return open;
  }

  /** Moves all traffic to the version as soon as its replicas are ready, without steps. */
  public ServiceState rolledBack(int version, Instant now) {
    if (version == stable) {
      Rollout open = rollout;
      return open != null && open.open() ? aborted(open.target(), "a rollback", now) : this;
    }
    return with(Rollout.to(version, false, now))
        .measured(scaling, awoken(now, "version %d was rolled back to".formatted(version)));
  }

  private Rollout opened(int version) {
    Rollout last = rollout;
    if (last == null || !last.open() || last.target() != version) {
      String now =
          last == null
              ? "this service has had no rollout"
              : "the last rollout moves to version %d and is %s"
                  .formatted(last.target(), last.phase());
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "There is no open rollout to version %d: %s.".formatted(version, now));
    }
    return last;
  }

  private ServiceState with(Rollout next) {
    return planned(stable, warm, next, weights, replicas);
  }

  /** All replicas are stopped, and then the service is removed. */
  public ServiceState deleted() {
    return with().warm(null).weights(new TreeMap<>()).deleting(true).revision(revision + 1).build();
  }

  public ServiceState routed(String to) {
    return with().route(to).revision(revision + 1).build();
  }

  ServiceState planned(
      int nextStable,
      @Nullable Warm nextWarm,
      @Nullable Rollout nextRollout,
      SortedMap<Integer, Integer> nextWeights,
      List<Replica> nextReplicas) {
    return with()
        .stable(nextStable)
        .warm(nextWarm)
        .rollout(nextRollout)
        .weights(nextWeights)
        .replicas(nextReplicas)
        .revision(revision + 1)
        .build();
  }

  /**
   * Returns the state with the same revision, another number of replicas by load and another
   * idleness.
   */
  ServiceState measured(@Nullable Scaling byLoad, @Nullable Idleness idle) {
    return with().scaling(byLoad).idleness(idle).build();
  }

  /** Returns the state with the same revision and other shares of clusters. */
  ServiceState shared(SortedMap<String, Integer> byCluster) {
    return with().shares(byCluster).build();
  }

  private @Nullable Idleness awoken(Instant now, String why) {
    return idleness == null ? null : idleness.woken(now, why);
  }

  /**
   * Returns the state in which the service runs at least one replica. Returns this state if the
   * service never sleeps.
   */
  public ServiceState woken(Instant now, String why) {
    Idleness awoken = awoken(now, why);
    return awoken == null || awoken.equals(idleness)
        ? this
        : with(replicas).measured(scaling, awoken);
  }

  /** Returns whether no version has traffic because the service is idle. */
  public boolean closed() {
    return idleness != null && idleness.closed();
  }

  /** Ready replicas that the service should have: its floor, or more by its load. */
  public int wanted(ModelService service) {
    if (idleness != null && idleness.sleeping()) {
      return 0;
    }
    ModelService awake = service.awake();
    Scaling byLoad = service.scale() == null ? null : scaling;
    return byLoad == null ? awake.minReplicas() : awake.bounded(byLoad.wanted());
  }

  /** Returns the state with another list of replicas. */
  public ServiceState with(List<Replica> others) {
    return planned(stable, warm, rollout, weights, others);
  }

  /** Returns whether everything but the revision is equal. */
  public boolean same(ServiceState other) {
    return other.deleting == deleting
        && planned(stable, warm, rollout, weights, replicas)
            .equals(
                ServiceStateBuilder.builder()
                    .id(other.id)
                    .tenant(other.tenant)
                    .document(other.document)
                    .route(other.route)
                    .latest(other.latest)
                    .stable(other.stable)
                    .warm(other.warm)
                    .rollout(other.rollout)
                    .weights(other.weights)
                    .replicas(other.replicas)
                    .deleting(other.deleting)
                    .revision(revision + 1)
                    .scaling(other.scaling)
                    .idleness(other.idleness)
                    .shares(other.shares)
                    .build());
  }
}
