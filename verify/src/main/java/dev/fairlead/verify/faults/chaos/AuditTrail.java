package dev.fairlead.verify.faults.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Checks only the audit logs of the API servers: no two attempts of one job have live pods at the
 * same time, and no pod is created twice.
 */
public final class AuditTrail {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String PREFIX = "fairlead.dev/";
  private static final Set<String> TERMINAL = Set.of("Succeeded", "Failed");
  private final List<Entry> entries = new ArrayList<>();
  private int created;

  /** Events of one pod. */
  private enum What {
    CREATED,
    ENDED
  }

  private record Entry(Instant at, What what, String pod, String job, String attempt) {}

  /** Adds the log of one cluster. */
  public void read(String cluster, Path log) {
    try (BufferedReader lines = Files.newBufferedReader(log, StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.contains("\"resource\":\"pods\"")) {
          add(cluster, line);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Number of created pods of Fairlead. */
  public int created() {
    return created;
  }

  /** Violations, empty if none. */
  public List<String> wrong() {
    entries.sort(Comparator.comparing(Entry::at));
    List<String> wrong = new ArrayList<>();
    Map<String, Map<String, String>> living = new TreeMap<>();
    Set<String> made = new TreeSet<>();
    for (Entry entry : entries) {
      switch (entry.what()) {
        case ENDED -> living.values().forEach(pods -> pods.remove(entry.pod()));
        case CREATED -> {
          if (!made.add(entry.pod())) {
            wrong.add("pod " + entry.pod() + " was created again at " + entry.at());
          }
          Map<String, String> pods = living.computeIfAbsent(entry.job(), job -> new TreeMap<>());
          pods.forEach((pod, attempt) -> {
            if (!attempt.equals(entry.attempt())) {
              wrong.add(entry.pod() + " was made at " + entry.at() + " while " + pod + " lived");
            }
          });
          pods.put(entry.pod(), entry.attempt());
        }
      }
    }
    return wrong;
  }

  private void add(String cluster, String line) {
    JsonNode event;
    try {
      event = JSON.readTree(line);
    } catch (JacksonException cutOff) {
      return; // the server was killed while it wrote its last line
    }
    int code = event.at("/responseStatus/code").asInt(0);
    String pod = cluster + "/" + event.at("/objectRef/name").asString("");
    Instant at = Instant.parse(event.path("stageTimestamp").asString());
    if (event.path("verb").asString("").equals("create")
        && event.at("/objectRef/subresource").isMissingNode()) {
      JsonNode labels = event.at("/requestObject/metadata/labels");
      if (code == 201 && labels.has(PREFIX + "job")) {
        created++;
        String name = cluster + "/" + event.at("/requestObject/metadata/name").asString("");
        String job = labels.path(PREFIX + "job").asString();
        entries.add(
            new Entry(at, What.CREATED, name, job, labels.path(PREFIX + "attempt").asString()));
      }
    } else if (ended(event, code)) {
      entries.add(new Entry(at, What.ENDED, pod, "", ""));
    }
  }

  /**
   * Returns whether a terminal phase was stored, or the object was deleted immediately, or is
   * missing.
   */
  private static boolean ended(JsonNode event, int code) {
    JsonNode asked = event.path("requestObject");
    if (code == 404) {
      return true;
    }
    return switch (event.path("verb").asString("")) {
      case "patch", "update" ->
          code == 200 && TERMINAL.contains(asked.at("/status/phase").asString(""));
      case "delete" -> code == 200 && asked.path("gracePeriodSeconds").asInt(-1) == 0;
      default -> false;
    };
  }
}
