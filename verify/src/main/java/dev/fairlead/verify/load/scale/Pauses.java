package dev.fairlead.verify.load.scale;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Pauses of at least {@value #LEAST_MILLIS} ms, each with its cause: stages of the scheduler, and
 * whatever stopped them at that time. Stops of the JVM are from its log, statements and waits for
 * locks from the log of the database.
 */
final class Pauses {
  static final int LEAST_MILLIS = 500;
  private static final Duration LEAST = Duration.ofMillis(LEAST_MILLIS);
  private static final int STATEMENT_CHARACTERS = 100;

  private static final Pattern SAFEPOINT =
      Pattern.compile("\\[(\\S+)\\].*Safepoint \"(\\w+)\".*Total: +(\\d+) ns");

  private static final DateTimeFormatter JVM_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSZ", Locale.ROOT);

  private static final Pattern STATEMENT =
      Pattern.compile(
          "(\\S+ \\S+ \\S+) \\[\\d+\\] LOG: +duration: ([0-9.]+) ms +"
              + "(?:execute|statement|bind|parse)[^:]*: (.*)");

  private static final Pattern LOCK =
      Pattern.compile(
          "(\\S+ \\S+ \\S+) \\[\\d+\\] LOG: +process \\d+ acquired (.*) after ([0-9.]+) ms");

  private static final DateTimeFormatter SERVER_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS z", Locale.ROOT);

  /**
   * @param kind such as {@code GC}
   */
  record Pause(Instant end, Duration took, String kind, String detail) {
    private Instant began() {
      return end.minus(took);
    }

    /** Returns the time that both have in common, zero if none. */
    Duration during(Pause other) {
      Instant from = began().isAfter(other.began()) ? began() : other.began();
      Instant to = end.isBefore(other.end) ? end : other.end;
      return to.isAfter(from) ? Duration.between(from, to) : Duration.ZERO;
    }
  }

  private Pauses() {}

  /** Returns the flag of the JVM that writes its stops to this file. */
  static String jvmFlag(Path log) {
    return "-Xlog:safepoint=info:file=" + log + ":time:filecount=0";
  }

  /** Lets the database log slow statements and waits for locks. */
  static void log(EmbeddedDatabase database) {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement statement = connection.createStatement()) {
      statement.execute("ALTER SYSTEM SET log_min_duration_statement = " + LEAST_MILLIS);
      statement.execute("ALTER SYSTEM SET log_lock_waits = on");
      statement.execute("ALTER SYSTEM SET deadlock_timeout = " + LEAST_MILLIS);
      statement.execute("SELECT pg_reload_conf()");
    } catch (SQLException e) {
      throw new IllegalStateException("the database's log cannot be set: " + e.getMessage(), e);
    }
  }

  /**
   * A line for each pause after that time, the earliest first.
   *
   * @param stages stages of the scheduler
   */
  static List<String> lines(
      Instant since, List<Pause> stages, Path jvmLog, EmbeddedDatabase database)
      throws IOException {
    List<Pause> causes = new ArrayList<>(ofJvm(text(jvmLog)));
    causes.addAll(ofDatabase(text(database.log())));
    causes.removeIf(cause -> cause.end().isBefore(since));
    return explained(stages, causes);
  }

  private static String text(Path log) throws IOException {
    return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
  }

  static List<Pause> ofJvm(String log) {
    return SAFEPOINT
        .matcher(log)
        .results()
        .map(stop -> {
          Duration took = Duration.ofNanos(Long.parseLong(stop.group(3)));
          Instant end = ZonedDateTime.parse(stop.group(1), JVM_TIME).toInstant();
          return new Pause(end, took, "JVM", stop.group(2));
        })
        .toList();
  }

  static List<Pause> ofDatabase(String log) {
    List<Pause> found = new ArrayList<>();
    for (String line : log.lines().toList()) {
      Matcher statement = STATEMENT.matcher(line);
      Matcher lock = LOCK.matcher(line);
      if (statement.lookingAt()) {
        String text = statement.group(3).strip();
        String start = text.substring(0, Math.min(text.length(), STATEMENT_CHARACTERS));
        found.add(pause(statement.group(1), statement.group(2), "statement", start));
      } else if (lock.lookingAt()) {
        found.add(pause(lock.group(1), lock.group(3), "lock", lock.group(2)));
      }
    }
    return found;
  }

  private static Pause pause(String at, String millis, String kind, String detail) {
    Duration took = Duration.ofNanos((long) (Double.parseDouble(millis) * 1e6));
    return new Pause(ZonedDateTime.parse(at, SERVER_TIME).toInstant(), took, kind, detail);
  }

  /** Returns each long stage with its causes, and long causes outside of stages. */
  static List<String> explained(List<Pause> stages, List<Pause> causes) {
    List<Pause> all = new ArrayList<>(stages);
    all.addAll(causes);
    return all.stream()
        .filter(pause -> pause.took().compareTo(LEAST) >= 0)
        .sorted(Comparator.comparing(Pause::end))
        .map(pause -> stages.contains(pause) ? line(pause) + because(pause, causes) : line(pause))
        .toList();
  }

  private static String line(Pause pause) {
    return String.format(
        Locale.ROOT,
        "%s %s %.1f s: %s",
        pause.end(),
        pause.kind(),
        seconds(pause.took()),
        pause.detail());
  }

  /** A stage that nothing stopped was computing, or waited for a core. */
  private static String because(Pause stage, List<Pause> causes) {
    Map<String, Duration> each = new TreeMap<>();
    for (Pause cause : causes) {
      each.merge(cause.kind(), cause.during(stage), Duration::plus);
    }
    StringBuilder because = new StringBuilder();
    each.forEach((kind, took) -> {
      if (!took.isZero()) {
        because.append(String.format(Locale.ROOT, ", %s %.1f s", kind, seconds(took)));
      }
    });
    return because.isEmpty() ? ", no stop: own work or a wait for a core" : because.toString();
  }

  private static double seconds(Duration took) {
    return took.toNanos() / 1e9;
  }
}
