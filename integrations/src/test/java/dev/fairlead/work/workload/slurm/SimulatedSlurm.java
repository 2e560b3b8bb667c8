package dev.fairlead.work.workload.slurm;

import dev.fairlead.work.workload.slurm.SlurmRest.Answer;
import dev.fairlead.work.workload.slurm.SlurmRest.Away;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * slurmctld, slurmdbd and slurmrestd in virtual time. Requests and answers get lost, and a
 * submission without an answer may arrive seconds later.
 */
final class SimulatedSlurm implements SlurmRest.Carrier {
  /** Faults of Slurm that the gateway does not survive. */
  enum Defect {
    /** Several jobs of one name run at a time. */
    IGNORES_SINGLETON,
    /** Lists of jobs and the accounting are empty without an error. */
    FORGETS_RUNNING_JOBS
  }

  /** A late submission arrives within this time, half the limit that the gateway waits for. */
  private static final Duration LATEST = Duration.ofSeconds(10);

  private static final Duration ENDING = Duration.ofSeconds(2);
  private static final Duration FORGOTTEN = Duration.ofMinutes(5);
  private static final String VERSIONS = "{\"paths\": {\"/slurm/v0.0.38/jobs\": {}}}";
  private static final int ONE_IN = 8;

  /** A job. */
  static final class Entry {
    private final int id;
    private final JsonNode job;
    private final long lasts;
    private String state = "PENDING";
    private long since;

    private Entry(int id, JsonNode job, long lasts) {
      this.id = id;
      this.job = job;
      this.lasts = lasts;
    }

    String name() {
      return job.path("name").asString("");
    }

    boolean runs() {
      return state.equals("RUNNING") || state.equals("COMPLETING");
    }

    boolean over() {
      return state.equals("COMPLETED") || state.equals("CANCELLED");
    }

    private Map<String, Object> shown() {
      return Map.of(
          "job_id",
          id,
          "name",
          name(),
          "comment",
          job.path("comment").asString(""),
          "user_name",
          "ml",
          "job_state",
          state,
          "state_reason",
          "Dependency",
          "nodes",
          state.equals("PENDING") ? "" : "n1");
    }
  }

  private record Late(long at, JsonNode job) {}

  private final JsonMapper json = JsonMapper.builder().build();
  private final RandomGenerator chance;
  private final @Nullable Defect defect;
  private final List<Entry> entries = new ArrayList<>();
  private final List<Late> late = new ArrayList<>();
  private long nanos = Duration.ofDays(1).toNanos();
  private boolean faults = true;

  SimulatedSlurm(RandomGenerator chance, @Nullable Defect defect) {
    this.chance = chance;
    this.defect = defect;
  }

  long nanos() {
    return nanos;
  }

  /** Ends all faults. */
  void heal() {
    faults = false;
  }

  List<Entry> jobs(Predicate<Entry> wanted) {
    return entries.stream().filter(wanted).toList();
  }

  void advance(Duration by) {
    nanos += by.toNanos();
    for (Iterator<Late> each = late.iterator(); each.hasNext(); ) {
      Late next = each.next();
      if (next.at() <= nanos) {
        add(next.job());
        each.remove();
      }
    }
    entries.forEach(this::step);
  }

  private void step(Entry entry) {
    if (entry.state.equals("PENDING") && !waits(entry)) {
      to(entry, "RUNNING");
    } else if (entry.state.equals("RUNNING") && nanos - entry.since > entry.lasts) {
      to(entry, "COMPLETED");
    } else if (entry.state.equals("COMPLETING") && nanos - entry.since > ENDING.toNanos()) {
      to(entry, "CANCELLED");
    }
  }

  private void to(Entry entry, String state) {
    entry.state = state;
    entry.since = nanos;
  }

  private boolean waits(Entry entry) {
    boolean singleton = entry.job.path("dependency").asString("").equals("singleton");
    return singleton
        && defect != Defect.IGNORES_SINGLETON
        && entries.stream()
            .anyMatch(other ->
                other.name().equals(entry.name())
                    && (other.runs() || !other.over() && other.id < entry.id));
  }

  private Entry add(JsonNode job) {
    long lasts = Duration.ofSeconds(60 + chance.nextInt(240)).toNanos();
    Entry entry = new Entry(entries.size() + 1, job, lasts);
    entries.add(entry);
    return entry;
  }

  @Override
  public Answer call(String method, String path, byte @Nullable [] body) throws Away {
    boolean fails = faults && chance.nextInt(ONE_IN) == 0;
    if (fails && body != null && chance.nextBoolean()) {
      late.add(new Late(nanos + chance.nextLong(LATEST.toNanos()), job(body)));
    }
    if (fails && chance.nextBoolean()) {
      throw new Away("the request was lost");
    }
    Answer answer = answer(method, path, fails && body != null ? null : body);
    if (fails) {
      throw new Away("the answer was lost");
    }
    return answer;
  }

  private JsonNode job(byte[] body) {
    return json.readTree(body).path("job");
  }

  private Answer answer(String method, String path, byte @Nullable [] body) {
    if (path.equals("/openapi/v3")) {
      return new Answer(200, VERSIONS);
    }
    if (path.endsWith("/job/submit")) {
      return sent(body == null ? Map.of() : Map.of("job_id", add(job(body)).id));
    }
    int id = path.matches(".*/job/\\d+") ? Integer.parseInt(path.replaceAll(".*/", "")) : 0;
    if (method.equals("DELETE")) {
      entries.stream().filter(each -> each.id == id && !each.over()).forEach(this::cancel);
      return sent(Map.of());
    }
    boolean forgets = faults && defect == Defect.FORGETS_RUNNING_JOBS && chance.nextInt(5) == 0;
    if (path.startsWith("/slurmdb/")) {
      return sent(Map.of("jobs", forgets ? List.of() : records(id)));
    }
    SortedMap<String, Object> all = new TreeMap<>();
    all.put("jobs", forgets ? List.of() : jobs(this::known).stream().map(Entry::shown).toList());
    all.put("nodes", List.of(Map.of("name", "n1", "cpus", 64, "partitions", List.of("all"))));
    all.put("partitions", List.of(Map.of("name", "all")));
    return sent(all);
  }

  private List<Map<String, Object>> records(int id) {
    return entries.stream()
        .filter(each -> each.id == id)
        .<Map<String, Object>>map(each ->
            Map.of("name", each.name(), "state", Map.of("current", each.state), "nodes", "n1"))
        .toList();
  }

  private boolean known(Entry entry) {
    return !entry.over() || nanos - entry.since < FORGOTTEN.toNanos();
  }

  /** A job that already ends is not affected, as in Slurm 22.05. */
  private void cancel(Entry entry) {
    if (!entry.state.equals("COMPLETING")) {
      to(entry, entry.runs() ? "COMPLETING" : "CANCELLED");
    }
  }

  private Answer sent(Map<String, ?> document) {
    return new Answer(200, json.writeValueAsString(document));
  }
}
