package dev.fairlead.care.health.quarantine;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.HealthHistory.Seen;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.care.health.Xid;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Replays a row of the table on stored events, without actions of operators and circuit breakers.
 * Pure.
 *
 * @param hits quarantines that would have begun, oldest first
 */
public record RuleReplay(List<Isolated> hits) {
  /**
   * A quarantine that would have begun.
   *
   * @param gpu GPU of the event, null if none
   * @param done the incident that was opened or joined, null if none was
   */
  public record Isolated(
      ClusterId cluster,
      NodeId node,
      String nodeName,
      @Nullable String gpu,
      Instant at,
      @Nullable IncidentId done) {}

  /**
   * @param rule the row
   * @param events events of its code, in any order
   */
  public static RuleReplay of(Xid rule, List<Seen> events) {
    List<Seen> ordered =
        events.stream()
            .sorted(
                Comparator.comparing(Seen::at)
                    .thenComparing(Seen::node)
                    .thenComparing(Seen::receivedAt))
            .toList();
    TreeMap<String, LastBursts> before = new TreeMap<>();
    TreeMap<NodeId, Instant> until = new TreeMap<>();
    List<Isolated> hits = new ArrayList<>();
    for (Seen event : ordered) {
      if (isolates(rule, event, before)
          && !until.getOrDefault(event.node(), Instant.MIN).isAfter(event.at())) {
        until.put(event.node(), event.at().plus(Quarantine.UNHELD));
        hits.add(
            new Isolated(
                event.cluster(),
                event.node(),
                event.nodeName(),
                event.gpu(),
                event.at(),
                event.incident()));
      }
    }
    return new RuleReplay(List.copyOf(hits));
  }

  /**
   * Returns whether the event takes its node out of service, and records when its device had the
   * code.
   */
  private static boolean isolates(Xid row, Seen event, TreeMap<String, LastBursts> before) {
    Xid rule = row.saying(event.message());
    String gpu = event.gpu();
    List<Instant> times =
        rule.onRepeat() && gpu != null
            ? before
                .computeIfAbsent(event.cluster().text() + gpu, key -> new LastBursts())
                .before(event)
            : List.of();
    return Judgement.of(rule, event.at(), times).scope() != FaultScope.NONE
        && !event.at().isBefore(event.receivedAt().minus(Judgement.LATE));
  }

  /**
   * The part of a device's events that a judgement needs: the last event, and the last event of the
   * previous burst. A GPU may have a hundred thousand events.
   */
  private static final class LastBursts {
    private @Nullable Instant previous;
    private @Nullable Instant last;

    /** Adds the event and returns the times before it. */
    List<Instant> before(Seen event) {
      Instant at = event.at();
      if (last != null && last.isBefore(at.minus(Judgement.SILENCE))) {
        previous = last;
      }
      List<Instant> known =
          Stream.of(previous, last)
              .filter(Objects::nonNull)
              .map(time -> time.isAfter(at) ? at : time)
              .toList();
      last = last != null && last.isAfter(event.lastAt()) ? last : event.lastAt();
      return known;
    }
  }

  /**
   * Returns the quarantines that would have been active at the time of their maximum number. The
   * result is empty if there are none.
   *
   * @param counted selects the quarantines to count
   */
  public List<Isolated> peak(Predicate<Isolated> counted) {
    List<Isolated> all = hits.stream().filter(counted).toList();
    int oldest = 0;
    int from = 0;
    int to = 0;
    for (int i = 0; i < all.size(); i++) {
      while (!all.get(oldest).at().plus(Quarantine.UNHELD).isAfter(all.get(i).at())) {
        oldest++;
      }
      if (i + 1 - oldest > to - from) {
        from = oldest;
        to = i + 1;
      }
    }
    return all.subList(from, to);
  }
}
