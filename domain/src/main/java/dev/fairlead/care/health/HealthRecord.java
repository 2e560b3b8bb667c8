package dev.fairlead.care.health;

import dev.fairlead.fleet.node.NodeId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A stored event, or a burst of events that is stored as one.
 *
 * @param event for a burst the first event, with the id of the burst
 * @param node null if its cluster has no node of that name
 * @param incident that it opened or joined, null if none
 * @param lastAt time of a burst's last event, null for a single event
 * @param events minimum number of events, from 1
 */
public record HealthRecord(
    HealthEvent event,
    @Nullable NodeId node,
    Judgement.Verdict verdict,
    @Nullable IncidentId incident,
    @Nullable Instant lastAt,
    int events) {
  private static final long BURST_SECONDS = Judgement.SILENCE.toSeconds();

  /** Creates a record of a single event. */
  public HealthRecord(
      HealthEvent event,
      @Nullable NodeId node,
      Judgement.Verdict verdict,
      @Nullable IncidentId incident) {
    this(event, node, verdict, incident, null, 1);
  }

  /**
   * Returns the id of an event's burst: all events of its code, severity, device and node within
   * three minutes of the sender's clock. It contains characters that are not allowed in a sender's
   * id. A {@link Judgement} treats such close events as one burst, so the first and the last of
   * them are sufficient.
   */
  public static String burst(HealthEvent event) {
    return String.join(
        "|",
        "burst",
        event.node(),
        event.gpu() == null ? "" : event.gpu(),
        event.xid() + severity(event),
        String.valueOf(Math.floorDiv(event.at().getEpochSecond(), BURST_SECONDS)));
  }

  private static String severity(HealthEvent event) {
    return XidMessage.nvlink5(event.xid())
        ? Judgement.of(XidTable.SHIPPED, event, List.of()).verdict().name()
        : "";
  }

  /**
   * Merges events that take nothing out of service into one record for each burst, so a program
   * that crashes in a loop produces a limited number of rows. Two kinds of codes are not merged:
   * codes with a name in the message, and codes that isolate on a repetition. For these a repeated
   * transmission is recognized only by its id, because a restarted sender may assign another time.
   *
   * @param quiet single events so far
   */
  public static List<HealthRecord> bursts(List<HealthRecord> quiet, XidTable table) {
    Map<String, HealthRecord> merged = new TreeMap<>();
    for (HealthRecord one : quiet) {
      if (merges(one.event, table)) {
        merged.merge(burst(one.event), one.asBurst(), HealthRecord::with);
      } else {
        merged.putIfAbsent(one.event.id(), one);
      }
    }
    return List.copyOf(merged.values());
  }

  /** Returns the id under which an event that takes nothing out of service is stored. */
  public static String quietId(HealthEvent event, XidTable table) {
    return merges(event, table) ? burst(event) : event.id();
  }

  private static boolean merges(HealthEvent event, XidTable table) {
    return event.xid() != XidTable.OTHER_DCGM
        && table.find(event).filter(xid -> !xid.awaits().isEmpty()).isEmpty();
  }

  private HealthRecord asBurst() {
    return new HealthRecord(event.called(burst(event)), node, verdict, incident, event.at(), 1);
  }

  /**
   * Merges another part of the burst. An event between the first and the last was already counted.
   *
   * @param other another record of the same burst
   */
  public HealthRecord with(HealthRecord other) {
    HealthRecord first = other.event.at().isBefore(event.at()) ? other : this;
    Instant last = other.until().isAfter(until()) ? other.until() : until();
    return new HealthRecord(
        first.event,
        node,
        verdict,
        incident == null ? other.incident : incident,
        last,
        events + other.events);
  }

  /** Returns the time of its last event. */
  public Instant until() {
    return lastAt == null ? event.at() : lastAt;
  }
}
