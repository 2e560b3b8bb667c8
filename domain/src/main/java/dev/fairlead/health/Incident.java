package dev.fairlead.health;

import dev.fairlead.cluster.ClusterId;
import dev.fairlead.cluster.NodeId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A fault of one device or machine, from its first event until its quarantine ends.
 *
 * @param gpu UUID of the device, null when the fault is the machine's or the sender did not know it
 * @param serial of the device, null when unknown
 * @param xid the code that is taken for the cause
 * @param cause in words: {@code XID 79 (GPU has fallen off the bus)}
 * @param step what repairs it, the strongest that its first burst asked for
 * @param openedAt time of its first event
 * @param lastAt time of the last event of its first burst, which {@link Judgement#SILENCE} ends
 * @param events how many were joined to it
 * @param isolation what was done, or why nothing was
 * @param endedAt null while it is open
 */
public record Incident(
    IncidentId id,
    ClusterId cluster,
    NodeId node,
    String nodeName,
    @Nullable String gpu,
    @Nullable String serial,
    int xid,
    String cause,
    FaultScope scope,
    RepairStep step,
    Instant openedAt,
    Instant lastAt,
    int events,
    String isolation,
    @Nullable Instant endedAt) {
  /**
   * With one more event. Within the burst a stronger step takes over cause and step; later events
   * are counted and change nothing else, since they follow from what was not repaired yet.
   */
  public Incident joined(HealthEvent event, Judgement judgement) {
    boolean burst = !event.at().isAfter(lastAt.plus(Judgement.SILENCE));
    boolean stronger = burst && judgement.step().compareTo(step) > 0;
    return new Incident(
        id,
        cluster,
        node,
        nodeName,
        gpu,
        serial == null ? event.serial() : serial,
        stronger ? event.xid() : xid,
        stronger ? judgement.cause() : cause,
        burst && judgement.scope().compareTo(scope) > 0 ? judgement.scope() : scope,
        stronger ? judgement.step() : step,
        openedAt,
        burst && event.at().isAfter(lastAt) ? event.at() : lastAt,
        events + 1,
        isolation,
        endedAt);
  }

  /** The same, over. */
  public Incident ended(Instant at) {
    return with(isolation, at);
  }

  /** The same, with what was done about it. */
  public Incident isolation(String text) {
    return with(text, endedAt);
  }

  private Incident with(String isolated, @Nullable Instant end) {
    return new Incident(
        id, cluster, node, nodeName, gpu, serial, xid, cause, scope, step, openedAt, lastAt, events,
        isolated, end);
  }

  /** {@code XID 79 (GPU has fallen off the bus) on GPU 1653922, node gpu-0042}. */
  public String text() {
    String device = serial != null ? serial : gpu;
    return cause + " on " + (device == null ? "" : "GPU " + device + ", ") + "node " + nodeName;
  }
}
