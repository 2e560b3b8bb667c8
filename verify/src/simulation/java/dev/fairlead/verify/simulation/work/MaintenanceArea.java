package dev.fairlead.verify.simulation.work;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.care.reservation.AdvanceReservationId;
import dev.fairlead.care.reservation.AdvanceReservationStore;
import dev.fairlead.care.reservation.BookedNode;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.Runtimes;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Advance reservations of nodes for maintenance. Operators create one every few minutes, and cancel
 * some. No member starts on a node that a reservation closes to it. With faults off, preemptible
 * jobs leave at the start of an evicting reservation.
 */
public final class MaintenanceArea implements Area {
  /**
   * Without faults, a job is ordered to leave within this time after the start of a reservation.
   */
  private static final long LEFT = Duration.ofMinutes(2).toMillis();

  private static final long SETTLED = Duration.ofMinutes(3).toMillis();
  private static final Duration REMAIN = Duration.ofMinutes(15);

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final Map<String, Set<String>> known = new HashMap<>();
  private final Map<AdvanceReservationId, Long> current = new HashMap<>();
  private boolean open;
  private @Nullable Long calmSince;
  private @Nullable String broken;

  public MaintenanceArea(
      RandomGenerator chance, VirtualTime time, DurableState durable, Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    boolean wanted = missing.contains(Guard.BOOKED) || missing.contains(Guard.BOOKED_LEAVE);
    this.open = wanted || missing.isEmpty() && chance.nextInt(3) == 0;
    if (open) {
      durable.afterAttempts(this::follow);
      later();
    }
  }

  private void later() {
    time.in(
        time.between(Duration.ofSeconds(10), Duration.ofMinutes(4)),
        "an operator",
        () -> {
          if (open) {
            order();
            later();
          }
        });
  }

  private AdvanceReservationStore store() {
    return durable.stores().advanceReservations();
  }

  /** Reserves some nodes, or cancels the newest reservation. */
  private void order() {
    List<AdvanceReservation> all = store().open();
    if (!all.isEmpty() && chance.nextInt(4) == 0) {
      boolean _ = store().remove(all.getLast().id());
      return;
    }
    MemoryStores stores = durable.stores();
    Instant now = stores.clock().instant();
    Instant start = now.plusSeconds(chance.nextInt(300));
    List<BookedNode> nodes =
        stores.inventory().nodes(null).stream()
            .filter(node -> chance.nextInt(3) == 0)
            .map(MaintenanceArea::booked)
            .toList();
    if (nodes.isEmpty()) {
      return;
    }
    try {
      store()
          .insert(
              new AdvanceReservation(
                  new AdvanceReservationId(stores.ids().next()),
                  "firmware",
                  null,
                  start,
                  start.plusSeconds(60L + chance.nextInt(600)),
                  chance.nextBoolean() ? LeftoverPolicy.EVICT : LeftoverPolicy.FINISH,
                  "",
                  nodes,
                  "operator",
                  now));
    } catch (Conflict taken) {
      time.say(() -> "already reserved: " + nodes);
    }
  }

  private static BookedNode booked(Node node) {
    return new BookedNode(node.id(), node.cluster(), node.name());
  }

  /** Follows one commit: a member that is new on a node was admitted by each reservation. */
  private void follow() {
    Instant now = durable.stores().clock().instant();
    List<AdvanceReservation> all = store().open();
    Set<String> live = new HashSet<>();
    for (Attempt attempt : durable.stores().jobs().live()) {
      live.add(attempt.id().text());
      Set<String> members = known.computeIfAbsent(attempt.id().text(), a -> new HashSet<>());
      for (Member member : attempt.members()) {
        if (members.add(MemberKey.of(member).text()) && !admitted(all, attempt, member, now)) {
          broken = Objects.requireNonNullElse(broken, "starts on a reserved node: " + attempt);
        }
      }
    }
    known.keySet().retainAll(live);
  }

  private boolean admitted(
      List<AdvanceReservation> all, Attempt attempt, Member member, Instant now) {
    Job job = job(attempt);
    QuotaNode queue = durable.stores().quotas().node(job.tenant(), job.queue()).orElse(null);
    return all.stream()
        .filter(each -> each.holds(member.node()))
        .allMatch(each -> Runtimes.admit(each, job, queue, now));
  }

  private Job job(Attempt attempt) {
    return durable.stores().jobs().findAll(List.of(attempt.job())).getFirst();
  }

  /** Reservations continue for a few minutes, and then end, so that every job can end. */
  @Override
  public void heal() {
    calmSince = time.now();
    time.in(
        REMAIN,
        "reservations end",
        () -> {
          open = false;
          store()
              .open()
              .forEach(each -> {
                boolean _ = store().remove(each.id());
              });
        });
  }

  @Override
  public void check() {
    if (broken != null) {
      throw new InvariantBroken(Invariant.RESERVED_NODE_TAKES_NOTHING, broken);
    }
    if (calmSince != null && open) {
      left(durable.stores().clock().instant());
    }
  }

  private void left(Instant now) {
    List<AdvanceReservation> evicting =
        store().open().stream()
            .filter(each -> each.current(now) && each.leftoverPolicy() == LeftoverPolicy.EVICT)
            .toList();
    current.keySet().retainAll(evicting.stream().map(AdvanceReservation::id).toList());
    long calm = Objects.requireNonNull(calmSince) + SETTLED;
    for (AdvanceReservation each : evicting) {
      long since = current.computeIfAbsent(each.id(), id -> Math.max(calm, time.now()));
      if (time.now() - since > LEFT) {
        durable.stores().jobs().live().stream()
            .filter(attempt -> remains(attempt, each, now))
            .findFirst()
            .ifPresent(attempt -> {
              throw new InvariantBroken(
                  Invariant.RESERVED_NODE_TAKES_NOTHING, "not asked to leave: " + attempt);
            });
      }
    }
  }

  /** The clock may have been set back since the start, so the minimum run time may end only now. */
  private boolean remains(Attempt attempt, AdvanceReservation each, Instant now) {
    Instant started = attempt.startedAt();
    Instant leaves = started == null ? null : Runtimes.leaves(job(attempt), started);
    return attempt.stop() == null
        && leaves != null
        && leaves.plusMillis(LEFT).isBefore(now)
        && attempt.members().stream().anyMatch(member -> each.holds(member.node()));
  }
}
