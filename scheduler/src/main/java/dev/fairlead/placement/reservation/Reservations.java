package dev.fairlead.placement.reservation;

import dev.fairlead.cluster.NodeId;
import dev.fairlead.job.Attempt;
import dev.fairlead.job.AttemptId;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobId;
import dev.fairlead.job.Member;
import dev.fairlead.job.Reservation;
import dev.fairlead.placement.admission.Admission;
import dev.fairlead.placement.admission.Charges;
import dev.fairlead.placement.ledger.Fleet;
import dev.fairlead.placement.ledger.NodeCapacity;
import dev.fairlead.placement.ledger.NodeReservation;
import dev.fairlead.placement.ledger.Undo;
import dev.fairlead.placement.shape.AntiAffinity;
import dev.fairlead.quota.QuotaCell;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.quota.QuotaTree;
import dev.fairlead.tenant.TenantId;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The reservations in the working copy. Others find what is free less what is kept: of a node, what
 * is reserved there and is not still held by an attempt that leaves for it; of quota, what the tree
 * leaves them both now and once all who leave have left and all reservations are taken up.
 */
public final class Reservations {
  private final Fleet fleet;
  private final Admission admission;
  private final RunningAttempts holders;
  private final SortedMap<Reservation.Key, Hold> holds = new TreeMap<>();
  private final SortedSet<AttemptId> left = new TreeSet<>();

  public Reservations(Fleet fleet, Admission admission, RunningAttempts holders) {
    this.fleet = fleet;
    this.admission = admission;
    this.holders = holders;
  }

  private static final class Hold {
    private final Reservation reservation;
    private final Job job;
    private final QuotaNodeId queue;
    private final Charges charges;
    private final AntiAffinity who;
    private @Nullable List<NodeCapacity.Keep> nodes;
    private boolean lent;
    private @Nullable Undo quota;

    Hold(Reservation reservation, Job job) {
      this.reservation = reservation;
      this.job = job;
      queue = job.queue();
      charges = Charges.of(job, reservation.charges());
      who = AntiAffinity.of(job.spec().placement());
    }
  }

  public Fleet fleet() {
    return fleet;
  }

  public Admission admission() {
    return admission;
  }

  public RunningAttempts holders() {
    return holders;
  }

  public boolean isEmpty() {
    return holds.isEmpty();
  }

  /** By job and element. */
  public List<Reservation> all() {
    return holds.values().stream().map(hold -> hold.reservation).toList();
  }

  /** Whether it is kept as it is given here. */
  public boolean keeps(Reservation reservation) {
    Hold hold = holds.get(reservation.key());
    return hold != null && hold.reservation.equals(reservation);
  }

  /** Whether it is kept for a job of the tenant. */
  public boolean keptFor(TenantId tenant, Reservation.Key key) {
    Hold hold = holds.get(key);
    return hold != null && hold.job.tenant().equals(tenant);
  }

  /** Whose gangs lost a node to a fault and have left, each with its job. */
  public void afterFault(BiConsumer<Reservation, Job> each) {
    for (Hold hold : holds.values()) {
      if (hold.reservation.kind() == Reservation.Kind.FAULT && cleared(hold.reservation)) {
        each.accept(hold.reservation, hold.job);
      }
    }
  }

  /** Those of queues at or below the node whose members count in the cell. */
  public List<Reservation> of(QuotaNodeId node, QuotaCell cell) {
    return holds.values().stream()
        .filter(h -> h.charges.cells().containsKey(cell))
        .filter(h -> admission.tree().path(h.queue).stream().anyMatch(n -> n.id().equals(node)))
        .map(h -> h.reservation)
        .toList();
  }

  /** Keeps it from now on, for a job that bears on its nodes whom it would bear there. */
  public void add(Reservation reservation, Job job) {
    for (AttemptId victim : reservation.ordered() ? reservation.victims() : List.<AttemptId>of()) {
      RunningAttempt holder = holders.of(victim);
      if (holder != null && left.add(victim)) {
        if (holder.goesWhole()) {
          holder.choose();
        }
        admission.later().give(holder.job().queue(), charges(holder));
      }
    }
    Hold hold = new Hold(reservation, job);
    holds.put(reservation.key(), hold);
    put(hold);
  }

  /** Does not keep it until it is {@link #restore}d: its own job is tried. */
  public void lift(Reservation.Key key) {
    lend(key);
    Hold hold = holds.get(key);
    if (hold != null && hold.quota != null) {
      hold.quota.run();
      hold.quota = null;
    }
  }

  /**
   * Does not keep its nodes until it is {@link #restore}d: a job is tried that ends before they are
   * needed. Its quota stays: without it its own job would find no place any more.
   */
  public void lend(Reservation.Key key) {
    Hold hold = holds.get(key);
    if (hold != null && hold.nodes != null && !hold.lent) {
      hold.nodes.forEach(NodeCapacity.Keep::lend);
      hold.lent = true;
    }
  }

  public void restore(Reservation.Key key) {
    Hold hold = holds.get(key);
    if (hold != null) {
      put(hold);
    }
  }

  /** It has started, or gives up. */
  public void remove(Reservation.Key key) {
    lift(key);
    Hold hold = holds.remove(key);
    if (hold != null && hold.nodes != null) {
      hold.nodes.forEach(NodeCapacity.Keep::end);
    }
  }

  /** As {@link #lift} for all that is kept for the job. */
  public void liftOf(JobId job) {
    keysOf(job).forEach(this::lift);
  }

  public void restoreOf(JobId job) {
    keysOf(job).forEach(this::restore);
  }

  public void removeOf(JobId job) {
    keysOf(job).forEach(this::remove);
  }

  private List<Reservation.Key> keysOf(JobId job) {
    return holds.isEmpty()
        ? List.of()
        : holds.keySet().stream().filter(key -> key.job().equals(job)).toList();
  }

  /** The attempt, or what stays of it, is gone for good, in a play of what will be. */
  public void ended(RunningAttempt holder) {
    boolean given = !holder.shrinks() && left.contains(holder.attempt().id());
    ended(holder, holder.rest(), given);
  }

  /** The same of those members that leave it before. */
  public void shrunk(RunningAttempt holder) {
    ended(holder, holder.leaving(), left.contains(holder.attempt().id()));
  }

  private void ended(RunningAttempt holder, List<Member> members, boolean given) {
    holder.vacate(members);
    Charges charges = Charges.of(holder.job(), Attempt.charges(members));
    admission.give(holder.job().queue(), charges, given);
  }

  /** What leaves of it. */
  private static Charges charges(RunningAttempt holder) {
    return Charges.of(
        holder.job(), holder.leaves() ? holder.charges() : Attempt.charges(holder.leaving()));
  }

  /** Whether nobody is left who is to leave for it. */
  public boolean cleared(Reservation reservation) {
    return reservation.victims().stream().noneMatch(victim -> awaited(reservation, victim));
  }

  private boolean awaited(Reservation reservation, AttemptId victim) {
    RunningAttempt holder = holders.of(victim);
    return holder != null && !awaited(reservation, holder).isEmpty();
  }

  /** Members of a victim that have to leave for it. */
  public static List<Member> awaited(Reservation reservation, RunningAttempt victim) {
    return reservation.ordered() ? victim.leaving() : victim.attempt().members();
  }

  private void put(Hold hold) {
    if (hold.nodes == null) {
      hold.nodes = keep(hold);
    } else if (hold.lent) {
      hold.nodes.forEach(NodeCapacity.Keep::restore);
    }
    hold.lent = false;
    if (hold.quota == null) {
      hold.quota = admission.later().take(hold.queue, hold.charges);
    }
  }

  private List<NodeCapacity.Keep> keep(Hold hold) {
    List<NodeCapacity.Keep> keeps = new ArrayList<>();
    kept(hold.reservation)
        .forEach(
            (node, kept) -> {
              NodeCapacity room = fleet.room(node);
              if (room != null) {
                keeps.add(room.keep(kept, hold.who));
              }
            });
    return keeps;
  }

  private SortedMap<NodeId, NodeReservation> kept(Reservation reservation) {
    SortedMap<NodeId, NodeReservation> kept = new TreeMap<>();
    for (Member member : reservation.members()) {
      kept.computeIfAbsent(member.node(), n -> new NodeReservation(reservation)).add(member);
    }
    for (AttemptId victim : reservation.victims()) {
      RunningAttempt holder = holders.of(victim);
      for (Member member : holder == null ? List.<Member>of() : awaited(reservation, holder)) {
        NodeReservation there = kept.get(member.node());
        if (there != null) {
          there.leaving(victim, member);
        }
      }
    }
    return kept;
  }

  /**
   * The nodes as they will be once all who leave have left and what they held is kept for whoever
   * waits for it; the result brings the present back.
   */
  public Undo future() {
    List<Undo> undone = new ArrayList<>();
    for (RunningAttempt holder : holders.all()) {
      if (!holder.leaving().isEmpty()) {
        undone.add(holder.vacate(holder.leaving()));
      }
    }
    return () -> undone.reversed().forEach(Undo::run);
  }

  /** A copy of the quota tree of that moment. */
  public QuotaTree futureQuota() {
    QuotaTree tree = admission.later().copy();
    for (RunningAttempt holder : holders.all()) {
      if (!holder.leaving().isEmpty() && !left.contains(holder.attempt().id())) {
        charges(holder).free(tree, holder.job().queue());
      }
    }
    return tree;
  }
}
