package dev.fairlead.workload.output;

import dev.fairlead.job.JobStore;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.log.ChunkKey;
import dev.fairlead.log.ChunkStore;
import dev.fairlead.log.LogChunk;
import dev.fairlead.log.LogMember;
import dev.fairlead.log.LogStore;
import dev.fairlead.log.MemberLog;
import dev.fairlead.loop.LeasedLoop;
import dev.fairlead.loop.Leases;
import dev.fairlead.loop.Recurring;
import dev.fairlead.transaction.Transactions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Every ten minutes: logs that are too old or too many go, chunks first and a bounded number at a
 * turn; logs whose members vanished unseen are ended; and once a day chunks go that no log has.
 */
@Component
public class LogRetentionLoop extends LeasedLoop {
  private static final Duration IDLE = Duration.ofSeconds(5);
  private static final Duration EVERY = Duration.ofMinutes(10);
  private static final Duration ORPHANS = Duration.ofDays(1);

  /** That it is told why a log is gone. */
  private static final Duration REMEMBERED = Duration.ofDays(90);

  private static final int LOGS = 50;
  private static final int CHUNKS = 500;
  private final Transactions transactions;
  private final JobStore jobs;
  private final LogStore index;
  private final ChunkStore store;
  private final LogSettings settings;
  private final Recurring sweep;
  private final Recurring orphans;
  private @Nullable String orphansAfter;

  LogRetentionLoop(
      Leases leases,
      Transactions transactions,
      JobStore jobs,
      LogStore index,
      ChunkStore store,
      LogSettings settings) {
    super("logs", "relay", IDLE, leases);
    this.transactions = transactions;
    this.jobs = jobs;
    this.index = index;
    this.store = store;
    this.settings = settings;
    this.sweep = Recurring.fromNowOn(leases.clock(), EVERY);
    this.orphans = Recurring.after(leases.clock(), ORPHANS);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    if (!store.keeps()) {
      return false;
    }
    try {
      boolean more = sweep.due() && sweep(lease);
      return (orphans.due() && sweepOrphans()) || more;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private boolean sweep(HeldLease lease) throws IOException {
    int done = endAbandoned(lease);
    List<MemberLog> old = index.endedBefore(settings.keep(), LOGS);
    remove(lease, old, MemberLog.Removal.AGE);
    List<MemberLog> large = index.over(settings.projectBytes(), LOGS);
    remove(lease, large, MemberLog.Removal.SIZE);
    done +=
        transactions.callFenced(
            lease, () -> index.forget(settings.keep().plus(REMEMBERED), CHUNKS));
    boolean more = done + old.size() + large.size() > 0;
    if (!more) {
      sweep.done();
    }
    return more;
  }

  /** The bytes go before their rows: what fails in between is found again. */
  private void remove(HeldLease lease, List<MemberLog> logs, MemberLog.Removal why)
      throws IOException {
    if (logs.isEmpty()) {
      return;
    }
    for (MemberLog log : logs) {
      for (LogChunk part : index.parts(log.of())) {
        if (part.gap() == null) {
          store.remove(part.key(log.of()));
        }
      }
    }
    List<LogMember> gone = logs.stream().map(MemberLog::of).toList();
    transactions.runFenced(lease, () -> index.removed(gone, why));
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
                "the last output is missing: its pod was gone before it was taken");
        steps.add(new LogStore.Step(log.missing(gap).ended(now), gap, 0, 0));
      }
      transactions.runFenced(lease, () -> index.write(steps));
    }
    return abandoned.size();
  }

  private boolean sweepOrphans() throws IOException {
    List<ChunkKey> old = store.old(orphansAfter, CHUNKS);
    if (old.isEmpty()) {
      orphansAfter = null;
      orphans.done();
      return false;
    }
    for (ChunkKey orphan : index.unknown(old)) {
      store.remove(orphan);
    }
    orphansAfter = old.getLast().path();
    return true;
  }
}
