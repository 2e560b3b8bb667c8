package dev.fairlead.bench.simulation;

import dev.fairlead.attempt.Attempt;
import dev.fairlead.attempt.FailureCause;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a fleet lived through, read from the stored attempts of the gang and from what broke. */
final class FleetRecord {
  /** Where the time from a fault to the next run went. */
  enum Step {
    /** Until the gang is ordered to stop, or has stopped by itself. */
    NOTICED,
    /** Until all of it is proven to have ended. */
    ENDED,
    /** Until it has a place again. */
    PLACED,
    /** Until all members run. */
    RUNNING,
    ALL
  }

  /** Something broke on a node of the running gang. */
  record Failure(FailureKind kind, Instant at, Attempt attempt) {}

  private final FleetPlan plan;
  private final List<Failure> failures = new ArrayList<>();
  private final Map<Step, List<Long>> millis = new EnumMap<>(Step.class);
  private final Map<FailureKind, SortedMap<String, Integer>> verdicts =
      new EnumMap<>(FailureKind.class);
  private Duration useful = Duration.ZERO;
  private Duration whole = Duration.ZERO;
  private int stops;
  private int drawn;
  private int byHand;
  private double wronglyQuarantined;
  private int stoppedOutside;
  private int mostQuarantined;

  FleetRecord(FleetPlan plan) {
    this.plan = plan;
    for (Step step : Step.values()) {
      millis.put(step, new ArrayList<>());
    }
  }

  void drawn() {
    drawn++;
  }

  void broke(Failure failure) {
    failures.add(failure);
  }

  void byHand() {
    byHand++;
  }

  void wronglyQuarantined(double gpuHours) {
    wronglyQuarantined += gpuHours;
  }

  void stoppedOutside(int attempts) {
    stoppedOutside = attempts;
  }

  void quarantined(int nodes) {
    mostQuarantined = Math.max(mostQuarantined, nodes);
  }

  /**
   * @param attempts all of the gang and of those that its owner submitted in its place
   */
  void sum(List<Attempt> attempts, Instant end) {
    List<Attempt> inTurn = new ArrayList<>(attempts);
    inTurn.sort(Comparator.comparing(Attempt::createdAt));
    Instant begin =
        inTurn.stream().map(Attempt::startedAt).filter(t -> t != null).findFirst().orElse(end);
    whole = Duration.between(begin, end);
    for (int i = 0; i < inTurn.size(); i++) {
      sum(inTurn.get(i), i + 1 < inTurn.size() ? inTurn.get(i + 1) : null, end);
    }
  }

  private void sum(Attempt attempt, @Nullable Attempt next, Instant end) {
    Failure cause =
        failures.stream()
            .filter(f -> f.attempt().id().equals(attempt.id()))
            .findFirst()
            .orElse(null);
    failures.stream()
        .filter(f -> f.attempt().id().equals(attempt.id()))
        .filter(f -> !f.equals(cause) || attempt.live())
        .forEach(f -> verdict(f.kind(), "not stopped"));
    Instant started = attempt.startedAt();
    if (started == null) {
      return;
    }
    if (attempt.live()) {
      useful = useful.plus(Duration.between(started, end));
      return;
    }
    stops++;
    Instant stopped = cause == null ? attempt.endedAt() : cause.at();
    long each = plan.checkpoint().toMillis();
    useful = useful.plusMillis(Duration.between(started, stopped).toMillis() / each * each);
    if (cause != null) {
      FailureCause said = attempt.failure() == null ? null : attempt.failure().cause();
      verdict(cause.kind(), said == null ? attempt.state().name() : said.name());
      steps(cause, attempt, next);
    }
  }

  private void steps(Failure cause, Attempt attempt, @Nullable Attempt next) {
    Attempt.StopOrder stop = attempt.stop();
    Instant ended = attempt.endedAt();
    Duration grace = Duration.ofSeconds(30);
    Instant noticed = stop == null ? ended : stop.deadline().minus(grace);
    add(Step.NOTICED, cause.at(), noticed);
    add(Step.ENDED, noticed, ended);
    if (next != null && next.startedAt() != null) {
      add(Step.PLACED, ended, next.createdAt());
      add(Step.RUNNING, next.createdAt(), next.startedAt());
      add(Step.ALL, cause.at(), next.startedAt());
    }
  }

  private void add(Step step, Instant from, Instant to) {
    millis.get(step).add(Math.max(0, Duration.between(from, to).toMillis()));
  }

  private void verdict(FailureKind kind, String said) {
    verdicts.computeIfAbsent(kind, k -> new TreeMap<>()).merge(said, 1, Integer::sum);
  }

  /** Part of the time that was spent on work which was not lost. */
  double ratio() {
    return (double) useful.toMillis() / whole.toMillis();
  }

  /** The same by the formula {@code 1 - n(c/2+R)/T}. */
  double expected() {
    double lost = stops * (plan.checkpoint().toMillis() / 2.0 + meanMillis(Step.ALL));
    return 1 - lost / whole.toMillis();
  }

  double meanMillis(Step step) {
    return millis.get(step).stream().mapToLong(Long::longValue).average().orElse(0);
  }

  int stops() {
    return stops;
  }

  int byHandTimes() {
    return byHand;
  }

  int stoppedOutside() {
    return stoppedOutside;
  }

  double wronglyQuarantined() {
    return wronglyQuarantined;
  }

  int mostQuarantined() {
    return mostQuarantined;
  }

  Map<FailureKind, SortedMap<String, Integer>> verdicts() {
    return verdicts;
  }

  /** Percentile of a step, zero when it never happened. */
  Duration percentile(Step step, int percent) {
    long[] sorted = millis.get(step).stream().mapToLong(Long::longValue).sorted().toArray();
    return sorted.length == 0
        ? Duration.ZERO
        : Duration.ofMillis(sorted[Math.min(sorted.length - 1, sorted.length * percent / 100)]);
  }

  String text(String title) {
    StringBuilder text = new StringBuilder();
    text.append(
        "%s: %d GPUs, gang of %d nodes, %.1f h, checkpoints every %d min, seed %d%n"
            .formatted(
                title,
                plan.gpus(),
                plan.gang(),
                whole.toMinutes() / 60.0,
                plan.checkpoint().toMinutes(),
                plan.seed()));
    text.append(
        "  effective training time %.2f %%, by 1 - n(c/2+R)/T %.2f %%; %d failures drawn, %d stopped the gang, %d times started by hand%n"
            .formatted(100 * ratio(), 100 * expected(), drawn, stops, byHand));
    text.append(
        "  lost %,d GPU-seconds; %.1f GPU-hours wrongly quarantined; %d attempts stopped outside the quarantined scope; at most %d nodes quarantined%n"
            .formatted(
                whole.minus(useful).toSeconds() * plan.gang() * FleetPlan.GPUS_PER_NODE,
                wronglyQuarantined,
                stoppedOutside,
                mostQuarantined));
    for (Step step : Step.values()) {
      text.append(
          "  %-8s p50 %6.1f s, p95 %6.1f s%n"
              .formatted(
                  step,
                  percentile(step, 50).toMillis() / 1e3,
                  percentile(step, 95).toMillis() / 1e3));
    }
    verdicts.forEach((kind, said) -> text.append("  %-18s %s%n".formatted(kind, said)));
    return text.toString();
  }
}
