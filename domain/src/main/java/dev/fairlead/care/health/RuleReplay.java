package dev.fairlead.care.health;

import dev.fairlead.care.health.HealthHistory.Seen;
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
 * What a row of the table would have done to stored events, had no operator and no circuit breaker
 * acted. Pure.
 *
 * @param hits quarantines that it would have begun, oldest first
 */
public record RuleReplay(List<Isolated> hits) {
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
    return new RuleReplay(List.copyOf(hits));
  }

  /** Whether it takes its node out of use; remembers when its device had the code. */
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
   * All that a judgement asks of a device's events: the last one, and the last one of the burst
   * before. A GPU may have a hundred thousand.
   */
  private static final class LastBursts {
    private @Nullable Instant previous;
    private @Nullable Instant last;

    /** The event counts from now on. */
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
   * The quarantines that would have stood when most of them did; empty when there is none.
   *
   * @param counted which of them count
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
