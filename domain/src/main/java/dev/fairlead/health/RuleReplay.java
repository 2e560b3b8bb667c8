package dev.fairlead.health;

import dev.fairlead.health.HealthHistory.Seen;
import dev.fairlead.identity.ClusterId;
import dev.fairlead.node.NodeId;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a row of the table would have done to stored events, had no operator and no circuit breaker
 * acted. Pure.
 *
 * @param hits quarantines that it would have begun, oldest first
 * @param peaks most nodes of a cluster that would have been quarantined at once
 */
public record RuleReplay(List<Isolated> hits, SortedMap<ClusterId, Integer> peaks) {
  /**
   * A quarantine that would have begun.
   *
   * @param gpu of the event, null for none
   * @param done the incident that was opened or joined, null when nothing was done
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
   * @param events those of its code, in any order
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
    return new RuleReplay(List.copyOf(hits), peaks(hits));
  }

  /** Whether it takes its node out of use; remembers when its device had the code. */
  private static boolean isolates(Xid rule, Seen event, TreeMap<String, LastBursts> before) {
    String gpu = event.gpu();
    List<Instant> times =
        rule.onRepeat() && gpu != null
            ? before
                .computeIfAbsent(event.cluster().text() + gpu, key -> new LastBursts())
                .before(event.at())
            : List.of();
    return Judgement.of(rule, event.at(), times).scope() != FaultScope.NONE
        && !event.at().isBefore(event.receivedAt().minus(Judgement.LATE));
  }

  /**
   * All that a judgement asks of a device's events: the last one, and the last one of the burst
   * before. A GPU may have a hundred thousand.
   */
  private static final class LastBursts {
    private @Nullable Instant previous;
    private @Nullable Instant last;

    /** The event counts from now on. */
    List<Instant> before(Instant at) {
      if (last != null && last.isBefore(at.minus(Judgement.SILENCE))) {
        previous = last;
      }
      List<Instant> known = Stream.of(previous, last).filter(Objects::nonNull).toList();
      last = at;
      return known;
    }
  }

  private static SortedMap<ClusterId, Integer> peaks(List<Isolated> hits) {
    TreeMap<ClusterId, Integer> peaks = new TreeMap<>();
    TreeMap<ClusterId, Deque<Instant>> ends = new TreeMap<>();
    for (Isolated hit : hits) {
      Deque<Instant> standing = ends.computeIfAbsent(hit.cluster(), c -> new ArrayDeque<>());
      while (!standing.isEmpty() && !standing.getFirst().isAfter(hit.at())) {
        standing.removeFirst();
      }
      standing.addLast(hit.at().plus(Quarantine.UNHELD));
      peaks.merge(hit.cluster(), standing.size(), Math::max);
    }
    return peaks;
  }
}
