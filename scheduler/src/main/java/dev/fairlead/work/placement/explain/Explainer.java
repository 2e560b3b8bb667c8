package dev.fairlead.work.placement.explain;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.ClusterVerdict;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.explanation.NearMiss;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.admission.Shortfall;
import dev.fairlead.work.placement.backoff.Refusals;
import dev.fairlead.work.placement.blockers.Blockers;
import dev.fairlead.work.placement.blockers.NeverFits;
import dev.fairlead.work.placement.blockers.QuarantineBlockers;
import dev.fairlead.work.placement.blockers.QuotaBlockers;
import dev.fairlead.work.placement.blockers.ReservationBlockers;
import dev.fairlead.work.placement.blockers.SupplyBlockers;
import dev.fairlead.work.placement.filter.Filters;
import dev.fairlead.work.placement.gang.ElementPlacer;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.node.Undo;
import dev.fairlead.work.placement.preemption.PreemptionOff;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.routing.FlavorAssignments;
import dev.fairlead.work.placement.shape.BookedNodes;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.JobShape;
import dev.fairlead.work.placement.shape.MemberShape;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds every blocker of a shape in the state at the end of the cycle, so that its near misses are
 * valid for the next cycle.
 */
public final class Explainer {
  /** Maximum number of reservations that are examined individually. */
  private static final int MOST_PLACES = 16;

  /** Allowance for the owner to change the job before a window closes. */
  private static final Duration TIME_TO_CHANGE = Duration.ofMinutes(1);

  private final Fleet fleet;
  private final Admission admission;
  private final Ledger ledger;
  private final WorkBudget work;
  private final Instant asOf;
  private final Reservations reservations;
  private final Capacity capacity;
  private final ElementPlacer placer;
  private final FairShare fairShare;
  private final BackingOff backingOff;
  private final PreemptionOff preemptionOff;

  public Explainer(Reservations reservations, Ledger ledger, WorkBudget work, Instant asOf) {
    this.reservations = reservations;
    fleet = reservations.fleet();
    admission = reservations.admission();
    this.ledger = ledger;
    this.work = work;
    this.asOf = asOf;
    capacity = new Capacity(ledger, work);
    placer = new ElementPlacer(admission, ledger, work);
    fairShare = new FairShare(reservations);
    preemptionOff = new PreemptionOff(reservations);
    backingOff = new BackingOff(fleet, ledger, work, placer, asOf);
  }

  /** Returns whether all requests of the gang are supported. An unsupported job is not tried. */
  public static boolean supports(GangShape gang) {
    return Unsupported.of(gang).isEmpty();
  }

  /**
   * Returns the blockers that waiting cannot remove: the blockers of {@link #hopeless(GangShape,
   * Fleet)}, current prices above all caps of the queue, or too little quota.
   */
  public static List<Blocker> hopeless(JobShape shape, Fleet fleet, Admission admission) {
    return unlessSupplied(fleet, each -> hopelessOn(shape, each, admission));
  }

  /**
   * Returns the blockers that hold for any queue: an unsupported request, or a request that the
   * fleet could never meet.
   */
  public static List<Blocker> hopeless(GangShape gang, Fleet fleet) {
    return unlessSupplied(fleet, each -> hopelessOn(gang, each));
  }

  /** Ignores blockers that nodes from a provisioner would remove. */
  private static List<Blocker> unlessSupplied(Fleet fleet, Function<Fleet, List<Blocker>> judge) {
    List<Blocker> found = judge.apply(fleet);
    Fleet supplied = found.isEmpty() ? null : fleet.supplied();
    return supplied == null || !judge.apply(supplied).isEmpty() ? found : List.of();
  }

  private static List<Blocker> hopelessOn(JobShape shape, Fleet fleet, Admission admission) {
    List<Blocker> anywhere = hopelessOn(shape.gang(), fleet);
    if (!anywhere.isEmpty()) {
      return anywhere;
    }
    Optional<Blocker> tooDear = TierBlockers.never(shape.gang(), fleet);
    return tooDear.isPresent() ? List.of(tooDear.get()) : NeverAfforded.of(shape, fleet, admission);
  }

  private static List<Blocker> hopelessOn(GangShape gang, Fleet fleet) {
    List<Blocker> unsupported = Unsupported.of(gang);
    if (!unsupported.isEmpty()) {
      return unsupported;
    }
    return NeverFits.of(gang, fleet).stream().toList();
  }

  public boolean keepsPlace(JobId job) {
    return reservations.keeps(job);
  }

  /**
   * Finds all current blockers of the shape.
   *
   * @param hopeless the result of {@link #hopeless}
   * @param first first job of the shape. Its own reservations do not block it
   * @param alone true to ignore the reservations of {@code first}, so a job is never reported as
   *     blocked by its own reservation
   */
  public Findings find(JobShape shape, List<Blocker> hopeless, JobId first, boolean alone) {
    if (!supports(shape.gang())) {
      return new Findings(Blockers.ranked(hopeless), List.of());
    }
    if (!alone) {
      return find(shape, hopeless, first, null);
    }
    reservations.liftOf(first);
    Findings found = find(shape, hopeless, first, first);
    reservations.restoreOf(first);
    return found;
  }

  /**
   * @param own the job with the ignored reservations, null if none
   */
  private Findings find(JobShape shape, List<Blocker> hopeless, JobId first, @Nullable JobId own) {
    List<Blocker> blockers = new ArrayList<>(hopeless);
    if (hopeless.isEmpty()) {
      reservations.liftOf(first);
      backingOff.of(shape).ifPresent(blockers::add);
      if (own == null) {
        reservations.restoreOf(first);
      }
    }
    boolean starts =
        hopeless.isEmpty() && blockers.isEmpty() && addAssignments(shape, own, blockers);
    if (starts) {
      return new Findings(List.of(), List.of());
    }
    if (hopeless.isEmpty()) {
      addReserved(shape, own, blockers);
      addSpares(shape, blockers);
      addAdvanceReservations(shape, first, blockers);
      addClusters(shape.gang(), fleet.refusals().of(first), blockers);
      blockers.addAll(Blockers.drawn(shape.gang()).stream().toList());
      Blocker off = preemptionOff.blocker(shape, FlavorAssignments.of(shape.gang(), fleet));
      if (off != null) {
        blockers.add(off);
      }
      blockers.addAll(TierBlockers.of(shape.gang(), fleet));
      blockers.addAll(SupplyBlockers.of(shape.gang(), fleet));
    }
    if (blockers.isEmpty()) {
      blockers.add(
          Blockers.of(Reason.CAPACITY, Blockers.FLEET, "no eligible node accepts it now", null));
    }
    List<ClusterVerdict> verdicts = new Verdicts(fleet, work).of(shape.gang());
    return new Findings(Blockers.ranked(blockers), verdicts);
  }

  private List<NearMiss> nearMisses(JobShape shape, JobId first) {
    NearMissTrial trial = new NearMissTrial(fleet, ledger, work, placer, shape.queue());
    NearMisses.search(shape.gang(), trial);
    if (shape.gang().nonPreemptible()) {
      trial.offer("preemption.allowed", "false", "true", shape.gang().preemptible());
    }
    shorterRuntime(shape.gang(), trial);
    reservations.liftOf(first);
    AdvanceReservationBlockers.shorterRuntime(shape.gang(), asOf.plus(TIME_TO_CHANGE), trial);
    reservations.restoreOf(first);
    return trial.found();
  }

  /**
   * Offers a shorter runtime if a window is open now but closes before the maximum runtime has
   * passed.
   */
  private void shorterRuntime(GangShape gang, NearMissTrial trial) {
    for (ClusterCapacity cluster : fleet.clusters()) {
      Instant until = cluster.cluster().settings().window().until();
      if (until != null
          && gang.closed().contains(cluster.name())
          && cluster.cluster().settings().window().open(asOf)) {
        long minutes = Duration.between(asOf, until).minus(TIME_TO_CHANGE).toMinutes();
        if (minutes > 0) {
          String to = DurationText.of(Duration.ofMinutes(minutes));
          trial.offer("maxRuntime", "longer or none", to, gang.within(cluster.name()));
        }
      }
    }
  }

  /** Adds the blockers of each assignment. Returns true if one assignment has none. */
  private boolean addAssignments(JobShape shape, @Nullable JobId own, List<Blocker> blockers) {
    GangShape gang = shape.gang();
    List<FlavorAssignment> full = new ArrayList<>();
    for (FlavorAssignment assignment : FlavorAssignments.of(gang, fleet)) {
      Charges charges = Charges.expected(gang, assignment, gang.counts(0));
      List<Shortfall> quota = admission.shortfalls(shape.queue(), charges);
      List<Shortfall> promised = admission.promised(shape.queue(), charges);
      List<Blocker> nodes = capacity.blockers(assignment, gang);
      if (quota.isEmpty() && promised.isEmpty() && nodes.isEmpty()) {
        return true;
      }
      quota.forEach(s -> blockers.add(QuotaBlockers.of(s)));
      fairShare.refuses(shape.queue(), charges, quota).ifPresent(blockers::add);
      promised.forEach(s ->
          blockers.add(
              s.refusing().ofFleet()
                  ? QuotaBlockers.of(s)
                  : ReservationBlockers.quota(
                      s, others(own, reservations.of(s.refusing().id(), s.cell())))));
      blockers.addAll(nodes);
      if (!nodes.isEmpty()) {
        full.add(assignment);
      }
    }
    QuarantineBlockers.of(gang, full, fleet, work).ifPresent(blockers::add);
    return false;
  }

  /**
   * Adds the reservations of other jobs if the shape would start without them and free nodes are
   * not all it lacks.
   */
  private void addReserved(JobShape shape, @Nullable JobId own, List<Blocker> blockers) {
    List<Reservation> all = others(own, reservations.all());
    boolean reported =
        !blockers.isEmpty()
            && blockers.stream().allMatch(b -> b.reason() == Reason.RESERVATION_CONFLICT);
    if (all.isEmpty() || reported || work.spent()) {
      return;
    }
    all.forEach(r -> reservations.lift(r.key()));
    List<Reservation> inTheWay = starts(shape) ? inTheWay(shape, all) : List.of();
    all.forEach(r -> reservations.restore(r.key()));
    if (!inTheWay.isEmpty()) {
      List<Reservation> ofTenant =
          inTheWay.stream()
              .filter(r -> reservations.isFor(shape.gang().tenant(), r.key()))
              .toList();
      blockers.add(ReservationBlockers.places(ofTenant, ofTenant.size() < inTheWay.size()));
    }
  }

  private static List<Reservation> others(@Nullable JobId own, List<Reservation> all) {
    return all.stream().filter(r -> !r.job().equals(own)).toList();
  }

  /** Adds the spares if the shape would start when no node were reserved as a spare. */
  private void addSpares(JobShape shape, List<Blocker> blockers) {
    if (fleet.spares().isEmpty() || work.spent()) {
      return;
    }
    Undo lent = fleet.lendSpares();
    boolean starts = starts(shape);
    lent.run();
    if (starts) {
      ReservationBlockers.spares(FlavorAssignments.of(shape.gang(), fleet), fleet.spares())
          .ifPresent(blockers::add);
    }
  }

  /**
   * Adds advance reservations if the shape would start without any advance reservation, or if all
   * nodes that it may use are booked.
   */
  private void addAdvanceReservations(JobShape shape, JobId first, List<Blocker> blockers) {
    GangShape gang = shape.gang();
    if (gang.booked().none() || work.spent()) {
      return;
    }
    reservations.liftOf(first);
    boolean starts =
        starts(new JobShape(shape.queue(), shape.priority(), gang.booked(BookedNodes.NONE)));
    reservations.restoreOf(first);
    if (starts || AdvanceReservationBlockers.nothingElse(gang, fleet)) {
      blockers.addAll(AdvanceReservationBlockers.of(gang, fleet, asOf));
    }
  }

  /**
   * Returns the minimal set of lifted reservations that must end for the job to start, and restores
   * the others.
   */
  private List<Reservation> inTheWay(JobShape shape, List<Reservation> lifted) {
    if (lifted.size() > MOST_PLACES) {
      return lifted;
    }
    List<Reservation> needed = new ArrayList<>();
    for (Reservation each : lifted) {
      reservations.restore(each.key());
      if (!starts(shape)) {
        reservations.lift(each.key());
        needed.add(each);
      }
    }
    return needed;
  }

  private boolean starts(JobShape shape) {
    int mark = ledger.mark();
    boolean starts =
        placer.start(shape.queue(), shape.gang(), FlavorAssignments.of(shape.gang(), fleet))
            != null;
    ledger.undo(mark);
    return starts;
  }

  /**
   * Adds clusters that could hold the gang but are out of service or refuse it, and capacity that
   * it may not use yet.
   */
  private void addClusters(
      GangShape gang, SortedMap<String, Refusals.Refused> refused, List<Blocker> blockers) {
    for (ClusterCapacity cluster : fleet.clusters()) {
      ClusterState state = cluster.cluster().state();
      boolean allowed = FlavorAssignments.allows(gang, cluster);
      if (allowed && gang.closed(cluster.name(), cluster.pool()) && couldHold(gang, cluster)) {
        blockers.addAll(Blockers.closed(gang, cluster, refused, asOf));
      }
      if (allowed && state != ClusterState.ACTIVE && couldHold(gang, cluster)) {
        blockers.add(
            Blockers.of(
                Reason.CLUSTER_UNAVAILABLE,
                Blockers.cluster(cluster.name()),
                "cluster " + cluster.name() + " is " + state + trouble(cluster.cluster()),
                null));
      }
    }
    int tiers = gang.placement().capacity().size();
    if (gang.openTiers() < tiers) {
      String next = gang.placement().capacity().get(gang.openTiers()).name();
      String text = next + " capacity is considered only after the wait in placement.wait";
      blockers.add(Blockers.of(Reason.CAPACITY, Blockers.FLEET, text, null));
    }
  }

  private static String trouble(Cluster cluster) {
    boolean shown =
        cluster.state() == ClusterState.DEGRADED || cluster.state() == ClusterState.UNREACHABLE;
    return shown && cluster.trouble() != null ? ": " + cluster.trouble() : "";
  }

  static boolean couldHold(GangShape gang, ClusterCapacity cluster) {
    return cluster.capacities().isEmpty()
        || gang.roles().stream()
            .allMatch(role -> cluster.capacities().stream().anyMatch(r -> holds(role, cluster, r)));
  }

  static boolean holds(MemberShape role, ClusterCapacity cluster, NodeCapacity capacity) {
    MemberShape ever = role.booked(BookedNodes.NONE);
    return capacity.capacity(role) > 0 && Filters.admit(cluster.cluster(), capacity.node(), ever);
  }

  /**
   * Explains jobs that were tried and did not start.
   *
   * @param first as in {@link #find}
   */
  public Explanation tried(JobShape shape, Findings findings, JobId first) {
    List<Blocker> blockers = findings.blockers();
    if (blockers.isEmpty()) {
      blockers =
          List.of(
              Blockers.of(
                  Reason.CAPACITY, Blockers.FLEET, "no node accepted it in this cycle", null));
    }
    return new Explanation(asOf, blockers, nearMisses(shape, first), findings.verdicts(), null);
  }

  /**
   * Explains jobs that wait for a condition of their own. They have no near misses, because no near
   * miss would start them.
   */
  public Explanation ineligible(List<Blocker> own, Findings findings) {
    List<Blocker> all = new ArrayList<>(own);
    all.addAll(findings.blockers());
    return new Explanation(asOf, Blockers.ranked(all), List.of(), findings.verdicts(), null);
  }
}
