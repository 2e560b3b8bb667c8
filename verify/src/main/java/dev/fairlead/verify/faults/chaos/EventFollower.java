package dev.fairlead.verify.faults.chaos;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.verify.Waiting;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Follows the event stream from before the first job to after the last one. After a disconnection
 * it continues on any replica after the last received position.
 */
final class EventFollower implements AutoCloseable {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String ID = "id: ";
  private static final String DATA = "data: ";
  private static final int MOST_FINDINGS = 5;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();
  private final List<Replica> replicas;
  private final Random random;
  private final List<Seen> seen = Collections.synchronizedList(new ArrayList<>());
  private final Thread thread;
  private @Nullable String last;
  private volatile boolean begun;
  private int streams;

  /** One received event of a job. */
  private record Seen(String job, long version) {}

  EventFollower(List<Replica> replicas, long seed) {
    this.replicas = replicas;
    this.random = new Random(seed);
    this.thread = Thread.ofVirtual().name("follower").unstarted(this::follow);
  }

  /** Returns when the stream has begun and will receive every later event. */
  void start() throws InterruptedException {
    thread.start();
    Waiting.until("the event stream begins", Waiting.PATIENCE, () -> begun);
  }

  /** Number of reconnections. */
  int cuts() {
    return Math.max(0, streams - 1);
  }

  /**
   * Returns violations: each stored event of a job must arrive once, and the events of one job in
   * order. Empty for none.
   */
  List<String> wrong(PostgresServer server) throws InterruptedException, SQLException {
    Map<String, Long> stored = stored(server);
    long all = stored.values().stream().mapToLong(n -> n).sum();
    List<String> wrong = new ArrayList<>();
    if (all == 0) {
      wrong.add("no job event is stored, so the stream cannot be compared with anything");
    }
    try {
      Waiting.until("the stream brings every event", Waiting.PATIENCE, () -> seen.size() >= all);
    } catch (IllegalStateException late) {
      wrong.add(late.getMessage());
    }
    Map<String, Long> told = new TreeMap<>();
    Map<String, Long> latest = new TreeMap<>();
    for (Seen event : List.copyOf(seen)) {
      told.merge(event.job() + " version " + event.version(), 1L, Long::sum);
      Long before = latest.put(event.job(), event.version());
      if (before != null && before > event.version()) {
        wrong.add("the stream brought version " + before + " of " + event.job() + " too early");
      }
    }
    stored.forEach((event, n) -> {
      long times = told.getOrDefault(event, 0L);
      if (times != n && wrong.size() < MOST_FINDINGS) {
        wrong.add("the stream brought " + times + " events of " + event + ", stored are " + n);
      }
    });
    return wrong;
  }

  private static Map<String, Long> stored(PostgresServer server) throws SQLException {
    Map<String, Long> stored = new TreeMap<>();
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT subject, version, sum(1 + coalesce(jsonb_array_length(more), 0)) FROM event"
                    + " WHERE subject_kind = 'JOB' GROUP BY subject, version")) {
      while (rows.next()) {
        stored.put(rows.getString(1) + " version " + rows.getLong(2), rows.getLong(3));
      }
    }
    return stored;
  }

  private void follow() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        once();
        Thread.sleep(50 + random.nextInt(200));
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  private void once() throws InterruptedException {
    Replica replica = replicas.get(random.nextInt(replicas.size()));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(replica.address().resolve("/api/v1/events/stream"));
    if (last != null) {
      request.header("Last-Event-ID", last);
    }
    try {
      HttpResponse<InputStream> answer =
          http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
        if (answer.statusCode() == 200) {
          streams++;
          read(lines);
        }
      }
    } catch (IOException cut) { // it continues at its position
    }
  }

  /** An event counts once its end was read, because an interrupted event is sent again. */
  private void read(BufferedReader lines) throws IOException {
    String id = null;
    String data = null;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith(ID)) {
        id = line.substring(ID.length());
      } else if (line.startsWith(DATA)) {
        data = line.substring(DATA.length());
      } else if (line.isEmpty() && id != null) {
        take(id, data);
        id = null;
        data = null;
      }
    }
  }

  private void take(String id, @Nullable String data) {
    if (last == null) {
      begun = true;
    }
    last = id;
    if (data == null) {
      return;
    }
    JsonNode subject = JSON.readTree(data).path("subject");
    if (subject.path("type").asString("").equals("job")) {
      String job =
          IdText.decode(IdKind.JOB, subject.path("id").asString("")).orElseThrow().toString();
      seen.add(new Seen(job, subject.path("version").asLong()));
    }
  }

  @Override
  public void close() {
    thread.interrupt();
    http.shutdownNow();
  }
}
