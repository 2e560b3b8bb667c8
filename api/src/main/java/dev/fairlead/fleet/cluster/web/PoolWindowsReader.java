package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.window.RecurringWindowReader;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads windows of a pool from request bodies. */
final class PoolWindowsReader {
  private static final int LONGEST_ZONE = 64;

  /** Long enough to detect windows that never close, at any time. */
  private static final Duration SOME_YEARS = Duration.ofDays(20_000);

  private PoolWindowsReader() {}

  /** Reads the fields of a pool. Valid only if no problem was reported. */
  static PoolWindows read(Fields pool) {
    List<RecurringWindow> windows =
        pool.get("windows").map(v -> v.items(PoolWindows.MOST)).orElse(List.of()).stream()
            .flatMap(item -> item.fields().flatMap(f -> window(item, f)).stream())
            .distinct()
            .toList();
    LeftoverPolicy leftoverPolicy =
        pool.get("leftoverPolicy")
            .flatMap(v -> v.choice(LeftoverPolicy.class))
            .orElse(LeftoverPolicy.EVICT);
    Duration lead = length(pool, "windowLead");
    Duration extension = length(pool, "leftoverLimit");
    refuse(
        pool,
        "windowLead",
        !lead.isZero() && leftoverPolicy != LeftoverPolicy.FINISH,
        "windowLead needs leftoverPolicy FINISH. With the other policies, non-preemptible work starts only if it ends in time");
    refuse(
        pool,
        "leftoverLimit",
        extension.isZero() == (leftoverPolicy == LeftoverPolicy.EXTEND_UP_TO),
        "leftoverPolicy EXTEND_UP_TO needs a leftoverLimit, and no other leftoverPolicy takes one");
    PoolWindows read = new PoolWindows(windows, lead, leftoverPolicy, extension);
    refuse(
        pool,
        "windows",
        !windows.isEmpty() && read.neverCloses(Instant.EPOCH.plus(SOME_YEARS)),
        "together they never close. Leave windows out for a pool that is always open");
    return windows.isEmpty() ? PoolWindows.NONE : read;
  }

  /**
   * Fields about windows require at least one window.
   *
   * @param given fields of the request
   * @param whole resulting fields: the fields of the request for a new pool, the merged fields for
   *     a patch
   */
  static void refuseAlone(Fields given, Fields whole) {
    boolean always = !whole.has("windows");
    for (String field : List.of("leftoverPolicy", "windowLead", "leftoverLimit")) {
      refuse(given, field, given.has(field) && always, "a pool without windows never closes");
    }
  }

  /** Removes a stored duration that belongs to another leftoverPolicy than the given one. */
  static void prepare(PoolWindows stored, Fields patch, SortedMap<String, Object> fields) {
    patch
        .get("leftoverPolicy")
        .flatMap(v -> v.anyText(LONGEST_ZONE))
        .filter(leftoverPolicy -> !leftoverPolicy.equals(stored.leftoverPolicy().name()))
        .ifPresent(_ -> {
          fields.remove("windowLead");
          fields.remove("leftoverLimit");
        });
  }

  /** The current fields in the form of a request. */
  static SortedMap<String, Object> fields(PoolWindows windows) {
    SortedMap<String, Object> fields = new TreeMap<>();
    if (!windows.always()) {
      fields.put("windows", PoolResponse.Window.of(windows));
      fields.put("leftoverPolicy", windows.leftoverPolicy().name());
    }
    if (!windows.lead().isZero()) {
      fields.put("windowLead", PoolResponse.text(windows.lead()));
    }
    if (!windows.extension().isZero()) {
      fields.put("leftoverLimit", PoolResponse.text(windows.extension()));
    }
    return fields;
  }

  private static Duration length(Fields pool, String field) {
    return pool.get(field)
        .flatMap(v -> v.duration(Duration.ZERO, RecurringWindow.LONGEST))
        .orElse(Duration.ZERO);
  }

  private static void refuse(Fields pool, String field, boolean wrong, String why) {
    if (wrong) {
      pool.refuse(field, ProblemCode.CONFLICTING_FIELDS, field + ": " + why + ".", null);
    }
  }

  private static Optional<RecurringWindow> window(Value item, Fields fields) {
    Optional<RecurringWindow> read = RecurringWindowReader.read(item, fields);
    fields.done();
    return read;
  }
}
