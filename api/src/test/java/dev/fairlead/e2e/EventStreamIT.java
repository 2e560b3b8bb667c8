package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.figures.Figure;
import dev.fairlead.launcher.EmbeddedDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Live events over a real connection that is cut, stalled and delayed. */
class EventStreamIT {
  private static final int MOST_SIGNS = 20;
  private static final int ROUNDS = 20;
  private static final int FOLLOWERS = 4;
  private static final int MANY_FOLLOWERS = 16;
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static EmbeddedDatabase database;
  private static RunningFairlead fairlead;
  private static Http http;

  @BeforeAll
  static void start() {
    database = MigratedDatabase.start();
    fairlead =
        RunningFairlead.startBehind(
            database, database.url(), "--server.tomcat.connection-timeout=2s");
    http = fairlead.http();
  }

  @AfterAll
  static void aStreamEndsWithItsProcess() throws IOException {
    if (fairlead == null) {
      return;
    }
    try (Stream stream = new Stream(null)) {
      stream.next();
      fairlead.end();
      stream.toTheEnd();
    } finally {
      fairlead.close();
    }
  }

  /**
   * A follower that reads the raw stream as HTTP/1.0, so that nothing is inserted between the
   * lines.
   */
  private static final class Stream implements AutoCloseable {
    private final Socket socket = new Socket();
    private final BufferedReader lines;
    private String id = "";

    Stream(@Nullable String lastEventId) throws IOException {
      URI server = URI.create(http.base());
      socket.setReceiveBufferSize(4_096);
      socket.connect(new InetSocketAddress(server.getHost(), server.getPort()));
      socket.setSoTimeout((int) PATIENCE.toMillis());
      String last = lastEventId == null ? "" : "Last-Event-ID: " + lastEventId + "\r\n";
      String request = "GET /api/v1/events/stream HTTP/1.0\r\nHost: localhost\r\n" + last + "\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      lines =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    /** The next id, of an event or a heartbeat. */
    String next() throws IOException {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("id: ")) {
          id = line.substring(4);
          return id;
        }
      }
      throw new AssertionError("the stream has ended");
    }

    /** The id of the next event. Fails if no event arrives, even while heartbeats continue. */
    String event() throws IOException {
      String found = next();
      for (int signs = 0; !lines.readLine().startsWith("data: "); signs++) {
        assertThat(signs).as("signs of life without an event").isLessThan(MOST_SIGNS);
        found = next();
      }
      return found;
    }

    /** Reads to the end. Throws if the connection is reset. */
    void toTheEnd() throws IOException {
      while (lines.readLine() != null) {
        // events that are still in transit
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private static void submit(int jobs) {
    List<String> items = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      items.add("{\"image\":\"x\",\"placement\":{\"clusters\":[\"nowhere\"]}}");
    }
    Http.Answer answer =
        http.json(
            "/api/v1/projects/default/jobs/batch", "{\"items\":[" + String.join(",", items) + "]}");
    assertThat(answer.status()).isEqualTo(200);
  }

  /** Ids of the events after the given event, in the order of the list. */
  private static List<String> listed(String since) {
    List<String> ids = new ArrayList<>();
    String path = "/api/v1/events?pageSize=500&since=" + since;
    for (String next = path; !next.isEmpty(); ) {
      Http.Answer page = http.get(next);
      page.json().get("items").forEach(e -> ids.add(e.get("id").asString()));
      next = page.header("Link").replaceAll("^<|>.*$", "");
    }
    return ids;
  }

  private static double streams() {
    return fairlead
        .management()
        .get("/actuator/metrics/fairlead.event.streams")
        .json()
        .at("/measurements/0/value")
        .asDouble();
  }

  @Test
  void longOpenTransactionLosesNoEventAndKeepsTheOrder() throws Exception {
    // Fails when readers do not stop below the oldest running transaction.
    try (Stream stream = new Stream(null);
        Connection held =
            DriverManager.getConnection(database.url(), database.user(), database.password())) {
      String start = stream.next();
      held.setAutoCommit(false);
      execute(held, insert(1, 10));
      submit(200);
      assertThat(listed(start)).as("not before what may still come").isEmpty();
      held.commit();

      List<String> read = new ArrayList<>();
      while (read.size() < 201) {
        read.add(stream.event());
      }
      assertThat(read).doesNotHaveDuplicates().isSorted();
      await().atMost(PATIENCE).until(() -> listed(start).size() == 201);
      assertThat(read).isEqualTo(listed(start));
    }
  }

  /** Fails when a stream starts at the newest event and ignores the last read position. */
  @Tag(Figure.TAG)
  @Test
  void interruptedStreamsResumeWithoutAGap() throws Exception {
    String start;
    try (Stream stream = new Stream(null)) {
      start = stream.next();
    }
    int rounds = Figure.times(ROUNDS, 10_000 / MANY_FOLLOWERS);
    List<Follower> followers = new ArrayList<>();
    for (int i = 0; i < (Figure.asked() ? MANY_FOLLOWERS : FOLLOWERS); i++) {
      followers.add(new Follower(start));
    }
    try (ExecutorService atOnce = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int round = 0; round < rounds; round++) {
        submit(round < ROUNDS ? 10 + round % 5 * 10 : 4);
        List<Callable<Integer>> reads = new ArrayList<>();
        for (int i = 0; i < followers.size(); i++) {
          Follower follower = followers.get(i);
          int most = 1 + (round + i) % 7;
          reads.add(() -> follower.read(most));
        }
        for (Future<Integer> read : atOnce.invokeAll(reads)) {
          read.get();
        }
      }
    }
    List<String> all = listed(start);
    for (Follower follower : followers) {
      follower.read(all.size() - follower.read.size());
      assertThat(follower.read).isEqualTo(all).doesNotHaveDuplicates();
    }
    Figure.seen(
        "G11",
        "no gap over %d cuts of %d streams, %d events each"
            .formatted(rounds * followers.size(), followers.size(), all.size()));
  }

  /** Continues after the last event that was read, over a new connection each time. */
  private static final class Follower {
    private final List<String> read = new ArrayList<>();
    private String position;

    private Follower(String start) {
      position = start;
    }

    /** Reads this number of events, cuts the stream, and returns the total so far. */
    private int read(int events) throws IOException {
      try (Stream stream = new Stream(position)) {
        for (int i = 0; i < events; i++) {
          position = stream.event();
          read.add(position);
        }
      }
      return read.size();
    }
  }

  @Test
  void slowReaderIsDisconnected() throws Exception {
    await().atMost(PATIENCE).until(() -> streams() == 0);
    try (Stream stalled = new Stream(null);
        Connection writer =
            DriverManager.getConnection(database.url(), database.user(), database.password())) {
      stalled.next();
      assertThat(streams()).isEqualTo(1);
      execute(writer, insert(200, 100_000));
      submit(1);

      await().atMost(PATIENCE).until(() -> streams() == 0);
    }
  }

  /** Fails when a HEAD request is followed: it would never end. */
  @Test
  void headRequestIsAnsweredWithoutOpeningAStream() {
    await().atMost(PATIENCE).until(() -> streams() == 0);

    Http.Answer head = http.send("HEAD", "/api/v1/events/stream", null);

    assertThat(head.status()).isEqualTo(200);
    assertThat(head.header("Content-Type")).isEqualTo("text/event-stream;charset=UTF-8");
    assertThat(streams()).isZero();
    String unknown = "evt_7zzzzzzzzzzzzzzzzzzzzzzzzz";
    assertThat(http.send("HEAD", "/api/v1/events/stream?since=" + unknown, null).status())
        .isEqualTo(410);
  }

  /** Fails when a follower skips a deleted day as if it had been empty. */
  @Test
  void streamResumedFromADroppedDayReportsTheNextStep() throws Exception {
    String position;
    try (Connection writer =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Stream stream = new Stream(null)) {
      execute(
          writer,
          "CREATE TABLE event_d20210102 PARTITION OF event FOR VALUES FROM ('2021-01-02') TO"
              + " ('2021-01-03')");
      execute(writer, "ALTER TABLE event_d20210102 OWNER TO fairlead_owner");
      stream.next();
      execute(writer, ofThatDay(insert(3, 1)));
      submit(1);
      position = stream.event();
      execute(writer, "SELECT fairlead_drop_events('2022-01-01')");
    }

    Http.Answer cut = http.get("/api/v1/events/stream", "Last-Event-ID", position);

    assertThat(cut.status()).isEqualTo(410);
    assertThat(cut.code()).isEqualTo("POSITION_EXPIRED");
    assertThat(cut.body()).contains("without a position");
    assertThat(http.get("/api/v1/events?since=" + position).status()).isEqualTo(410);
    try (Stream anew = new Stream(null)) {
      anew.next();
      submit(1);
      assertThat(anew.event()).isNotEqualTo(position);
    }
  }

  private static String ofThatDay(String insert) {
    return insert
        .replace("INTO event (", "INTO event (at, ")
        .replace("SELECT i.", "SELECT timestamptz '2021-01-02', i.");
  }

  @Test
  void expiredAndInvalidPositionsAreRejected() {
    String unknown = "evt_7zzzzzzzzzzzzzzzzzzzzzzzzz";
    Http.Answer expired = http.get("/api/v1/events/stream", "Last-Event-ID", unknown);
    assertThat(expired.status()).isEqualTo(410);
    assertThat(expired.code()).isEqualTo("POSITION_EXPIRED");
    for (String bad : new TreeSet<>(List.of("-1", "0", "evt_", "job_01k", "x".repeat(300)))) {
      assertThat(http.get("/api/v1/events/stream", "Last-Event-ID", bad).status())
          .as(bad)
          .isEqualTo(400);
    }
    assertThat(http.get("/api/v1/events?project=nowhere").status()).isEqualTo(404);
    assertThat(http.get("/api/v1/events?since=1").code()).isEqualTo("INVALID_PARAMETER");
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The given number of events with the given number of characters, as any writer stores them. */
  private static String insert(int events, int characters) {
    return """
    INSERT INTO event (incarnation, type, subject_kind, subject, version, actor, tenant, project, data)
    SELECT i.incarnation, 'JobSubmitted', 'JOB', gen_random_uuid(), 1, 'ana', p.tenant, p.id,
           json_build_object('name', repeat('x', %d))
    FROM installation i, project p, generate_series(1, %d)
    WHERE p.name = 'default'
    """
        .formatted(characters, events);
  }
}
