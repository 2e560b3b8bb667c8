package dev.fairlead.verify.simulation.fleet;

import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.GangRepair;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The faults of a fleet, read from the stored attempts of the gang and from the list of failures.
 */
public final class FleetRecord {
  /** The parts of the time from a fault to the next run. */
  enum Step {
    /** Lost until the gang is ordered to stop, or stops by itself. */
    NOTICED,
    /** Lost until the end is proven. */
    ENDED,
    /** Lost until the gang is placed again. */
    PLACED,
    /** Lost until all members run. */
    RUNNING,
    /** The total time for a fault of a machine or a device. */
    MACHINE,
    /** A program that ends by itself. */
    PROGRAM,
    /** The same for both kinds. */
    ALL
  }

  /** A fault occurred on a node of the running gang. */
  record Failure(FailureKind kind, Instant at, Attempt attempt, Member member) {}

  /**
   * The program of the gang stopped.
   *
   * @param until time when it continued in the same attempt, null if it did not
   * @param replaced whether a replacement member had joined
   */
  private record Pause(Failure failure, @Nullable Instant until, boolean replaced) {}

  private final FleetPlan plan;
  private final List<Failure> failures = new ArrayList<>();
  private final List<Pause> pauses = new ArrayList<>();
  private final SortedMap<String, Integer> fallbacks = new TreeMap<>();
  private final Map<Step, List<Long>> millis = new EnumMap<>(Step.class);
  private final Map<FailureKind, SortedMap<String, Integer>> verdicts =
      new EnumMap<>(FailureKind.class);
  private Duration useful = Duration.ZERO;
  private Duration whole = Duration.ZERO;
  private int stops;
  private int replaced;
  private int drawn;
  private int byHand;
  private double wronglyQuarantined;
  private double lostByNode;
  private double lost;
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

  /** The program and all its processes stop. */
  void stopped(Failure failure) {
    pauses.add(new Pause(failure, null, false));
  }

  /** The program that stopped last continues inside its attempt. */
  void resumed(Instant at, boolean byAnother) {
    pauses.add(new Pause(pauses.removeLast().failure(), at, byAnother));
  }

  void byHand() {
    byHand++;
  }

  /**
   * A node, or a part of it, returns to use.
   *
   * @param ended whether all its quarantines have ended
   * @param wrong whether the quarantined hardware was healthy
   */
  void released(List<Quarantine> ended, Instant at, boolean wrong) {
    double node = hours(ended.stream(), at) * FleetPlan.GPUS_PER_NODE;
    double whole = hours(ended.stream().filter(Quarantine::ofNode), at);
    double its = whole * FleetPlan.GPUS_PER_NODE;
    for (List<Quarantine> device :
        ended.stream()
            .filter(q -> !q.ofNode())
            .collect(Collectors.groupingBy(Quarantine::gpu))
            .values()) {
      its += Math.max(0, hours(device.stream(), at) - whole);
    }
    lostByNode += node;
    lost += its;
    wronglyQuarantined += wrong ? its : 0;
  }

  private static double hours(Stream<Quarantine> some, Instant at) {
    return some.map(Quarantine::since)
        .min(Comparator.naturalOrder())
        .map(since -> Duration.between(since, at).toMillis() / 3_600_000.0)
        .orElse(0.0);
  }

  void stoppedOutside(int attempts) {
    stoppedOutside = attempts;
  }

  void quarantined(int nodes) {
    mostQuarantined = Math.max(mostQuarantined, nodes);
  }

  /**
   * @param attempts all attempts of the gang and of its replacements
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
    Instant from = attempt.startedAt();
    if (from == null) {
      return;
    }
    replaced += attempt.everyMember().size() - plan.gang();
    failures.stream()
        .filter(f -> f.attempt().id().equals(attempt.id()))
        .filter(f -> pauses.stream().noneMatch(pause -> pause.failure().equals(f)))
        .forEach(f -> verdict(f.kind(), "not stopped"));
    for (Pause pause : pauses) {
      Failure failure = pause.failure();
      if (failure.attempt().id().equals(attempt.id())) {
        worked(from, failure.at());
        from = pause.until();
        if (from == null) {
          ended(failure, attempt, next);
          return;
        }
        verdict(failure.kind(), pause.replaced() ? "replaced" : "restarted in its pods");
        all(failure, from);
      }
    }
    if (attempt.live()) {
      useful = useful.plus(Duration.between(from, end));
    } else {
      stops++;
      worked(from, attempt.endedAt());
    }
  }

  /** Work since the last checkpoint is lost. */
  private void worked(Instant from, Instant to) {
    long each = plan.checkpoint().toMillis();
    useful = useful.plusMillis(Duration.between(from, to).toMillis() / each * each);
  }

  private void ended(Failure cause, Attempt attempt, @Nullable Attempt next) {
    if (attempt.live()) {
      verdict(cause.kind(), "stands still");
      return;
    }
    stops++;
    FailureCause said = attempt.failure() == null ? null : attempt.failure().cause();
    verdict(cause.kind(), said == null ? attempt.state().name() : said.name());
    steps(cause, attempt, next);
    if (plan.replaces() > 0) {
      fallbacks.merge(fallback(cause, attempt), 1, Integer::sum);
    }
  }

  /** Reason why a repairable gang ended nevertheless. */
  private String fallback(Failure cause, Attempt attempt) {
    Instant lately = cause.at().minus(GangRepair.WITHIN);
    List<Instant> gone =
        attempt.everyMember().stream()
            .filter(m -> m.standing() != null && !m.joins())
            .map(m -> Objects.requireNonNull(m.standing()).since())
            .filter(since -> since.isBefore(cause.at()))
            .toList();
    if (cause.kind().sign == FailureKind.Sign.EXIT) {
      return "no restart of torchrun left";
    }
    if (cause.member().index() == 0) {
      return "host of the rendezvous";
    }
    if (failures.stream().filter(f -> during(f, cause)).count() > 1) {
      return "another fault at once";
    }
    if (gone.size() >= plan.replaces()) {
      return "as many as may be replaced";
    }
    return gone.stream().filter(since -> since.isAfter(lately)).count() >= GangRepair.MOST
        ? "a fourth within an hour"
        : "no other member in time";
  }

  private static boolean during(Failure other, Failure cause) {
    return other.attempt().id().equals(cause.attempt().id())
        && !other.at().isBefore(cause.at())
        && other.kind().sign != FailureKind.Sign.NONE;
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
      all(cause, next.startedAt());
    }
  }

  private void all(Failure cause, Instant until) {
    boolean program = cause.kind().sign == FailureKind.Sign.EXIT;
    add(program ? Step.PROGRAM : Step.MACHINE, cause.at(), until);
    add(Step.ALL, cause.at(), until);
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
    double lost = (stops + resumed()) * (plan.checkpoint().toMillis() / 2.0 + meanMillis(Step.ALL));
    return 1 - lost / whole.toMillis();
  }

  double meanMillis(Step step) {
    return millis.get(step).stream().mapToLong(Long::longValue).average().orElse(0);
  }

  int stops() {
    return stops;
  }

  /** Number of times the program continued inside its attempt. */
  long resumed() {
    return pauses.stream().filter(pause -> pause.until() != null).count();
  }

  /** Replacement members. */
  int replaced() {
    return replaced;
  }

  /** Causes of ends of repairable gangs, with their counts. */
  SortedMap<String, Integer> fallbacks() {
    return fallbacks;
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

  /** GPU-hours out of service if each fault took its whole node. */
  double lostByNode() {
    return lostByNode;
  }

  /** GPU-hours out of service by quarantines of GPUs and nodes. */
  double lost() {
    return lost;
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
        "  effective training time %.2f %%, by 1 - n(c/2+R)/T %.2f %%, %d failures drawn, %d stopped the gang, %d times started by hand%n"
            .formatted(100 * ratio(), 100 * expected(), drawn, stops, byHand));
    text.append(
        "  lost %,d GPU-seconds, %.1f GPU-hours wrongly quarantined, %d attempts stopped outside the quarantined scope; at most %d nodes quarantined%n"
            .formatted(
                whole.minus(useful).toSeconds() * plan.gang() * FleetPlan.GPUS_PER_NODE,
                wronglyQuarantined,
                stoppedOutside,
                mostQuarantined));
    text.append(
        "  lost to quarantine: %,.1f GPU-hours with node scope, %,.1f with GPU scope%n"
            .formatted(lostByNode, lost));
    if (plan.replaces() > 0) {
      text.append(
          "  gang repair: %d members replaced, %d times the program went on in its attempt, %d ends of the gang %s%n"
              .formatted(
                  replaced,
                  resumed(),
                  fallbacks.values().stream().mapToInt(n -> n).sum(),
                  fallbacks));
    }
    for (Step step : Step.values()) {
      text.append(
          "  %-8s %3d times, mean %6.1f s, p50 %6.1f s, p95 %6.1f s%n"
              .formatted(
                  step,
                  millis.get(step).size(),
                  meanMillis(step) / 1e3,
                  percentile(step, 50).toMillis() / 1e3,
                  percentile(step, 95).toMillis() / 1e3));
    }
    verdicts.forEach((kind, said) -> text.append("  %-18s %s%n".formatted(kind, said)));
    return text.toString();
  }
}
