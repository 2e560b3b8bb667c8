package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.figures.Figure;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.loop.LoopThread;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.work.event.WakeUps;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One caller far exceeds the limit of its project, and the other project is not affected. */
class OverloadIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int PER_MINUTE = 300;

  /** Twice as much in the short form, which has to exhaust the budget of a minute in seconds. */
  private static final int OVERLOAD_PER_SECOND = (Figure.asked() ? 10 : 20) * PER_MINUTE / 60;

  private static final int READS = 6;
  private static final int CALM_PER_SECOND = 3;

  /** Enough for a p99 that covers more than the two worst values. */
  private static final int ENOUGH = 1_000;

  private static final Duration RECOVERY = Duration.ofSeconds(30);

  /** The effect of the machine alone on a p99. */
  private static final double NOISE_MILLIS = 20;

  /** Fewer than the concurrent reads of one caller. */
  private static final int LOOP_CONNECTIONS = READS - 1;

  private static final int FLOOD = 270;
  private static final int CALM = 100;

  /** Shorter than the statement timeout, which ends reads that hang. */
  private static final Duration HANG = Duration.ofSeconds(20);

  /** A pause of the JVM that may lose leases of four seconds, renewed every second. */
  private static final Duration STOOD_STILL = Duration.ofSeconds(2);

  private static final int MEASURES = 3;

  /**
   * The effect of 270 clients in the same process on a p99, and the longest permitted wait of a
   * request.
   */
  private static final double FLOOD_MILLIS = 2_000;

  /** The Authorization header of the caller of each project. */
  private static final Map<String, String> TOKENS = new ConcurrentHashMap<>();

  private static final AtomicInteger NAMES = new AtomicInteger();

  private static EmbeddedDatabase database;
  private static Connection connection;
  private static RunningFairlead fairlead;
  private static Http http;

  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger busy = new AtomicInteger();
  private final AtomicInteger others = new AtomicInteger();

  @BeforeAll
  static void start(@TempDir Path keys) throws SQLException {
    database = MigratedDatabase.start();
    connection = DriverManager.getConnection(database.url(), database.user(), database.password());
    fairlead =
        RunningFairlead.startBehind(
            database,
            database.url(),
            "--fairlead.api.requests-per-minute=" + PER_MINUTE,
            "--fairlead.database.loop-connections=" + LOOP_CONNECTIONS,
            "--fairlead.key-file=" + keys.resolve("key"),
            "--fairlead.lease.duration=6s",
            "--fairlead.lease.renew=1s",
            "--fairlead.lease.self-stop=4s");
    http = fairlead.http();
    for (String project : new String[] {"loud", "calm"}) {
      String body = "{\"name\":\"" + project + "\"}";
      assertThat(http.json("/api/v1/projects", body).status()).isEqualTo(201);
      String token = "{name: it, user: 'sa:" + project + "', role: project-member}";
      Http.Answer made = http.yaml("/api/v1/tokens?project=" + project, token);
      TOKENS.put(project, "Bearer " + made.json().get("token").asString());
    }
  }

  @AfterAll
  static void stop() throws SQLException {
    connection.close();
    fairlead.close();
  }

  /**
   * Fails when one budget is shared by all, or when leases wait for connections behind requests.
   */
  @Tag(Figure.TAG)
  @Test
  void tenfoldLoadOfOneProjectDelaysNeitherOthersNorLeases() throws Exception {
    Duration time = Duration.ofSeconds(Figure.times(9, 600));
    calm(http, Duration.ofSeconds(2));
    Latencies before = calm(http, Duration.ofSeconds(Figure.times(3, 60)));
    Latencies during = keepingLeases(() -> overloaded(http, time));

    assertThat(refused.get()).isPositive();
    assertThat(others.get()).as("neither taken nor told to wait").isZero();
    assertThat(accepted.get()).isPositive();
    if (Figure.asked()) {
      // With other tests on the machine, request slots run out before the budget does.
      assertThat(goodput(time)).isGreaterThanOrEqualTo(0.9);
    }
    await("the loud one is served again").atMost(RECOVERY).until(() -> submit(http, "loud") == 201);
    report(time, before, during);
  }

  /**
   * As many lists of one project as it may run hang in the database, and two hundred more wait.
   * Fails when one project can take every permit: each request of another project would be
   * rejected.
   */
  @Tag("long")
  @Test
  void floodOfSlowReadsLeavesConcurrencyToOthers() throws Exception {
    Latencies before = submitted();
    Latencies during = keepingLeases(this::flooded);
    assertThat(busy.get()).as("its line was full").isPositive();
    assertThat(others.get()).as("neither answered nor told to wait").isZero();
    assertThat((double) during.millisAt(99)).isLessThan(2.0 * before.millisAt(99) + FLOOD_MILLIS);
  }

  private Latencies flooded() throws SQLException {
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute("LOCK TABLE job_archive IN ACCESS EXCLUSIVE MODE");
        for (int i = 0; i < FLOOD; i++) {
          clients.submit(() -> count(get(http, "loud")));
        }
        await().atMost(PATIENCE).until(() -> waiting(statement, "job_archive") > 1);
        return submitted();
      } finally {
        connection.rollback();
        connection.setAutoCommit(true);
      }
    }
  }

  /**
   * Measurements during which no lease changed its holder. A JVM that was paused renewed no lease,
   * regardless of its connections, so the measurement is repeated.
   */
  private static Latencies keepingLeases(Callable<Latencies> measure) throws Exception {
    for (int i = 1; ; i++) {
      await().atMost(PATIENCE).until(OverloadIT::allHeld);
      SortedMap<String, Long> epochs = epochs(connection);
      try (StandStill stands = new StandStill()) {
        Latencies measured = measure.call();
        boolean again = i < MEASURES && stands.longest().compareTo(STOOD_STILL) > 0;
        if (!again || epochs(connection).entrySet().containsAll(epochs.entrySet())) {
          assertThat(epochs(connection)).as("no lease changed hands").containsAllEntriesOf(epochs);
          return measured;
        }
      }
    }
  }

  /**
   * Reads of all tenants hang in the database, more than loops have connections. Fails when work
   * for all tenants uses a connection of loops in request threads: then requests cannot exhaust the
   * pool.
   */
  @Test
  void requestsAcrossAllTenantsUseNoConnectionOfLoops() throws Exception {
    Transactions transactions = fairlead.transactions();
    AtomicInteger turns = new AtomicInteger();
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute("LOCK TABLE audit_link IN ACCESS EXCLUSIVE MODE");
        for (int i = 0; i < READS; i++) {
          clients.submit(() -> http.get("/api/v1/audit/verification"));
        }
        await().atMost(PATIENCE).until(() -> waiting(statement, "audit_link") >= READS);
        try (LoopThread _ =
            fairlead.run(new Turns(() -> transactions.forAllTenants(turns::incrementAndGet)))) {
          await().atMost(Duration.ofSeconds(20)).until(() -> turns.get() > 0);
        }
      } finally {
        connection.rollback();
        connection.setAutoCommit(true);
      }
    }
  }

  /** A loop that does nothing but that. */
  private record Turns(Runnable turn) implements Loop {
    @Override
    public String name() {
      return "turns";
    }

    @Override
    public String role() {
      return "scheduler";
    }

    @Override
    public Duration idle() {
      return Duration.ofMillis(100);
    }

    @Override
    public Set<WakeUps.Topic> wakesOn() {
      return Set.of();
    }

    @Override
    public boolean tick() {
      turn.run();
      return false;
    }

    @Override
    public void close() {}
  }

  /** None of them is delayed. */
  private static Latencies submitted() {
    Latencies latencies = new Latencies();
    long end = System.nanoTime() + HANG.toNanos();
    for (int i = 0; i < CALM && System.nanoTime() < end; i++) {
      long start = System.nanoTime();
      assertThat(submit(http, "calm")).isEqualTo(201);
      latencies.add(Duration.ofNanos(System.nanoTime() - start));
    }
    return latencies;
  }

  private static int waiting(Statement statement, String table) throws SQLException {
    try (ResultSet row =
        statement.executeQuery(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '%s'::regclass"
                .formatted(table))) {
      row.next();
      return row.getInt(1);
    }
  }

  /**
   * Requests that the loud project may send: a full bucket at first, then the refill. A slow
   * machine accepts a part, and refuses the rest with an error.
   */
  private double goodput(Duration time) {
    double may = PER_MINUTE + PER_MINUTE / 60.0 * time.toSeconds();
    int all = accepted.get() + refused.get() + busy.get();
    return accepted.get() / (Math.min(may, all) - busy.get());
  }

  private void report(Duration time, Latencies before, Latencies during) {
    Figure.seen(
        "G18",
        "%d s of ten times the load: %.0f %% of what is allowed taken, %d told to wait, others' p99 %d ms, %d ms before"
            .formatted(
                time.toSeconds(),
                100 * goodput(time),
                refused.get(),
                during.millisAt(99),
                before.millisAt(99)));
    if (during.count() >= ENOUGH) {
      assertThat((double) during.millisAt(99)).isLessThan(2.0 * before.millisAt(99) + NOISE_MILLIS);
    }
  }

  private Latencies overloaded(Http http, Duration time) {
    AtomicBoolean on = new AtomicBoolean(true);
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      clients.submit(() -> {
        long start = System.nanoTime();
        for (long sent = 0; on.get(); sent++) {
          LockSupport.parkNanos(
              start + sent * 1_000_000_000L / OVERLOAD_PER_SECOND - System.nanoTime());
          clients.submit(() -> count(send(http, "loud")));
        }
      });
      Latencies calm = calm(http, time);
      on.set(false);
      return calm;
    }
  }

  private void count(Http.Answer answer) {
    switch (answer.status()) {
      case 200, 201 -> accepted.incrementAndGet();
      case 429 -> (answer.body().contains("is busy") ? busy : refused).incrementAndGet();
      default -> others.incrementAndGet();
    }
  }

  /** Each of its requests is served. A request that needs another try took that long. */
  private static Latencies calm(Http http, Duration time) {
    Latencies latencies = new Latencies();
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() < end) {
      long start = System.nanoTime();
      served(http);
      latencies.add(Duration.ofNanos(System.nanoTime() - start));
      LockSupport.parkNanos(1_000_000_000L / CALM_PER_SECOND);
    }
    return latencies;
  }

  private static void served(Http http) {
    for (int tries = 0; submit(http, "calm") != 201; tries++) {
      assertThat(tries).as("tries of a request that is within its budget").isLessThan(60);
      LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
    }
  }

  private static int submit(Http http, String project) {
    return send(http, project).status();
  }

  private static Http.Answer send(Http http, String project) {
    // with a given name, because choosing a name reads the archive, which a test locks
    String name = "job-" + NAMES.incrementAndGet();
    String job = "{name: %s, image: x, placement: {clusters: [nowhere]}}".formatted(name);
    return http.yaml(jobs(project), job, "Authorization", TOKENS.get(project));
  }

  private static Http.Answer get(Http http, String project) {
    return http.get(jobs(project), "Authorization", TOKENS.get(project));
  }

  private static String jobs(String project) {
    return "/api/v1/projects/" + project + "/jobs";
  }

  private static boolean allHeld() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                SELECT bool_and(NOT released AND renewed_at > now() - interval '3 s')
                    AND bool_or(name = 'scheduler') FROM lease
                """)) {
      row.next();
      return row.getBoolean(1);
    }
  }

  private static SortedMap<String, Long> epochs(Connection connection) throws SQLException {
    SortedMap<String, Long> epochs = new TreeMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT name, epoch FROM lease")) {
      while (rows.next()) {
        epochs.put(rows.getString(1), rows.getLong(2));
      }
    }
    return epochs;
  }
}
