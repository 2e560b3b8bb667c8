package dev.fairlead.bench.usage;

import dev.fairlead.bench.Clients;
import dev.fairlead.bench.host.Cost;
import dev.fairlead.bench.host.Processes;
import dev.fairlead.bench.queue.ShortJobs;
import dev.fairlead.bench.submit.BenchFleet;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.LocalFairlead;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The loops that keep books, alone and beside jobs that live from their submit to their end. */
final class BooksBeside {
  private static final int NODES = 1_000;
  private static final int CLIENTS = 2;
  private static final int BATCH = 250;
  private static final int JOBS = 1_000;
  private static final Duration MOST = Duration.ofMinutes(10);
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final String LOOKED = "SELECT look_ms FROM usage_mark";

  private final EmbeddedDatabase database;
  private final Processes processes;
  private final ShortJobs jobs;

  BooksBeside(LocalFairlead fairlead) {
    this.database = fairlead.database();
    this.processes = Processes.of(fairlead);
    this.jobs = new ShortJobs(fairlead.api());
  }

  /**
   * One phase of the live path, or the medians of several.
   *
   * @param rate whole lives a second
   * @param cpuMillis of service and database for each
   */
  record Lives(double rate, double cpuMillis) {}

  /** Phases in turn: while the loops are held, and beside them. */
  record Compared(List<Lives> alone, List<Lives> beside) {}

  static void prepare(LocalFairlead fairlead) throws InterruptedException {
    BenchFleet.register(fairlead.api(), NODES);
  }

  /**
   * The loop adds up so many closed hours again, as after a pause.
   *
   * @return for one hour
   */
  Duration rollUp(int hours) throws InterruptedException, SQLException {
    long open = HeldLoops.number(database, "SELECT open_ms FROM usage_mark");
    try (HeldLoops _ = HeldLoops.hold(database);
        Connection connection = HeldLoops.connect(database);
        Statement statement = connection.createStatement()) {
      statement.execute("UPDATE usage_mark SET open_ms = open_ms - 3600000 * " + hours);
    }
    String mark = "SELECT open_ms FROM usage_mark";
    await(() -> HeldLoops.number(database, mark) > open - 3_600_000L * hours);
    long start = System.nanoTime();
    await(() -> HeldLoops.number(database, mark) >= open);
    return Duration.ofNanos((System.nanoTime() - start) / Math.max(1, hours - 1));
  }

  /**
   * The loop adds up all days that are over, as it does after an upgrade.
   *
   * @return for all of them
   */
  Duration days() throws InterruptedException {
    long days = UsedYear.HOURS / 24 - 1;
    long start = System.nanoTime();
    await(() -> HeldLoops.number(database, "SELECT count(*) FROM usage_day_summed") >= days);
    return Duration.ofNanos(System.nanoTime() - start);
  }

  Compared compare(int rounds, Duration phase) throws InterruptedException, SQLException {
    live(JOBS * 2);
    List<Lives> alone = new ArrayList<>();
    List<Lives> beside = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      try (HeldLoops _ = HeldLoops.hold(database)) {
        alone.add(phase(phase, true));
      }
      beside.add(phase(phase, false));
    }
    return new Compared(alone, beside);
  }

  /** Lasts until the loop has looked at the fleet at least once, unless it is held. */
  private Lives phase(Duration least, boolean held) throws InterruptedException {
    long looked = HeldLoops.number(database, LOOKED);
    Cost before = processes.cost();
    long start = System.nanoTime();
    int lives = 0;
    do {
      live(JOBS);
      lives += JOBS;
    } while (System.nanoTime() - start < least.toNanos()
        || !held && HeldLoops.number(database, LOOKED) == looked);
    double seconds = (System.nanoTime() - start) / 1e9;
    return new Lives(lives / seconds, processes.cost().since(before).bothMillis() / lives);
  }

  private void live(int count) throws InterruptedException {
    Clients.each(CLIENTS, count / BATCH, () -> jobs.submit(BATCH));
    await(jobs::done);
  }

  /** What is waited for. */
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
