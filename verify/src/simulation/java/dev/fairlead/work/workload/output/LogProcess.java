package dev.fairlead.work.workload.output;

import dev.fairlead.kernel.clock.service.spi.BelievedClock;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.workdir.service.spi.WorkdirRetention;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;

/** The retention of logs in one simulated process. */
public final class LogProcess {
  /** Logs older than this are removed. */
  public static final Duration KEEP = Duration.ofDays(14);

  private LogProcess() {}

  public static Loop of(
      Leases leases,
      Transactions transactions,
      MemoryStores stores,
      LogStore index,
      ChunkStore chunks,
      BelievedClock clock) {
    return new LogRetentionLoop(
        leases,
        transactions,
        stores.jobs(),
        stores.inventory(),
        index,
        chunks,
        new LogSettings(KEEP, 1, 1, 10, 10),
        clock,
        new WorkdirRetention(transactions, stores.workdirs(), chunks),
        new SimpleMeterRegistry());
  }
}
