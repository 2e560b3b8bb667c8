package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.window.WindowFields;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A request with the windows of a pool. */
interface PoolWindowFields {
  int LONGEST_POLICY = 64;

  /** Long enough to detect windows that never close, at any time. */
  Duration SOME_YEARS = Duration.ofDays(20_000);

  @Nullable List<PoolRequests.Window> windows();

  @Nullable LeftoverPolicy leftoverPolicy();

  @Nullable Duration leftoverLimit();

  @Nullable Duration windowLead();

  /** The windows of a request without problems. */
  default PoolWindows poolWindows() {
    List<PoolRequests.Window> given = windows();
    if (given == null || given.isEmpty()) {
      return PoolWindows.NONE;
    }
    return new PoolWindows(
        given.stream().map(WindowFields::window).distinct().toList(),
        Objects.requireNonNullElse(windowLead(), Duration.ZERO),
        chosenPolicy(),
        Objects.requireNonNullElse(leftoverLimit(), Duration.ZERO));
  }

  private LeftoverPolicy chosenPolicy() {
    return Objects.requireNonNullElse(leftoverPolicy(), LeftoverPolicy.EVICT);
  }

  private static boolean positive(@Nullable Duration length) {
    return length != null && !length.isZero();
  }

  /** Reports fields that exclude each other, and windows that never close. */
  default void checkWindows(Fields given) {
    LeftoverPolicy policy = chosenPolicy();
    refuse(
        given,
        "windowLead",
        positive(windowLead()) && policy != LeftoverPolicy.FINISH,
        "windowLead needs leftoverPolicy FINISH. With the other policies, non-preemptible work starts only if it ends in time");
    refuse(
        given,
        "leftoverLimit",
        positive(leftoverLimit()) != (policy == LeftoverPolicy.EXTEND_UP_TO),
        "leftoverPolicy EXTEND_UP_TO needs a leftoverLimit, and no other leftoverPolicy takes one");
    if (given.problems().none()) {
      PoolWindows windows = poolWindows();
      refuse(
          given,
          "windows",
          !windows.always() && windows.neverCloses(Instant.EPOCH.plus(SOME_YEARS)),
          "together they never close. Leave windows out for a pool that is always open");
    }
  }

  /** Reports fields about windows in a request for a pool without windows. */
  static void checkAlone(Fields given, boolean windows) {
    for (String field : List.of("leftoverPolicy", "windowLead", "leftoverLimit")) {
      refuse(given, field, given.has(field) && !windows, "a pool without windows never closes");
    }
  }

  /** Removes a stored duration that belongs to a different leftoverPolicy than the given one. */
  static void prepare(PoolWindows stored, Fields patch, SortedMap<String, Object> fields) {
    patch
        .get("leftoverPolicy")
        .flatMap(v -> v.anyText(LONGEST_POLICY))
        .filter(policy -> !policy.equals(stored.leftoverPolicy().name()))
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

  private static void refuse(Fields pool, String field, boolean wrong, String why) {
    if (wrong) {
      pool.refuse(field, ProblemCode.CONFLICTING_FIELDS, field + ": " + why + ".", null);
    }
  }
}
