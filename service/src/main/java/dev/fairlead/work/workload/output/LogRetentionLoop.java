package dev.fairlead.work.workload.output;

import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.clock.service.spi.BelievedClock;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.meter.GaugeRows;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.log.ChunkKey;
import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.ForeignLogStore;
import dev.fairlead.work.log.LogChunk;
import dev.fairlead.work.log.LogMember;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.MemberLog;
import dev.fairlead.work.workdir.service.spi.WorkdirRetention;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Removes expired logs and logs beyond the limits every ten minutes: chunks first, and a bounded
 * number in each pass. The loop deletes code that no job uses in the same way. It also ends logs of
 * members that vanished unobserved, and once a day removes chunks without a log. It removes nothing
 * before {@link StoreWatch} has proved that only this database uses the store.
 */
@Component
public class LogRetentionLoop extends LeasedLoop {
  private static final Logger LOG = LoggerFactory.getLogger(LogRetentionLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(5);
  private static final Duration EVERY = Duration.ofMinutes(10);
  private static final Duration ORPHANS = Duration.ofDays(1);

  /** Processes that run for less than a day search for orphans too. */
  private static final Duration FIRST_ORPHANS = Duration.ofHours(1);

  /** The row of a younger chunk may not be committed yet. */
  private static final Duration OLD = Duration.ofHours(1);

  /** Time for which the reason of a removal is stored. */
  private static final Duration REMEMBERED = Duration.ofDays(7);

  /** A pass much longer than a lease loses it, and the next pass begins with the same logs. */
  private static final Duration TURN = Duration.ofMinutes(1);

  private static final int LOGS = 50;
  private static final int CHUNKS = 500;
  private static final int MOST_STUCK = 1_000;
  private final Transactions transactions;
  private final JobStore jobs;
  private final LogStore index;
  private final ChunkStore store;
  private final LogSettings settings;
  private final BelievedClock believed;
  private final MonotonicClock clock;
  private final WorkdirRetention workdirs;
  private final StoreWatch watch;
  private final GaugeRows unproved;
  private final Recurring sweep;

  /** Members with chunks that cannot be removed now. The next sweep tries again. */
  private final SortedSet<LogMember> stuck = new TreeSet<>();

  private Recurring orphans;
  private @Nullable String orphansAfter;
  private @Nullable String orphansNext;

  /** Untried chunks without a log from the page after {@link #orphansAfter}. */
  private List<ChunkKey> left = List.of();

  private int stuckOrphans;

  LogRetentionLoop(
      Leases leases,
      Transactions transactions,
      JobStore jobs,
      InventoryStore inventory,
      LogStore index,
      ChunkStore store,
      LogSettings settings,
      BelievedClock believed,
      WorkdirRetention workdirs,
      MeterRegistry metrics) {
    super("logs", "background", IDLE, leases);
    this.transactions = transactions;
    this.jobs = jobs;
    this.unproved = new GaugeRows(metrics, Metric.LOG_STORE_UNPROVED);
    this.index = index;
    this.store = store;
    this.settings = settings;
    this.believed = believed;
    this.workdirs = workdirs;
    this.clock = leases.clock();
    this.watch =
        new StoreWatch(inventory, index, store, transactions, clock, LogRetentionLoop::nonce);
    this.sweep = Recurring.after(clock, EVERY);
    this.orphans = Recurring.after(clock, FIRST_ORPHANS);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    boolean due = sweep.due() || orphans.due();
    if (!store.keeps()) {
      return false;
    }
    boolean proved = watch.proved(lease);
    unproved.show(Map.of(List.of(), () -> watch.unproved().toSeconds()));
    if (!due || !proved || !believed.believed()) {
      return false;
    }
    try {
      boolean more = sweep.due() && sweep(lease);
      return (orphans.due() && sweepOrphans()) || more;
    } catch (ForeignLogStore foreign) {
      LOG.warn("no log is removed: {}", foreign.getMessage());
      return false; // the next read of the claim shows its state
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  @Override
  protected void forget() {
    watch.forget();
    unproved.show(Map.of());
  }

  private static String nonce() {
    return UUID.randomUUID().toString().replace("-", "");
  }

  private boolean sweep(HeldLease lease) throws ForeignLogStore {
    long end = clock.nanos() + TURN.toNanos();
    int done = endAbandoned(lease);
    done += remove(lease, index.endedBefore(settings.keep(), atOnce()), MemberLog.Removal.AGE, end);
    done +=
        remove(lease, index.over(settings.projectBytes(), atOnce()), MemberLog.Removal.SIZE, end);
    done += workdirs.sweep(lease);
    done +=
        transactions.callFenced(
            lease, () -> index.forget(settings.keep().plus(REMEMBERED), CHUNKS));
    if (done == 0) {
      if (!stuck.isEmpty()) {
        LOG.warn("{} logs could not be removed", stuck.size());
      }
      stuck.clear();
      sweep.done();
    }
    return done > 0;
  }

  /** Page size that includes the stuck logs, so that they do not delay other logs. */
  private int atOnce() {
    return Math.min(LOGS + stuck.size(), MOST_STUCK);
  }

  /**
   * Removes the bytes of each log before its row, so that a failure leaves the row.
   *
   * @param end time of {@link #clock} after which no log is started
   * @return number of logs removed or found stuck
   */
  private int remove(HeldLease lease, List<MemberLog> logs, MemberLog.Removal why, long end)
      throws ForeignLogStore {
    int done = 0;
    for (MemberLog log : logs) {
      if (stuck.contains(log.of())) {
        continue;
      }
      if (clock.nanos() - end >= 0) {
        break;
      }
      if (removed(log.of())) {
        transactions.runFenced(lease, () -> index.removed(List.of(log.of()), why));
      }
      done++;
    }
    return done;
  }

  private boolean removed(LogMember log) throws ForeignLogStore {
    try {
      remove(
          index.parts(log).stream()
              .filter(part -> part.gap() == null)
              .map(part -> part.key(log))
              .toList());
      return true;
    } catch (ForeignLogStore foreign) {
      throw foreign;
    } catch (IOException failed) {
      if (stuck.isEmpty()) {
        LOG.warn("a log cannot be removed, retrying later: {}", failed.toString());
      }
      stuck.add(log);
      return false;
    }
  }

  private void remove(List<ChunkKey> chunks) throws IOException {
    for (int from = 0; from < chunks.size(); from += ChunkStore.REMOVED_AT_ONCE) {
      store.remove(
          chunks.subList(from, Math.min(chunks.size(), from + ChunkStore.REMOVED_AT_ONCE)));
    }
  }

  private int endAbandoned(HeldLease lease) {
    List<MemberLog> abandoned = index.abandoned(LOGS);
    if (!abandoned.isEmpty()) {
      Instant now = jobs.now();
      List<LogStore.Step> steps = new ArrayList<>();
      for (MemberLog log : abandoned) {
        LogChunk gap =
            LogChunk.gap(
                log.sequence() + 1,
                now,
                "the last output is missing: its pod was deleted before it was collected");
        steps.add(new LogStore.Step(log.missing(gap).ended(now), gap, 0, 0));
      }
      transactions.runFenced(lease, () -> index.write(steps));
    }
    return abandoned.size();
  }

  private boolean sweepOrphans() throws IOException {
    long end = clock.nanos() + TURN.toNanos();
    if (left.isEmpty()) {
      ChunkStore.Part old = store.old(jobs.now().minus(OLD), orphansAfter, CHUNKS);
      left = old.chunks();
      orphansNext = old.next();
    }
    left = new ArrayList<>(index.unknown(left)); // a chunk may have got its row since the last pass
    while (!left.isEmpty()) {
      if (clock.nanos() - end >= 0) {
        return true;
      }
      removeOrphans(left.subList(0, Math.min(left.size(), ChunkStore.REMOVED_AT_ONCE)), end);
    }
    orphansAfter = orphansNext;
    if (orphansAfter == null) {
      if (stuckOrphans > 0) {
        LOG.warn("{} chunks without a log could not be removed", stuckOrphans);
      }
      stuckOrphans = 0;
      orphans = Recurring.after(clock, ORPHANS);
    }
    return orphansAfter != null;
  }

  /**
   * Removes chunks without a log. A chunk that cannot be removed does not delay others. The next
   * sweep tries it again.
   *
   * @param some chunks. Tried chunks are removed from the list
   * @param end time of {@link #clock} after which no removal is started
   * @throws IOException when the store removes nothing at all
   */
  private void removeOrphans(List<ChunkKey> some, long end) throws IOException {
    try {
      store.remove(some);
      some.clear();
    } catch (ForeignLogStore foreign) {
      throw foreign;
    } catch (IOException failed) {
      boolean works = false;
      for (Iterator<ChunkKey> each = some.iterator(); each.hasNext(); each.remove()) {
        if (clock.nanos() - end >= 0) {
          return;
        }
        works |= removedOrphan(each.next(), works);
      }
    }
  }

  /**
   * @param works whether the store has removed other chunks
   * @return true: the store has removed a chunk
   */
  private boolean removedOrphan(ChunkKey orphan, boolean works) throws IOException {
    try {
      store.remove(List.of(orphan));
    } catch (ForeignLogStore foreign) {
      throw foreign;
    } catch (IOException failed) {
      if (!works || Thread.currentThread().isInterrupted()) {
        orphans = Recurring.after(clock, EVERY); // delayed unless the probe succeeds
        store.probe();
        orphans = Recurring.fromNowOn(clock, ORPHANS);
      }
      if (stuckOrphans++ == 0) {
        LOG.warn(
            "a chunk without a log cannot be removed, retrying in the next sweep: {}",
            failed.toString());
      }
    }
    return true;
  }
}
