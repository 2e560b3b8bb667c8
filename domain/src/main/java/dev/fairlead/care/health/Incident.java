package dev.fairlead.care.health;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A fault of one device or machine, from its first event until its quarantine ends.
 *
 * @param gpu UUID of the device, null when the fault is the machine's or the sender did not know it
 * @param serial of the device, null when unknown
 * @param xid the code that is taken for the cause
 * @param cause in words: {@code XID 79 (GPU has fallen off the bus)}
 * @param step what repairs it, the strongest that its events asked for
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
  /** Why a fault ended that is over with the condition of its node. */
  public static final String CLEARED = "over: its cluster shows the condition no more";

  private static final String ALSO = "; also ";

  private static final String TAKES = " takes nothing new";

  private static final String TOOK = " took nothing new";

  /**
   * A new one, by its first event.
   *
   * @param gpu the device that it is of, null for the machine
   */
  public static Incident opened(
      IncidentId id, Node node, @Nullable String gpu, HealthEvent event, Judgement judgement) {
    return new Incident(
        id,
        node.cluster(),
        node.id(),
        node.name(),
        gpu,
        Objects.equals(gpu, event.gpu()) ? event.serial() : null,
        event.xid(),
        judgement.cause(),
        judgement.scope(),
        judgement.step(),
        event.at(),
        event.at(),
        1,
        "",
        null);
  }

  /**
   * With one more event. A stronger step takes over cause and step, a larger scope the scope, also
   * after the burst: the device got worse. Anything weaker is counted only, and so is an event that
   * is settled or from long before the fault. A cause that is over with its condition names the
   * fault that is not beside it.
   *
   * @param settled whether the event is too old to act on
   */
  public Incident joined(HealthEvent event, Judgement judgement, boolean settled) {
    boolean acts = !settled && !event.at().isBefore(openedAt.minus(Judgement.SILENCE));
    boolean burst = acts && !event.at().isAfter(lastAt.plus(Judgement.SILENCE));
    boolean stronger = acts && judgement.step().compareTo(step) > 0;
    return new Incident(
        id,
        cluster,
        node,
        nodeName,
        gpu,
        serial == null && Objects.equals(gpu, event.gpu()) ? event.serial() : serial,
        stronger ? event.xid() : xid,
        stronger
            ? beside(judgement.cause(), cause)
            : acts && judgement.scope() != FaultScope.NONE
                ? beside(cause, judgement.cause())
                : cause,
        acts && judgement.scope().compareTo(scope) > 0 ? judgement.scope() : scope,
        stronger ? judgement.step() : step,
        openedAt,
        burst && event.at().isAfter(lastAt) ? event.at() : lastAt,
        events + 1,
        isolation,
        endedAt);
  }

  private static String beside(String cause, String other) {
    boolean hides = clears(cause) && !clears(other);
    return hides ? cause + ALSO + other.substring(alsoEnd(other)) : cause;
  }

  private static int alsoEnd(String cause) {
    int also = cause.lastIndexOf(ALSO);
    return also < 0 ? 0 : also + ALSO.length();
  }

  private static boolean clears(String cause) {
    return !cause.contains(ALSO) && NodeSignTable.CURRENT.clears(cause);
  }

  /** Whether it is over when its node shows no condition any more: all that joined it is. */
  public boolean clears() {
    return gpu == null && clears(cause);
  }

  /** Whether it ended that way, by no decision of an operator. */
  public boolean cleared() {
    return endedAt != null && isolation.equals(CLEARED);
  }

  /** The same, over: what was done about it was done. */
  public Incident ended(Instant at) {
    boolean takes = isolation.endsWith(TAKES);
    return with(
        takes ? isolation.substring(0, isolation.length() - TAKES.length()) + TOOK : isolation, at);
  }

  /** The same, with its node out of use. */
  public Incident isolated() {
    return isolation("node " + nodeName + TAKES);
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
