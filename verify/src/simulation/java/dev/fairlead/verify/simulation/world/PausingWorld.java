package dev.fairlead.verify.simulation.world;

import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.world.ElementDependencies;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.PendingJob.Offer;
import dev.fairlead.work.world.World;
import dev.fairlead.work.world.WorldReader;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The world that the scheduler of one process reads.
 *
 * <p>A scheduler skips a plan that would equal the previous one, because nothing has been committed
 * and no back-off has expired since. It skips plans for at most {@link #LONGEST}.
 */
public final class PausingWorld implements WorldReader {
  private static final Duration LONGEST = Duration.ofSeconds(30);

  private final ProcessLife life;
  private final DurableState durable;
  private final Set<Guard> missing;
  private final SortedMap<JobId, Job> read = new TreeMap<>();
  private long changes = -1;
  private List<Reservation> reservations = List.of();
  private Instant due = Instant.EPOCH;

  /** The world has nothing that the previous plan did not have. */
  public static final class NothingNew extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NothingNew() {
      super("nothing new", null, false, false);
    }
  }

  public PausingWorld(ProcessLife life, DurableState durable, Set<Guard> missing) {
    this.life = life;
    this.durable = durable;
    this.missing = missing;
  }

  @Override
  public World readWith(List<Job> imagined) {
    life.step("read");
    if (changes == durable.changes()
        && durable.stores().clock().instant().isBefore(due)
        && reservations.equals(durable.stores().reservations().all())) {
      throw new NothingNew();
    }
    changes = durable.changes();
    World world = durable.stores().world().readWith(imagined);
    reservations = world.reservations();
    due = due(world);
    life.planning();
    world.pending().forEach(pending -> read.put(pending.job().id(), pending.job()));
    return forgetful(world);
  }

  /** The next plan is needed, since the result of the last one is unknown. */
  public void forget() {
    changes = -1;
  }

  /** The row of the last read, if it was read. */
  public Job asRead(Job row) {
    return read.getOrDefault(row.id(), row);
  }

  private static Instant due(World world) {
    Instant due = world.asOf().plus(LONGEST);
    for (PendingJob pending : world.pending()) {
      for (Offer offer : pending.offers()) {
        Instant retry = offer.retryAt();
        if (retry != null && retry.isAfter(world.asOf()) && retry.isBefore(due)) {
          due = retry;
        }
      }
    }
    return due;
  }

  private World forgetful(World w) {
    return w.toBuilder()
        .pending(w.pending().stream().map(this::unordered).toList())
        .quotaNodes(w.quotaNodes().stream().map(this::unchecked).toList())
        .quotaUses(missing.contains(Guard.QUOTA_KNOWN) ? List.of() : w.quotaUses())
        .budgets(missing.contains(Guard.BUDGET_KNOWN) ? List.of() : w.budgets())
        .advanceReservations(
            missing.contains(Guard.BOOKED_KNOWN) ? List.of() : w.advanceReservations())
        .licences(w.licences().stream().map(this::unlimited).toList())
        .reservations(missing.contains(Guard.RESERVATION) ? List.of() : w.reservations())
        .movedBack(
            missing.contains(Guard.MOVES_KNOWN) ? Collections.emptySortedMap() : w.movedBack())
        .build();
  }

  private QuotaNode unchecked(QuotaNode node) {
    return missing.contains(Guard.CHECK_KNOWN) && node.queue() != null
        ? node.of(node.queue().withChecks(List.of()))
        : node;
  }

  private PendingJob unordered(PendingJob pending) {
    return missing.contains(Guard.ELEMENT_EDGE) && ElementDependencies.has(pending.job())
        ? new PendingJob(pending.job(), pending.offers(), List.of(), null)
        : pending;
  }

  private Licence unlimited(Licence licence) {
    return missing.contains(Guard.LICENCE_KNOWN)
        ? new Licence(licence.name(), Licence.MOST, licence.cluster())
        : licence;
  }
}
