package dev.fairlead.fleet.node;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An announcement that a machine ends or pauses.
 *
 * @param kind event that is announced
 * @param source key of the taint, label or condition that announces it, or the id of an announced
 *     notice, without spaces
 * @param reason event as text
 * @param deadline time of the event, null until Fairlead has assumed one. Running jobs leave before
 *     it, except before a FREEZE or WITHDRAWN
 * @param within time from the first sight to the deadline if no sign has a time
 */
public record NodeNotice(
    Kind kind, String source, String reason, @Nullable Instant deadline, Duration within) {
  /**
   * Key of the taint. Its value is kind, deadline or {@code within}, source and reason. A cluster's
   * report of a node contains at most one such taint without and one with a deadline. The sooner
   * one is stored and shown like any other taint.
   */
  public static final String KEY = "fairlead.dev/notice";

  /** The node closes this long before the deadline, or with the notice if that is later. */
  public static final Duration CLOSES = Duration.ofDays(1);

  /** Orders notices by the soonest end of the machine. An end precedes a pause. */
  public static final Comparator<NodeNotice> SOONEST =
      Comparator.comparing((NodeNotice n) -> !n.stops())
          .thenComparing(
              NodeNotice::deadline, Comparator.nullsLast(Comparator.<Instant>naturalOrder()))
          .thenComparing(NodeNotice::within)
          .thenComparing(NodeNotice::source);

  private static final String EFFECT = "NoSchedule";
  private static final int PARTS = 4;

  /** Effect on the machine, with the default time of the notice. */
  public enum Kind {
    /** The provider takes a spot machine back. */
    SPOT("spot interruption", Duration.ofSeconds(30)),
    /** The provider maintains, restarts or moves the machine. */
    MAINTENANCE("scheduled maintenance", Duration.ofMinutes(10)),
    /** The provider expects the machine to fail. */
    HOST_ERROR("host error", Duration.ofMinutes(2)),
    /** The provider may take a spot machine back soon. */
    REBALANCE("rebalance recommendation", Duration.ofMinutes(10)),
    /** An autoscaler or its group removes the machine. */
    SCALE_DOWN("scale-down", Duration.ofMinutes(10)),
    /** The machine pauses for a few seconds. No job must leave. */
    FREEZE("freeze", Duration.ofMinutes(15)),
    /**
     * A notice appeared and disappeared repeatedly. The node is closed until the deadline, and then
     * opens.
     */
    WITHDRAWN("notice that comes and goes", Duration.ofMinutes(10));

    private final String text;
    private final Duration within;

    Kind(String text, Duration within) {
      this.text = text;
      this.within = within;
    }

    /** Time from the notice to the deadline if the source gives none. */
    public Duration within() {
      return within;
    }
  }

  /** Returns whether jobs must leave the machine before the deadline. */
  public boolean stops() {
    return kind != Kind.FREEZE && kind != Kind.WITHDRAWN;
  }

  /** Returns whether the node accepts no new members at that time. */
  public boolean closes(Instant now) {
    return deadline == null || deadline.isBefore(now.plus(CLOSES));
  }

  /** Returns the notice with this deadline. */
  public NodeNotice by(Instant time) {
    return new NodeNotice(kind, source, reason, time, within);
  }

  /**
   * Returns the notice with a deadline: its own, the earlier assumed deadline of the same
   * announcement, or the assumed time after now.
   *
   * @param before last notice of the node, null if none
   */
  public NodeNotice resolved(@Nullable NodeNotice before, Instant now) {
    if (deadline != null) {
      return this;
    }
    Instant assumed =
        before != null && before.kind == kind && before.source.equals(source)
            ? before.deadline
            : null;
    return by(assumed == null ? now.plus(within) : assumed);
  }

  /** Returns the notice as text for the owner of a job on the machine. */
  public String text() {
    String by = deadline == null ? "" : " until " + deadline;
    return kind.text + by + ": " + reason + " (" + source + ")";
  }

  /** Returns the taints without a notice and without {@link Taint#LEAVING}. */
  public static List<Taint> without(List<Taint> taints) {
    return taints.stream()
        .filter(t -> !t.key().equals(KEY) && !t.key().equals(Taint.LEAVING))
        .toList();
  }

  /** Returns the notice as a taint of a report. */
  public Taint taint() {
    String time = deadline == null ? within.toString() : deadline.toString();
    return new Taint(KEY, kind + " " + time + " " + source + " " + reason, EFFECT);
  }

  /** Returns the taint that closes the node, with the deadline if it is known. */
  public Taint leaving() {
    return new Taint(Taint.LEAVING, deadline == null ? "" : deadline.toString(), EFFECT);
  }

  /** Returns the notice among the taints of a report. The result is empty if none is readable. */
  public static Optional<NodeNotice> of(List<Taint> taints) {
    return all(taints).findFirst();
  }

  /** Returns the readable notices among the taints of a report, first the one without deadline. */
  public static Stream<NodeNotice> all(List<Taint> taints) {
    return taints.stream()
        .filter(t -> t.key().equals(KEY))
        .flatMap(t -> parsed(t.value()).stream());
  }

  private static Optional<NodeNotice> parsed(String value) {
    String[] parts = value.split(" ", PARTS);
    if (parts.length < PARTS) {
      return Optional.empty();
    }
    try {
      Kind kind = Kind.valueOf(parts[0]);
      boolean open = parts[1].startsWith("P");
      return Optional.of(
          new NodeNotice(
              kind,
              parts[2],
              parts[3],
              open ? null : Instant.parse(parts[1]),
              open ? Duration.parse(parts[1]) : kind.within()));
    } catch (IllegalArgumentException | DateTimeException notOurs) {
      return Optional.empty();
    }
  }
}
