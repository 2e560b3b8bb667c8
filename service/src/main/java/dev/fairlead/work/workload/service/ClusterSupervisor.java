package dev.fairlead.work.workload.service;

import dev.fairlead.data.volume.VolumeBreaker;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.front.service.spi.FrontUpkeep;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeaseKeeper;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.work.attempt.ActionRequest;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.serving.service.spi.ServingUpkeep;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.Contact;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.service.attempt.AttemptMetrics;
import dev.fairlead.work.workload.service.attempt.AttemptRepository;
import dev.fairlead.work.workload.service.contact.ClusterContact;
import dev.fairlead.work.workload.service.contact.ClusterWatch;
import dev.fairlead.work.workload.service.contact.NoticeCount;
import dev.fairlead.work.workload.service.contact.TokenBucket;
import dev.fairlead.work.workload.service.pass.ClockSkewGuard;
import dev.fairlead.work.workload.service.pass.PassState;
import dev.fairlead.work.workload.service.pass.PassView;
import dev.fairlead.work.workload.service.pass.PassViewBuilder;
import dev.fairlead.work.workload.service.pass.ReconcilePass;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Supervises one cluster while it holds the cluster's lease: stores the observed state in the
 * database, and applies the desired state to the cluster. Each pass covers the attempts that
 * changed on either side. A full pass follows a new lease and a change of a node, and runs every
 * five minutes.
 */
final class ClusterSupervisor extends LeasedLoop {
  private static final String LEASE = "cluster/";
  private static final Logger LOG = LoggerFactory.getLogger(ClusterSupervisor.class);
  private static final Duration IDLE = Duration.ofSeconds(2);
  private static final Duration FULL_PASS = Duration.ofMinutes(5);

  /** Time after which an attempt is examined again that neither changed nor has a due time. */
  private static final Duration QUIET = Duration.ofSeconds(30);

  /** Passes that a cluster may trigger without a result before the supervisor pauses. */
  private static final int MOST_IN_VAIN = 20;

  /** Interval after which one more such pass is allowed. */
  private static final Duration IN_VAIN = Duration.ofSeconds(1);

  private static final Duration REST = Duration.ofMillis(200);
  private final ClusterId cluster;
  private final ClusterConnections gateways;
  private final ClusterWatch watch;
  private final AttemptRepository repository;
  private final PassState passes;
  private final ClockSkewGuard time;
  private final Map<AttemptId, ObservedWorkload> observed = new HashMap<>();
  private final Map<AttemptId, Instant> lookAgain = new TreeMap<>();

  private final ActionPages pages;
  private final DivergenceReport divergences;
  private final AttemptMetrics metrics;
  private final TokenBucket inVain;
  private final UnlaunchedAttemptReaper unsent;
  private final TokenRenewal renewal;
  private final PlanDelivery plans;
  private final NamespaceUpkeep namespaces;
  private final VolumeUpkeep volumes;
  private final FrontUpkeep.OfCluster front;
  private final ServingUpkeep.OfCluster services;
  private volatile @Nullable Acting acting;

  /** Epoch under which the cluster confirmed that this database manages it, -1 for none. */
  private volatile long oursUnder = -1;

  private boolean acted;
  private boolean awaited;
  private Duration rest = Duration.ZERO;
  private long revision;
  private long epoch = -1;
  private Instant nextFullPass = Instant.MIN;

  /** Work on the cluster other than its attempts. */
  record Upkeep(
      TokenRenewal renewal,
      NamespaceUpkeep namespaces,
      VolumeUpkeep volumes,
      FrontUpkeep.OfCluster front,
      ServingUpkeep.OfCluster services) {}

  ClusterSupervisor(
      LeaseKeeper keeper,
      ClusterConnections gateways,
      ClusterWatch watch,
      Upkeep upkeep,
      PassState passes) {
    super(name(passes.cluster()), "supervisor", IDLE, keeper);
    this.cluster = passes.cluster();
    this.gateways = gateways;
    this.watch = watch;
    this.renewal = upkeep.renewal();
    this.namespaces = upkeep.namespaces();
    this.volumes = upkeep.volumes();
    this.front = upkeep.front();
    this.services = upkeep.services();
    this.repository = passes.attempts();
    this.metrics = passes.metrics();
    this.time = passes.time();
    this.pages = new ActionPages(repository, cluster);
    this.divergences = new DivergenceReport(cluster, lease(cluster), repository, metrics);
    this.passes = passes;
    this.plans = new PlanDelivery(repository, time::nanos);
    this.unsent = new UnlaunchedAttemptReaper(cluster, repository);
    this.inVain = new TokenBucket(MOST_IN_VAIN, IN_VAIN, time::nanos);
  }

  /** The lease and the gateway under which it acts now. */
  private record Acting(HeldLease lease, ClusterGateway gateway) {}

  static String lease(ClusterId cluster) {
    return LEASE + cluster.bare();
  }

  static String name(ClusterId cluster) {
    return "supervisor-" + cluster.bare();
  }

  static boolean isLease(String name) {
    return name.startsWith(LEASE);
  }

  @Override
  public Duration idle() {
    return watch.withheld() ? keeper().idle(ClusterWatch.TAKE) : super.idle();
  }

  @Override
  public Duration rest() {
    return rest;
  }

  @Override
  public boolean awaited() {
    return awaited;
  }

  @Override
  public Set<WakeUps.Topic> wakesOn() {
    return Set.of(WakeUps.Topic.ATTEMPTS, WakeUps.Topic.ROUTES);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    rest = Duration.ZERO;
    awaited = false;
    ClusterGateway gateway = gateways.of(cluster).orElse(null);
    return gateway != null && supervise(lease, gateway);
  }

  /** Stores that the cluster does not respond, even while a pass waits for it. Thread-safe. */
  void beat() {
    Acting now = acting;
    if (now != null) {
      try {
        watch.contact().beat(now.lease(), now.gateway(), repository::now);
      } catch (FenceLost deposed) {
        if (now.equals(acting)) {
          acting = null; // the pass detects this by itself
        }
      } catch (RuntimeException failed) {
        LOG.warn("cluster {}: could not store its state UNREACHABLE", cluster.text(), failed);
      }
    }
  }

  /** Like {@link TokenRenewal#left()}, empty while another process supervises the cluster. */
  Optional<Duration> tokenLeft() {
    return acting == null ? Optional.empty() : renewal.left();
  }

  /**
   * Like {@link TokenRenewal#certificateLeft()}, empty while another process supervises the
   * cluster.
   */
  Optional<Duration> certificateLeft() {
    return acting == null ? Optional.empty() : renewal.certificateLeft();
  }

  /**
   * Time since the last complete view of the cluster, empty while another process supervises it.
   */
  Optional<Duration> silence() {
    Acting now = acting;
    return now == null
        ? Optional.empty()
        : Optional.of(Duration.ofMillis(now.gateway().contact().silentMillis()));
  }

  /** The notices of the cluster's machines. */
  NoticeCount notices() {
    return watch.notices();
  }

  /** The lease under which it acts now, empty until the cluster has confirmed its epoch. */
  Optional<HeldLease> lease() {
    Acting now = acting;
    return now == null || now.lease().epoch() != oursUnder
        ? Optional.empty()
        : Optional.of(now.lease());
  }

  private boolean supervise(HeldLease lease, ClusterGateway gateway) {
    acting = new Acting(lease, gateway);
    ClockSkewGuard.Seen look = time.look(repository::now);
    Instant now = look.now();
    EpochClaim claim = gateway.claim(lease.epoch(), lease.watermark());
    if (claim instanceof EpochClaim.Higher(long epoch) && keeper().given(epoch)) {
      keeper().lost();
      forget();
      return false;
    }
    keeper().acts(claim.equals(EpochClaim.OURS));
    String heldBack = heldBack(claim, lease, divergences.count());
    oursUnder = heldBack == null ? lease.epoch() : Cluster.onlyReported(heldBack) ? -1 : oursUnder;
    String missing = passes.trouble();
    VolumeBreaker claims = volumes.breaker();
    watch.contact().warn(claims == null ? null : claims.text());
    boolean changed = watch.look(lease, gateway, heldBack == null ? missing : heldBack, now);
    unsent.claimed(lease, claim, now);
    unsent.giveUp(lease, watch.contact().shut());
    boolean acts = heldBack == null && !watch.contact().unanswered();
    if (acts) {
      carry(lease, gateway, missing == null, now);
    }
    boolean resumed = acts && !acted;
    acted = acts;
    boolean all =
        changed || look.stepped() || epoch != lease.epoch() || !now.isBefore(nextFullPass);
    Contact seen = gateway.contact();
    boolean opening = seen.silentMillis() < ClusterContact.UNREACHABLE_AFTER.toMillis();
    if (!seen.synced() && (watch.nodes().isEmpty() || opening)) {
      nextFullPass = Instant.MIN; // a connection that is not open yet does not prove an absence
      return false;
    }
    Instant following = all ? now.plus(FULL_PASS) : nextFullPass;
    nextFullPass = Instant.MIN; // a failed pass loses its list of attempts, so a full pass follows
    Set<AttemptId> due = new TreeSet<>(view(gateway, all).attempts());
    boolean told = watch.withheld() || !due.isEmpty();
    if (epoch != lease.epoch()) {
      passes.begin(cluster);
    }
    List<ActionRequest> wanting = pages.next(id -> passes.stuck(id, now));
    wanting.forEach(request -> addIf(!waits(request, now), due, request.attempt()));
    lookAgain.forEach((id, at) -> addIf(resumed || !now.isBefore(at), due, id));
    due.forEach(lookAgain::remove);
    if (all) {
      lookAgain.clear();
      due.addAll(repository.unretired(cluster));
      divergences.report(observed, heldBack != null);
      epoch = lease.epoch();
    }
    ReconcilePass.Result result =
        new ReconcilePass(passes, view(lease, gateway, acts, now)).run(due);
    lookAgain.putAll(result.lookAgain());
    wanting.forEach(request -> lookAgain.putIfAbsent(request.attempt(), now.plus(QUIET)));
    result.gone().forEach(lookAgain::remove);
    result.left().forEach(lookAgain::remove);
    pages.looked(lookAgain.keySet(), result.left());
    /* Attempts that waited for the breaker are judged by the complete present state. */
    nextFullPass = (missing == null) == (passes.trouble() == null) ? following : Instant.MIN;
    metrics.missing(lease.name(), passes.missing());
    metrics.missingClaims(lease.name(), claims == null ? 0 : claims.missing());
    rest = restAfter(told, result);
    awaited = result.changed();
    /* A replaced process detects its successor at the next claim. */
    return result.deposed() || heldBack == null && pages.more() || result.more();
  }

  private PassView view(HeldLease lease, ClusterGateway gateway, boolean acts, Instant now) {
    return PassViewBuilder.builder()
        .lease(lease)
        .gateway(gateway)
        .watch(watch)
        .observed(observed)
        .acting(acts)
        .marked(() -> marked(gateway))
        .crowded(pages.crowded())
        .now(now)
        .build();
  }

  /**
   * Applies the desired state of nodes, namespaces and volumes.
   *
   * @param sound whether the cluster shows the pods of its attempts: namespaces and claims change
   *     only then
   */
  private void carry(HeldLease lease, ClusterGateway gateway, boolean sound, Instant now) {
    watch.syncNodeLabels(lease, gateway);
    renewal.look(lease, gateway::newToken, now);
    plans.carry(gateway);
    if (sound) {
      namespaces.carry(lease, gateway);
      volumes.carry(lease, gateway);
    }
    front.carry(lease, gateway.front());
    services.carry(lease, gateway.serving());
  }

  /**
   * Writes the watermark of the database to the cluster. No earlier state of the database has this
   * watermark, so a restored database, which lacks the attempts that start now, does not manage the
   * cluster. Returns false if the cluster did not accept the watermark.
   */
  private boolean marked(ClusterGateway gateway) {
    return keeper()
        .raiseWatermark()
        .map(lease -> gateway.claim(lease.epoch(), lease.watermark()).equals(EpochClaim.OURS))
        .orElse(false);
  }

  /**
   * Returns the reason why this process must not act on the cluster, or null when it may act. An
   * epoch or watermark higher than this database ever issued belongs to another database: the
   * original of a copy, or the state before a restore. This process must not end the workloads of
   * that database. Repeated takeovers would reach its epoch, but never its watermark.
   */
  private static @Nullable String heldBack(EpochClaim claim, HeldLease lease, int differ) {
    return switch (claim) {
      case EpochClaim.Ours ours -> null;
      case EpochClaim.Unknown unknown -> unknown.message();
      case EpochClaim.Higher(long epoch) -> older("epoch " + epoch, lease.epoch(), lease, differ);
      case EpochClaim.Ahead(long watermark) ->
          older("watermark " + watermark, lease.watermark(), lease, differ);
    };
  }

  private static String older(String known, long own, HeldLease lease, int differ) {
    return Cluster.ONLY_REPORTED
        + "the cluster knows "
        + known
        + ", this database issued at most "
        + own
        + " of incarnation "
        + (lease.epoch() >>> Integer.SIZE)
        + ". It is a copy or an older state of the active database. "
        + differ
        + " attempts differ, and the log names each of them. To make this one the active"
        + " database, raise its incarnation";
  }

  /**
   * Returns whether the attempt, without an open request since its last pass, only waits for a
   * time, such as an attempt with readable output or a stop in progress. A change on its cluster
   * starts a pass earlier.
   */
  private boolean waits(ActionRequest request, Instant now) {
    Instant until = lookAgain.get(request.attempt());
    boolean dropped =
        pages.crowded()
            && request.kind() == ActionRequest.Kind.CLEAR
            && !passes.stuck(request.attempt(), now);
    return pages.same(request) && until != null && now.isBefore(until) && !dropped;
  }

  /** Limits the share of a cluster that changes its report at every check without a result. */
  private Duration restAfter(boolean told, ReconcilePass.Result result) {
    if (result.changed()) {
      inVain.fill();
    }
    return !told || result.changed() || inVain.take() ? Duration.ZERO : REST;
  }

  private static void addIf(boolean wanted, Set<AttemptId> due, AttemptId id) {
    if (wanted) {
      due.add(id);
    }
  }

  private WorkloadView view(ClusterGateway gateway, boolean all) {
    WorkloadView view = gateway.workloadsSince(all ? 0 : revision);
    if (view.complete()) {
      observed.clear();
    }
    view.workloads()
        .forEach((attempt, workload) -> {
          if (workload.empty()) {
            observed.remove(attempt);
          } else {
            observed.put(attempt, workload);
          }
        });
    revision = view.revision();
    return view;
  }

  @Override
  protected void forget() {
    rest = Duration.ZERO;
    awaited = false;
    Acting was = acting;
    if (was != null) {
      front.leave(was.gateway().front());
    }
    acting = null;
    watch.forget();
    passes.forget();
    if (epoch != -1) {
      observed.clear();
      lookAgain.clear();
      pages.forget();
      epoch = -1;
      revision = 0;
      divergences.forget();
      metrics.forget(lease(cluster));
    }
  }

  @Override
  public void close() {
    acting = null;
    metrics.forget(lease(cluster));
    super.close();
    gateways.close(cluster);
  }
}
