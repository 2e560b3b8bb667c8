package dev.fairlead.verify.simulation.work;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.transaction.memory.SettableClock;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.Validity;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.UnguardedStores;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.ReservationStore;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One cluster is paid by the hour. The owner of the queue uses it alone for a few minutes, and then
 * prefers reserved capacity, to which the jobs move back. The new nodes of a job are reserved with
 * the decision, jobs never leave reserved capacity, and the queue does not exceed its policy's
 * hourly number of moves.
 */
public final class MoveBackArea implements Area {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration REST = Duration.ofMinutes(1);
  private static final long MICROS_PER_HOUR = 3_000_000;

  private final VirtualTime time;
  private final DurableState durable;
  private final Set<AttemptId> moved = new HashSet<>();
  private final int perHour;
  private boolean open = true;
  private int recent;
  private int clockSteps;
  private @Nullable Instant first;
  private @Nullable InvariantBroken broken;

  public MoveBackArea(
      RandomGenerator chance,
      VirtualTime time,
      DurableState durable,
      JobClients clients,
      Set<Guard> missing) {
    this.time = time;
    this.durable = durable;
    boolean limited = missing.contains(Guard.MOVES_KNOWN);
    boolean wanted = limited || missing.contains(Guard.MOVE_KEPT);
    boolean plays = wanted || missing.isEmpty() && chance.nextInt(3) == 0;
    this.perHour = limited ? 1 : List.of(1, 6, 1000).get(chance.nextInt(3));
    if (plays && durable.clusters().size() > 1) {
      clients.lasting();
      durable.unlimited(
          Stream.of("H100", "A100-80GB", Flavor.CPU)
              .map(model -> new Flavor(model, CapacityType.ON_DEMAND))
              .toList());
      paid(durable.clusters().lastKey());
      durable.afterAttempts(this::follow);
      routes(true);
    }
  }

  /** A reservation store that does not reserve the new nodes of jobs that move back. */
  static ReservationStore unreserved(ReservationStore stored, JobStore jobs) {
    return UnguardedStores.of(
        ReservationStore.class,
        (self, method, arguments) -> {
          if (!method.getName().equals("put")) {
            return method.invoke(stored, arguments);
          }
          stored.put(
              ((Collection<?>) arguments[0])
                  .stream()
                      .map(Reservation.class::cast)
                      .filter(each ->
                          jobs.attempts(each.victims()).stream().noneMatch(MoveBackArea::moves))
                      .toList());
          return null;
        });
  }

  private static boolean moves(Attempt attempt) {
    Failure failure = attempt.failure();
    return failure != null && failure.right() == EvictionRight.MOVED_BACK;
  }

  /** The owner alternates between two policies, until the faults end. */
  private void routes(boolean paidOnly) {
    RoutingPolicy.Tier paid = tier(CapacityType.ON_DEMAND);
    RoutingPolicy policy =
        paidOnly
            ? new RoutingPolicy(List.of(paid))
            : new RoutingPolicy(
                List.of(tier(CapacityType.RESERVED), paid),
                new RoutingPolicy.MoveBack(perHour, REST));
    QuotaNode queue = durable.world().queue();
    durable
        .stores()
        .quotas()
        .update(queue.changed(Objects.requireNonNull(queue.queue()).withRouting(policy)));
    time.in(
        time.between(Duration.ofMinutes(3), Duration.ofMinutes(10)),
        "owner of a routing policy",
        () -> {
          if (open) {
            routes(!paidOnly);
          } else if (paidOnly) {
            routes(false);
          }
        });
  }

  private static RoutingPolicy.Tier tier(CapacityType type) {
    return new RoutingPolicy.Tier(
        List.of(type), List.of(), List.of(), Duration.ZERO, null, RoutingPolicy.Order.FIXED);
  }

  private void paid(ClusterId id) {
    MemoryStores stores = durable.stores();
    Cluster cluster = stores.inventory().cluster(id).orElseThrow();
    stores
        .inventory()
        .configure(
            cluster.configured(
                CapacityType.ON_DEMAND, cluster.pricePerGpuHour(), cluster.settings()),
            null);
    Instant from = SettableClock.START.minus(Duration.ofDays(1));
    Price price =
        new Price(
            new PriceId(stores.ids().next()),
            new PriceScope(id, null, null, CapacityType.ON_DEMAND),
            new Money(MICROS_PER_HOUR, "USD"),
            new Validity(from, null),
            null,
            null,
            from);
    stores.transactions().run(() -> stores.configs().put(price.document()));
  }

  /** Follows one commit. */
  private void follow() {
    durable.stores().jobs().live().stream()
        .filter(attempt -> moves(attempt) && moved.add(attempt.id()))
        .forEach(this::moving);
  }

  private void moving(Attempt attempt) {
    boolean kept =
        durable.stores().reservations().all().stream()
            .anyMatch(each -> each.victims().contains(attempt.id()) && arrives(each, attempt));
    if (!kept || capacity(attempt.cluster()) == CapacityType.RESERVED) {
      broken(Invariant.MOVE_BACK_IS_RESERVED, attempt.toString());
    }
    count(attempt);
  }

  /** Counts the moves of an hour while the clock of the store runs evenly. */
  private void count(Attempt attempt) {
    Instant now = durable.stores().jobs().now();
    Instant since = first;
    if (since == null
        || clockSteps != durable.clockSteps()
        || now.isAfter(since.plus(HOUR).minusSeconds(1))) {
      first = now;
      recent = 0;
      clockSteps = durable.clockSteps();
    }
    recent++;
    if (recent > perHour) {
      broken(Invariant.MOVES_ARE_LIMITED, recent + " of " + perHour + ": " + attempt);
    }
  }

  private boolean arrives(Reservation reservation, Attempt attempt) {
    return reservation.job().equals(attempt.job())
        && reservation.element() == attempt.element()
        && capacity(reservation.cluster()) == CapacityType.RESERVED
        && !reservation.members().isEmpty();
  }

  private CapacityType capacity(ClusterId cluster) {
    return durable.stores().inventory().cluster(cluster).orElseThrow().capacity();
  }

  private void broken(Invariant invariant, String what) {
    broken = broken == null ? new InvariantBroken(invariant, what) : broken;
  }

  @Override
  public void check() {
    if (broken != null) {
      throw broken;
    }
  }

  @Override
  public void heal() {
    open = false;
  }
}
