package dev.fairlead.launcher.demo;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A job in the table.
 *
 * @param place where it runs or ran, or why it waits or failed
 * @param reason code of its pending reason, empty when it does not wait
 * @param cause cause of its failure, empty if none
 * @param attempts number of its newest attempt, 0 before the first
 * @param startedAt null when it never ran
 * @param time since it was submitted, until it ended
 */
record JobLine(
    String id,
    String name,
    String state,
    String place,
    String reason,
    String cause,
    int attempts,
    @Nullable Instant startedAt,
    Duration time) {
  private static final Set<String> FINAL = Set.of("SUCCEEDED", "FAILED", "CANCELLED");
  private static final String NOT_LOOKED_AT = "NOT_EVALUATED";
  private static final int NODES_NAMED = 2;
  private static final Pattern POINT =
      Pattern.compile("\\bat (\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z)");

  static JobLine of(JsonNode job, Instant now) {
    Instant created = instant(job.path("createdAt"), now);
    Instant ended = instant(job.path("endedAt"), now);
    return new JobLine(
        job.path("id").asString(""),
        job.path("name").asString(""),
        job.path("state").asString(""),
        relative(place(job), now),
        reason(job.path("pending")),
        job.path("failure").path("cause").asString(""),
        job.path("attempt").asInt(0),
        job.path("startedAt").isString() ? Instant.parse(job.path("startedAt").asString()) : null,
        Duration.between(created, ended));
  }

  private static Instant instant(JsonNode node, Instant otherwise) {
    return node.isString() ? Instant.parse(node.asString()) : otherwise;
  }

  boolean ended() {
    return FINAL.contains(state);
  }

  /** No reason exists before the first pass of the scheduler. */
  private static String reason(JsonNode pending) {
    String reason = pending.path("reason").asString("");
    return reason.equals(NOT_LOOKED_AT) ? "" : reason;
  }

  /** Converts {@code retry at 2026-01-01T00:00:09Z} to {@code retry in 9.0s}. */
  private static String relative(String text, Instant now) {
    return POINT
        .matcher(text)
        .replaceAll(at -> {
          Duration away = Duration.between(now, Instant.parse(at.group(1)));
          return away.isNegative()
              ? JobLines.time(away.negated()) + " ago"
              : "in " + JobLines.time(away);
        });
  }

  private static String place(JsonNode job) {
    JsonNode pending = job.path("pending");
    String waits = reason(pending).isEmpty() ? "" : pending.path("message").asString("");
    if (job.path("array").isObject()) {
      JsonNode array = job.path("array");
      return "%d of %d done, %d running, %d waiting"
          .formatted(
              array.path("succeeded").asInt(0)
                  + array.path("failed").asInt(0)
                  + array.path("cancelled").asInt(0),
              array.path("elements").asInt(0),
              array.path("running").asInt(0),
              array.path("queued").asInt(0));
    }
    if (!waits.isEmpty()) {
      return waits;
    }
    String failed = job.path("failure").path("message").asString("");
    String where = where(job.path("placement"));
    if (!failed.isEmpty() && (where.isEmpty() || FINAL.contains(job.path("state").asString("")))) {
      return job.path("failure").path("cause").asString("") + ": " + failed;
    }
    int attempt = job.path("attempt").asInt(0);
    return attempt > 1 && !where.isEmpty() ? where + " (attempt " + attempt + ")" : where;
  }

  private static String where(JsonNode placement) {
    String cluster = placement.path("cluster").asString("");
    JsonNode nodes = placement.path("nodes");
    if (cluster.isEmpty() || nodes.isEmpty()) {
      return cluster;
    }
    if (nodes.size() > NODES_NAMED) {
      return cluster + ", " + nodes.size() + " nodes";
    }
    return cluster
        + ", "
        + String.join(" and ", nodes.valueStream().map(n -> n.asString("")).toList());
  }
}
