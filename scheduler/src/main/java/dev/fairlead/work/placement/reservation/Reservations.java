package dev.fairlead.work.placement.reservation;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.Member;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.ledger.NodeReservation;
import dev.fairlead.work.placement.ledger.ReservedCapacity;
import dev.fairlead.work.placement.ledger.Undo;
import dev.fairlead.work.placement.shape.AntiAffinity;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The reservations in the working copy. Other jobs find free capacity minus reservations. Of a
 * node, that is what is reserved there and not still held by an attempt that leaves for it. Of
 * quota, it is what the tree has both now and after all terminating attempts have left and all
 * reservations are used.
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
    private final AntiAffinity antiAffinity;
    private @Nullable List<ReservedCapacity.ReservationHandle> nodes;
    private boolean lent;
    private @Nullable Undo quota;

    Entry(Reservation reservation, Job job) {
      this.reservation = reservation;
      this.job = job;
      queue = job.queue();
      charges = Charges.of(job, reservation.charges());
      antiAffinity = AntiAffinity.of(job.spec().placement());
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

  public boolean isEmpty() {
    return entries.isEmpty();
  }

  /** By job and element. */
  public List<Reservation> all() {
    return entries.values().stream().map(entry -> entry.reservation).toList();
  }

  /** Whether it is kept as it is given here. */
  public boolean contains(Reservation reservation) {
    Entry entry = entries.get(reservation.key());
    return entry != null && entry.reservation.equals(reservation);
  }

  /** Whether it is kept for a job of the tenant. */
  public boolean isFor(TenantId tenant, Reservation.Key key) {
    Entry entry = entries.get(key);
    return entry != null && entry.job.tenant().equals(tenant);
  }

  /** Reservations of gangs that lost a node to a fault and have left, each with its job. */
  public void afterFault(BiConsumer<Reservation, Job> each) {
    for (Entry entry : entries.values()) {
      if (entry.reservation.kind() == Reservation.Kind.FAULT && cleared(entry.reservation)) {
        each.accept(entry.reservation, entry.job);
      }
    }
  }

  /** The reservations of queues at or below the node whose members count in the cell. */
  public List<Reservation> of(QuotaNodeId node, QuotaCell cell) {
    return entries.values().stream()
        .filter(e -> e.charges.cells().containsKey(cell))
        .filter(e -> admission.tree().path(e.queue).stream().anyMatch(n -> n.id().equals(node)))
        .map(e -> e.reservation)
        .toList();
  }

  /** Reserves the capacity from now on; on its nodes the anti-affinity of the job counts too. */
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
    Entry entry = new Entry(reservation, job);
    entries.put(reservation.key(), entry);
    put(entry);
  }

  /** Does not keep it until it is {@link #restore}d: its own job is tried. */
  public void lift(Reservation.Key key) {
    lend(key);
    Entry entry = entries.get(key);
    if (entry != null && entry.quota != null) {
      entry.quota.run();
      entry.quota = null;
    }
  }

  /**
   * Does not keep its nodes until it is {@link #restore}d: a job is tried that ends before they are
   * needed. Its quota stays: without it its own job would find no place any more.
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

  /** It has started, or gives up. */
  public void remove(Reservation.Key key) {
    lift(key);
    Entry entry = entries.remove(key);
    if (entry != null && entry.nodes != null) {
      entry.nodes.forEach(ReservedCapacity.ReservationHandle::end);
    }
  }

  /** As {@link #lift} for all that is kept for the job. */
  public void liftOf(JobId job) {
    keysOf(job).forEach(this::lift);
  }

  public void restoreOf(JobId job) {
    keysOf(job).forEach(this::restore);
  }

  /** Whether something is kept for the job. */
  public boolean keeps(JobId job) {
    return !keysOf(job).isEmpty();
  }

  public void removeOf(JobId job) {
    keysOf(job).forEach(this::remove);
  }

  private List<Reservation.Key> keysOf(JobId job) {
    return entries.isEmpty()
        ? List.of()
        : entries.keySet().stream().filter(key -> key.job().equals(job)).toList();
  }

  /** The attempt, or what stays of it, is gone, in a play of what will be. */
  public Undo ended(RunningAttempt running) {
    boolean given = !running.shrinks() && left.contains(running.attempt().id());
    return ended(running, running.rest(), given);
  }

  /** The same of the members that leave before the rest. */
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

  /** What leaves of it. */
  private static Charges charges(RunningAttempt running) {
    return Charges.of(
        running.job(), running.leaves() ? running.charges() : Attempt.charges(running.leaving()));
  }

  /** Whether all victims of the reservation have left. */
  public boolean cleared(Reservation reservation) {
    return reservation.victims().stream().noneMatch(victim -> awaited(reservation, victim));
  }

  private boolean awaited(Reservation reservation, AttemptId victim) {
    RunningAttempt running = attempts.of(victim);
    return running != null && !awaited(reservation, running).isEmpty();
  }

  /** Members of a victim that have to leave for it. */
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
            handles.add(capacity.reserve(reserved, entry.antiAffinity));
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
   * The nodes after all terminating attempts have left, with what they held given to the
   * reservations that wait for it; the result restores the present.
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

  /** A copy of the quota tree of that moment. */
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
