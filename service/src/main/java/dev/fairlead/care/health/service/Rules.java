package dev.fairlead.care.health.service;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.HealthHistory;
import dev.fairlead.care.health.Xid;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.RuleReplay;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.springframework.stereotype.Service;

/** Replays rows of the fault table against stored events, without side effects. */
@Service
public class Rules {
  /** Maximum number of events of all codes that one replay reads. */
  private static final int MOST_READ = 100_000;

  /** Retention of events. */
  private static final Duration KEPT = Duration.ofDays(7);

  private final HealthHistory history;
  private final HealthStore health;
  private final InventoryStore inventory;
  private final RuleBreakers breakers;
  private final InstantSource clock;

  public Rules(
      HealthHistory history,
      HealthStore health,
      InventoryStore inventory,
      RuleBreakers breakers,
      InstantSource clock) {
    this.history = history;
    this.health = health;
    this.inventory = inventory;
    this.breakers = breakers;
    this.clock = clock;
  }

  /**
   * Result of a replay of a row, compared with the row in the table.
   *
   * @param from all events received since this time were read
   * @param events number of events of the code that were read
   * @param clusters names of clusters with a hit, by id
   * @param refusals explanations for each cluster, each pool and the fleet in which the row would
   *     quarantine more nodes at a time than the circuit breaker allows, and for events that could
   *     not be read, empty if the row may be enabled
   */
  public record Outcome(
      Xid rule,
      Instant from,
      int events,
      RuleReplay proposed,
      RuleReplay current,
      SortedMap<String, String> clusters,
      List<String> refusals) {}

  /**
   * Replays a row.
   *
   * @param code code in the table
   * @param back maximum age of the events to read
   * @throws Refusal NOT_FOUND for a code that is not in the table, with its pointer
   */
  public Outcome replay(int code, FaultScope scope, boolean onRepeat, Duration back) {
    Xid row = health.table().find(code).orElseThrow(() -> unknown(code));
    Xid rule = row.isolating(scope, onRepeat);
    Instant since = clock.instant().minus(back);
    HealthHistory.Excerpt read = history.of(code, since, MOST_READ);
    RuleReplay proposed = RuleReplay.of(rule, read.events());
    SortedMap<String, String> clusters = new TreeMap<>();
    List<String> refusals = new ArrayList<>();
    if (read.from().isAfter(since)) {
      refusals.add(
          "only events since %s were read, of those since %s: the limit is %d. Give a shorter time."
              .formatted(read.from(), since, MOST_READ));
    }
    RuleReplay present = RuleReplay.of(row, read.events());
    refusals.addAll(breakers.refusals(proposed, present));
    for (RuleReplay.Isolated hit : proposed.hits()) {
      ClusterId cluster = hit.cluster();
      clusters.computeIfAbsent(cluster.text(), text -> inventory.nameOf(cluster).orElse(text));
    }
    return new Outcome(
        rule, read.from(), read.events().size(), proposed, present, clusters, refusals);
  }

  /**
   * Explains why the circuit breakers refuse a row, based on all stored events of its code. Also
   * reports whether some events were not read.
   */
  List<String> beyond(Xid proposed, Xid present) {
    Instant since = clock.instant().minus(KEPT);
    HealthHistory.Excerpt read = history.of(proposed.code(), since, MOST_READ);
    List<String> refusals = new ArrayList<>();
    if (read.from().isAfter(since)) {
      refusals.add(
          "only events since %s were read: more than %d came".formatted(read.from(), MOST_READ));
    }
    refusals.addAll(
        breakers.refusals(
            RuleReplay.of(proposed, read.events()), RuleReplay.of(present, read.events())));
    return refusals;
  }

  private static Refusal unknown(int code) {
    return Refusal.field(
        ProblemCode.NOT_FOUND,
        "/xid",
        "The table has no code " + XidTable.symbol(code) + ". Use a code of the table, such as 79.",
        null);
  }
}
