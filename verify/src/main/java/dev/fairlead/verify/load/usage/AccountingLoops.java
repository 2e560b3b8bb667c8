package dev.fairlead.verify.load.usage;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.verify.Clients;
import dev.fairlead.verify.host.Cost;
import dev.fairlead.verify.host.Processes;
import dev.fairlead.verify.load.queue.ShortJobs;
import dev.fairlead.verify.load.submit.BenchFleet;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The accounting loops, alone and during complete job lifecycles. */
final class AccountingLoops {
  private static final int NODES = 1_000;
  private static final int CLIENTS = 2;
  private static final int BATCH = 250;
  private static final int JOBS = 1_000;
  private static final Duration MOST = Duration.ofMinutes(10);
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final String LOOKED = "SELECT look_ms FROM usage_watermark";
  private static final String OPEN = "SELECT open_ms FROM usage_watermark";
  private static final String NOW = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";

  private final EmbeddedDatabase database;
  private final Processes processes;
  private final ShortJobs jobs;

  AccountingLoops(LocalFairlead fairlead) {
    this.database = fairlead.database();
    this.processes = Processes.of(fairlead);
    this.jobs = new ShortJobs(fairlead.api());
  }

  /**
   * One phase of the live path, or the medians of several.
   *
   * @param rate complete lifecycles a second
   * @param cpuMillis CPU time of service and database per life
   */
  record Lives(double rate, double cpuMillis) {}

  /** Alternating phases: with the loops held, and with the loops running. */
  record Compared(List<Lives> alone, List<Lives> beside) {}

  static void prepare(LocalFairlead fairlead) throws InterruptedException {
    BenchFleet.register(fairlead.api(), NODES);
  }

  /**
   * Duration of the loop for one hour.
   *
   * @param hours that it added up and closed
   * @param end end of the last hour
   */
  record RolledUp(Duration each, int hours, Instant end) {}

  /**
   * Makes the loop sum closed hours again, as after a pause. An hour that may not be closed yet is
   * skipped, because the loop would wait for it.
   *
   * @param hours from 2
   */
  RolledUp rollUp(int hours) throws InterruptedException, SQLException {
    long end = lastEnd(BlockedLoops.number(database, OPEN), BlockedLoops.number(database, NOW));
    long begin = end - HourBook.HOUR_MILLIS * hours;
    try (BlockedLoops _ = BlockedLoops.hold(database);
        Connection connection = BlockedLoops.connect(database);
        Statement statement = connection.createStatement()) {
      statement.execute("UPDATE usage_watermark SET open_ms = " + begin);
    }
    await(() -> BlockedLoops.number(database, OPEN) > begin);
    long start = System.nanoTime();
    long first = BlockedLoops.number(database, OPEN);
    await(() -> BlockedLoops.number(database, OPEN) >= end);
    long closed = Math.max(1, (end - first) / HourBook.HOUR_MILLIS);
    return new RolledUp(
        Duration.ofNanos((System.nanoTime() - start) / closed), hours, Instant.ofEpochMilli(end));
  }

  /**
   * The end of the last hour that may be closed, milliseconds since 1970: the first open hour of a
   * new database may have begun less than ten minutes ago.
   */
  static long lastEnd(long openMillis, long nowMillis) {
    long settled = nowMillis - HourBook.SETTLING_MILLIS;
    return Math.min(openMillis, settled - Math.floorMod(settled, HourBook.HOUR_MILLIS));
  }

  /**
   * Makes the loop sum all finished days, as after an upgrade.
   *
   * @return duration for all of them
   */
  Duration days() throws InterruptedException {
    long days = UsedYear.HOURS / 24 - 1;
    long start = System.nanoTime();
    await(() -> BlockedLoops.number(database, "SELECT count(*) FROM usage_day_summed") >= days);
    return Duration.ofNanos(System.nanoTime() - start);
  }

  Compared compare(int rounds, Duration phase) throws InterruptedException, SQLException {
    live(JOBS * 2);
    List<Lives> alone = new ArrayList<>();
    List<Lives> beside = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      try (BlockedLoops _ = BlockedLoops.hold(database)) {
        alone.add(phase(phase, true));
      }
      beside.add(phase(phase, false));
    }
    return new Compared(alone, beside);
  }

  /** Runs until the loop has read the fleet at least once, unless it is held. */
  private Lives phase(Duration least, boolean held) throws InterruptedException {
    long looked = BlockedLoops.number(database, LOOKED);
    Cost before = processes.cost();
    long start = System.nanoTime();
    int lives = 0;
    do {
      live(JOBS);
      lives += JOBS;
    } while (System.nanoTime() - start < least.toNanos()
        || !held && BlockedLoops.number(database, LOOKED) == looked);
    double seconds = (System.nanoTime() - start) / 1e9;
    return new Lives(lives / seconds, processes.cost().since(before).bothMillis() / lives);
  }

  private void live(int count) throws InterruptedException {
    Clients.each(CLIENTS, count / BATCH, () -> jobs.submit(BATCH));
    await(jobs::done);
  }

  /** A condition to wait for. */
  private interface Condition {
    boolean holds();
  }

  private static void await(Condition condition) throws InterruptedException {
    long until = System.nanoTime() + MOST.toNanos();
    while (!condition.holds()) {
      if (System.nanoTime() > until) {
        throw new IllegalStateException("not within " + MOST.toMinutes() + " min");
      }
      Thread.sleep(LOOK);
    }
  }
}
