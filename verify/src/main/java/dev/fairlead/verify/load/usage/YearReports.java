package dev.fairlead.verify.load.usage;

import dev.fairlead.launcher.ApiRefusal;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.verify.Clients;
import dev.fairlead.verify.Percentiles;
import java.time.Duration;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/** Reads the reports of the stored year. */
final class YearReports {
  private static final List<String> GROUPS = List.of("project", "queue", "user", "pool");
  private static final List<String> LABELS =
      UsedYear.KEYS.stream().map(key -> "label:" + key).toList();
  private static final int WARM_UP = 3;
  private static final int MOST_HOURS = 24;

  private final FairleadApi api;
  private final Instant end;

  YearReports(FairleadApi api, EmbeddedDatabase database) {
    this.api = api;
    this.end =
        Instant.ofEpochMilli(BlockedLoops.number(database, "SELECT open_ms FROM usage_watermark"));
  }

  /** Duration of each kind of report, by its name, in the order of the reads. */
  SequencedMap<String, Percentiles> measure(int reads) throws InterruptedException {
    SequencedMap<String, Percentiles> took = took(reads, paths(), this::read);
    took.putAll(took(reads, labelled(), this::read));
    took.putAll(took(reads, tooMany(), this::refused));
    return took;
  }

  /** Measures before days are summed, for the reports that then read few hours. */
  SequencedMap<String, Percentiles> withHoursAlone(int reads) throws InterruptedException {
    return took(reads, paths(), this::read);
  }

  private static SequencedMap<String, Percentiles> took(
      int reads, SequencedMap<String, String> paths, Consumer<String> each)
      throws InterruptedException {
    SequencedMap<String, Percentiles> took = new LinkedHashMap<>();
    for (Map.Entry<String, String> path : paths.entrySet()) {
      Clients.each(1, WARM_UP, () -> each.accept(path.getValue()));
      took.put(
          path.getKey(),
          new Percentiles(Clients.each(1, reads, () -> each.accept(path.getValue()))));
    }
    return took;
  }

  private String year() {
    return "from=" + end.minus(Duration.ofDays(365)) + "&to=" + end;
  }

  /** Reports by one, two and three labels of jobs. */
  private SequencedMap<String, String> labelled() {
    SequencedMap<String, String> paths = new LinkedHashMap<>();
    for (int labels = 1; labels <= LABELS.size(); labels++) {
      paths.put(
          "year by label, " + labels,
          "/usage?period=MONTH&by=" + String.join(",", LABELS.subList(0, labels)) + "&" + year());
    }
    return paths;
  }

  /** Returns the paths of reports that exceed the row limit. */
  private SequencedMap<String, String> tooMany() {
    SequencedMap<String, String> paths = new LinkedHashMap<>();
    paths.put(
        "year by 3 labels, user and pool, refused",
        "/usage?period=MONTH&by=user,pool," + String.join(",", LABELS) + "&" + year());
    return paths;
  }

  private SequencedMap<String, String> paths() {
    String year = year();
    SequencedMap<String, String> paths = new LinkedHashMap<>();
    for (String group : GROUPS) {
      paths.put("year by " + group, "/usage?period=MONTH&by=" + group + "&" + year);
    }
    YearMonth month = YearMonth.from(end.atOffset(ZoneOffset.UTC)).minusMonths(1);
    paths.put("statement of a month", "/statements/" + month);
    paths.put("spill of a year", "/reports/spill?" + year);
    paths.put("spill of a year, every tenant", "/reports/spill?everyTenant=true&" + year);
    return paths;
  }

  private void read(String path) {
    if (api.get(path).isEmpty()) {
      throw new IllegalStateException("nothing was reported: " + path);
    }
  }

  private void refused(String path) {
    try {
      read(path);
    } catch (ApiRefusal refusal) {
      if (refusal.code().equals("INVALID_PARAMETER")) {
        return;
      }
      throw refusal;
    }
    throw new IllegalStateException("the report should have too many rows: " + path);
  }

  /** Computes the spill of a day, because the stored year has an estimate. */
  private void correctSpill(String span) {
    JsonNode answer = api.post("/usage/rebuild?" + span);
    for (JsonNode item : answer.path("items")) {
      if (!item.path("key").path("kind").asString("").equals("SPILL")) {
        throw new IllegalStateException("hours differ from their intervals: " + answer);
      }
    }
  }

  /**
   * Compares days with their intervals, the last one first.
   *
   * @return duration for one hour
   * @throws IllegalStateException when one differs: then the figures are of another year
   */
  Duration verify(int days) {
    List<String> spans = new ArrayList<>();
    for (int day = 1; day <= days; day++) {
      Instant from = end.minus(Duration.ofHours((long) day * MOST_HOURS));
      spans.add("from=" + from + "&to=" + from.plus(Duration.ofHours(MOST_HOURS)));
    }
    spans.forEach(this::correctSpill);
    long start = System.nanoTime();
    int hours = 0;
    for (String span : spans) {
      JsonNode answer = api.post("/usage/rebuild?validateOnly=true&" + span);
      hours += answer.path("hours").asInt(0);
      if (answer.path("differences").asInt(-1) != 0) {
        throw new IllegalStateException("hours differ from their intervals: " + answer);
      }
    }
    return Duration.ofNanos((System.nanoTime() - start) / Math.max(1, hours));
  }
}
