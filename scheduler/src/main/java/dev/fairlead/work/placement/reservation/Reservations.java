package dev.fairlead.work.placement.reservation;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.node.NodeReservation;
import dev.fairlead.work.placement.node.ReservedCapacity;
import dev.fairlead.work.placement.node.Undo;
import dev.fairlead.work.placement.shape.Neighbours;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The reservations in the working copy. Other jobs find the free capacity minus the reservations.
 * On a node, a reservation subtracts its capacity except the part that a leaving attempt still
 * uses. Available quota is the amount that the tree has both now and after all terminating attempts
 * have left and all reservations are used.
 */
public final class Reservations {
  private final Fleet fleet;
  private final Admission admission;
  private final RunningAttempts attempts;
  private final SortedMap<Reservation.Key, Entry> entries = new TreeMap<>();
  private final SortedSet<AttemptId> left = new TreeSet<>();

  public Reservations(Fleet fleet, Admission admission, RunningAttempts attempts) {
    this.fleet = fleet;
    this.admission = admission;
    this.attempts = attempts;
  }

  private static final class Entry {
    private final Reservation reservation;
    private final Job job;
    private final QuotaNodeId queue;
    private final Charges charges;
    private final Neighbours neighbours;
    private @Nullable List<ReservedCapacity.ReservationHandle> nodes;
    private boolean lent;
    private @Nullable Undo quota;

    Entry(Reservation reservation, Job job, Neighbours neighbours) {
      this.reservation = reservation;
      this.job = job;
      queue = job.queue();
      charges = Charges.of(job, reservation.charges());
      this.neighbours = neighbours;
    }
  }

  public Fleet fleet() {
    return fleet;
  }

  public Admission admission() {
    return admission;
  }

  public RunningAttempts attempts() {
    return attempts;
  }

  /** Returns the reservations by job and element. */
  public List<Reservation> all() {
    return entries.values().stream().map(entry -> entry.reservation).toList();
  }

  /** Returns whether this exact reservation is stored. */
  public boolean contains(Reservation reservation) {
    Entry entry = entries.get(reservation.key());
    return entry != null && entry.reservation.equals(reservation);
  }

  /** Returns whether the reservation belongs to a job of the tenant. */
  public boolean isFor(TenantId tenant, Reservation.Key key) {
    Entry entry = entries.get(key);
    return entry != null && entry.job.tenant().equals(tenant);
  }

  /**
   * Visits the reservations of gangs that lost a node to a fault and have left, each with its job.
   */
  public void afterFault(BiConsumer<Reservation, Job> each) {
    for (Entry entry : entries.values()) {
      if (entry.reservation.kind() == Reservation.Kind.FAULT && cleared(entry.reservation)) {
        each.accept(entry.reservation, entry.job);
      }
    }
  }

  /**
   * Returns the reservations of queues at or below the node with members that count in the cell.
   */
  public List<Reservation> of(QuotaNodeId node, QuotaCell cell) {
    return entries.values().stream()
        .filter(e -> e.charges.cells().containsKey(cell))
        .filter(e -> admission.tree().path(e.queue).stream().anyMatch(n -> n.id().equals(node)))
        .map(e -> e.reservation)
        .toList();
  }

  /** Adds a reservation. The terms of the job also count on its nodes. */
  public void add(Reservation reservation, Job job) {
    for (AttemptId victim : reservation.ordered() ? reservation.victims() : List.<AttemptId>of()) {
      RunningAttempt running = attempts.of(victim);
      if (running != null && left.add(victim)) {
        if (running.goesWhole()) {
          running.choose();
        }
        admission.futureQuota().give(running.job().queue(), charges(running));
      }
    }
    Entry entry = new Entry(reservation, job, fleet.neighbours().of(job));
    entries.put(reservation.key(), entry);
    put(entry);
  }

  /** Suspends the reservation until {@link #restore}, while its own job is tried. */
  public void lift(Reservation.Key key) {
    lend(key);
    Entry entry = entries.get(key);
    if (entry != null && entry.quota != null) {
      entry.quota.run();
      entry.quota = null;
    }
  }

  /**
   * Suspends the reservation of nodes until {@link #restore}, while a job is tried that ends before
   * they are needed. Its quota remains reserved, because otherwise its own job could no longer be
   * admitted.
   */
  public void lend(Reservation.Key key) {
    Entry entry = entries.get(key);
    if (entry != null && entry.nodes != null && !entry.lent) {
      entry.nodes.forEach(ReservedCapacity.ReservationHandle::lend);
      entry.lent = true;
    }
  }

  public void restore(Reservation.Key key) {
    Entry entry = entries.get(key);
    if (entry != null) {
      put(entry);
    }
  }

  /** Removes the reservation of a job that has started or no longer needs it. */
  public void remove(Reservation.Key key) {
    lift(key);
    Entry entry = entries.remove(key);
    if (entry != null && entry.nodes != null) {
      entry.nodes.forEach(ReservedCapacity.ReservationHandle::end);
    }
  }

  /** Suspends all reservations of the job like {@link #lift}. */
  public void liftOf(JobId job) {
    keysOf(job).forEach(this::lift);
  }

  public void restoreOf(JobId job) {
    keysOf(job).forEach(this::restore);
  }

  public boolean keeps(JobId job) {
    return !keysOf(job).isEmpty();
  }

  private List<Reservation.Key> keysOf(JobId job) {
    return entries.isEmpty()
        ? List.of()
        : entries.keySet().stream().filter(key -> key.job().equals(job)).toList();
  }

  /** Simulates the end of an attempt, or of its remaining members. */
  public Undo ended(RunningAttempt running) {
    boolean given = !running.shrinks() && left.contains(running.attempt().id());
    return ended(running, running.rest(), given);
  }

  /** Simulates the departure of the members that leave before the others. */
  public Undo shrunk(RunningAttempt running) {
    return ended(running, running.leaving(), left.contains(running.attempt().id()));
  }

  private Undo ended(RunningAttempt running, List<Member> members, boolean given) {
    Undo vacated = running.vacate(members);
    Charges charges = Charges.of(running.job(), Attempt.charges(members));
    Undo quota = admission.give(running.job().queue(), charges, given);
    return () -> {
      quota.run();
      vacated.run();
    };
  }

  /** Returns the charges of the leaving members. */
  private static Charges charges(RunningAttempt running) {
    return Charges.of(
        running.job(), running.leaves() ? running.charges() : Attempt.charges(running.leaving()));
  }

  /** Returns whether all victims of the reservation have left. */
  public boolean cleared(Reservation reservation) {
    return reservation.victims().stream().noneMatch(victim -> awaited(reservation, victim));
  }

  private boolean awaited(Reservation reservation, AttemptId victim) {
    RunningAttempt running = attempts.of(victim);
    return running != null && !awaited(reservation, running).isEmpty();
  }

  public static List<Member> awaited(Reservation reservation, RunningAttempt victim) {
    return reservation.ordered() ? victim.leaving() : victim.attempt().members();
  }

  private void put(Entry entry) {
    if (entry.nodes == null) {
      entry.nodes = reserve(entry);
    } else if (entry.lent) {
      entry.nodes.forEach(ReservedCapacity.ReservationHandle::restore);
    }
    entry.lent = false;
    if (entry.quota == null) {
      entry.quota = admission.futureQuota().take(entry.queue, entry.charges);
    }
  }

  private List<ReservedCapacity.ReservationHandle> reserve(Entry entry) {
    List<ReservedCapacity.ReservationHandle> handles = new ArrayList<>();
    byNode(entry.reservation)
        .forEach((node, reserved) -> {
          ReservedCapacity capacity = fleet.reserved(node);
          if (capacity != null) {
            handles.add(capacity.reserve(reserved, entry.neighbours));
          }
        });
    return handles;
  }

  private SortedMap<NodeId, NodeReservation> byNode(Reservation reservation) {
    SortedMap<NodeId, NodeReservation> byNode = new TreeMap<>();
    for (Member member : reservation.members()) {
      byNode.computeIfAbsent(member.node(), n -> new NodeReservation(reservation)).add(member);
    }
    for (AttemptId victim : reservation.victims()) {
      RunningAttempt running = attempts.of(victim);
      for (Member member : running == null ? List.<Member>of() : awaited(reservation, running)) {
        NodeReservation there = byNode.get(member.node());
        if (there != null) {
          there.leaving(victim, member);
        }
      }
    }
    return byNode;
  }

  /**
   * Simulates the nodes after the end of all terminating attempts, with the freed resources
   * allocated to waiting reservations. Running the result restores the current state.
   */
  public Undo future() {
    List<Undo> undone = new ArrayList<>();
    for (RunningAttempt running : attempts.all()) {
      if (!running.leaving().isEmpty()) {
        undone.add(running.vacate(running.leaving()));
      }
    }
    return () -> undone.reversed().forEach(Undo::run);
  }

  /** Returns a copy of the quota tree after all terminating attempts have left. */
  public QuotaTree futureQuota() {
    QuotaTree tree = admission.futureQuota().copy();
    for (RunningAttempt running : attempts.all()) {
      if (!running.leaving().isEmpty() && !left.contains(running.attempt().id())) {
        charges(running).free(tree, running.job().queue());
      }
    }
    return tree;
  }
}
