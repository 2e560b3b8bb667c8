package dev.fairlead.care.health;

import dev.fairlead.fleet.node.NodeId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An event as it is stored, or the events of a burst that are stored as one.
 *
 * @param event of a burst the first, with the id of the burst
 * @param node null when its cluster has no node of that name
 * @param incident the one that it opened or joined, null for none
 * @param lastAt of a burst when its last event was, null for an event that is stored alone
 * @param events how many there are at least, from 1
 */
public record HealthRecord(
    HealthEvent event,
    @Nullable NodeId node,
    Judgement.Verdict verdict,
    @Nullable IncidentId incident,
    @Nullable Instant lastAt,
    int events) {
  private static final long BURST_SECONDS = Judgement.SILENCE.toSeconds();

  /** One that is stored alone. */
  public HealthRecord(
      HealthEvent event,
      @Nullable NodeId node,
      Judgement.Verdict verdict,
      @Nullable IncidentId incident) {
    this(event, node, verdict, incident, null, 1);
  }

  /**
   * The id of the burst of an event: all of its code, severity, device and node within three
   * minutes of the sender's clock. It has characters that no sender's id may have. Events so near
   * to each other are of one burst to every {@link Judgement}, so the first and the last of them
   * say all.
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
   * The bursts of events that take nothing out of use, each one record. A program that crashes in a
   * loop leaves so many rows and no more. Not merged are codes whose name stands in the message,
   * and those that isolate on a repeat: what is sent twice is known by its id alone, since a sender
   * that was started anew may date it otherwise.
   *
   * @param quiet stored alone so far
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

  /** The id under which an event that takes nothing out of use is stored. */
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
   * With another part of the burst. One that lies between first and last was counted before.
   *
   * @param other of the same burst
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

  /** Time of its last event. */
  public Instant until() {
    return lastAt == null ? event.at() : lastAt;
  }
}
