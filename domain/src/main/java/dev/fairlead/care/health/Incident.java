package dev.fairlead.care.health;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.gpu.DeviceUuid;
import dev.fairlead.kernel.identity.ClusterId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A fault of one device or machine, from its first event until its quarantine ends.
 *
 * @param gpu UUID of the device, null if the machine is faulty or the sender did not know it
 * @param serial serial of the device, null if unknown
 * @param xid the code of the probable cause
 * @param cause as text: {@code XID 79 (GPU has fallen off the bus)}
 * @param step the repair, the strongest that its events require
 * @param openedAt time of its first event
 * @param lastAt time of the last event of its first burst, which {@link Judgement#SILENCE} ends
 * @param events number of its events
 * @param isolation the applied isolation, or the reason why none was applied
 * @param endedAt null while it is open
 */
@RecordBuilder
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
    @Nullable Instant endedAt)
    implements IncidentBuilder.With {
  /** Reason for the end of a fault together with the condition of its node. */
  public static final String CLEARED = "over: its cluster no longer shows the condition";

  private static final String ALSO = "; also ";

  private static final String TAKES = " takes nothing new";

  private static final String TOOK = " took nothing new";

  /**
   * Creates an incident from its first event.
   *
   * @param gpu the faulty device, null for the machine
   */
  public static Incident opened(
      IncidentId id, Node node, @Nullable String gpu, HealthEvent event, Judgement judgement) {
    return IncidentBuilder.builder()
        .id(id)
        .cluster(node.cluster())
        .node(node.id())
        .nodeName(node.name())
        .gpu(gpu)
        .serial(Objects.equals(gpu, event.gpu()) ? event.serial() : null)
        .xid(event.xid())
        .cause(judgement.cause())
        .scope(judgement.scope())
        .step(judgement.step())
        .openedAt(event.at())
        .lastAt(event.at())
        .events(1)
        .isolation("")
        .endedAt(null)
        .build();
  }

  /**
   * Adds one more event. A stronger step replaces cause and step, and a larger scope replaces the
   * scope, even after the burst, because the device got worse. Weaker events, settled events, and
   * events from long before the fault are only counted. A cause that ends with its condition is
   * replaced by a fault that does not.
   *
   * @param settled whether the event is too old to act on
   */
  public Incident joined(HealthEvent event, Judgement judgement, boolean settled) {
    boolean acts = !settled && !event.at().isBefore(openedAt.minus(Judgement.SILENCE));
    boolean burst = acts && !event.at().isAfter(lastAt.plus(Judgement.SILENCE));
    boolean stronger = acts && judgement.step().compareTo(step) > 0;
    return with()
        .serial(serial == null && Objects.equals(gpu, event.gpu()) ? event.serial() : serial)
        .xid(stronger ? event.xid() : xid)
        .cause(
            stronger
                ? beside(judgement.cause(), cause)
                : acts && judgement.scope() != FaultScope.NONE
                    ? beside(cause, judgement.cause())
                    : cause)
        .scope(acts && judgement.scope().compareTo(scope) > 0 ? judgement.scope() : scope)
        .step(stronger ? judgement.step() : step)
        .lastAt(burst && event.at().isAfter(lastAt) ? event.at() : lastAt)
        .events(events + 1)
        .build();
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

  /**
   * Returns whether the incident ends when its node no longer shows a condition, which requires
   * this of all its events.
   */
  public boolean clears() {
    return gpu == null && clears(cause);
  }

  /** Returns whether the incident ended in this way, and not by an operator. */
  public boolean cleared() {
    return endedAt != null && isolation.equals(CLEARED);
  }

  /** Returns the ended incident, with its isolation in the past tense. */
  public Incident ended(Instant at) {
    boolean takes = isolation.endsWith(TAKES);
    return with(
        takes ? isolation.substring(0, isolation.length() - TAKES.length()) + TOOK : isolation, at);
  }

  /**
   * Returns the device that can be taken out of service without its node. This is possible for a
   * fault of one GPU if the slots of the node are its devices. GPU, null for the whole node.
   */
  public @Nullable String excludes(Node its) {
    String device = gpu;
    return scope == FaultScope.GPU
            && device != null
            && DeviceUuid.matches(device)
            && its.gpus().stream().anyMatch(slot -> slot.serial().equals(device))
        ? device
        : null;
  }

  /**
   * Returns the incident with its device or its node out of service, and the reason for the node.
   */
  public Incident isolated(Node its) {
    String place = "node " + nodeName + TAKES;
    if (excludes(its) != null) {
      return isolation("GPU " + gpu + " of " + place);
    }
    return isolation((scope == FaultScope.GPU ? whole(its) : "") + place);
  }

  /** Returns why the fault of one GPU takes its node out of service. */
  private String whole(Node its) {
    if (gpu == null) {
      return "the report names no GPU, so ";
    }
    return its.gpus().stream().allMatch(slot -> DeviceUuid.matches(slot.serial()))
        ? "the node lists no such GPU, so "
        : "the node's device plugin assigns its GPUs and cannot exclude one, so ";
  }

  /** Returns the incident with this description of the isolation. */
  public Incident isolation(String text) {
    return with(text, endedAt);
  }

  private Incident with(String isolated, @Nullable Instant end) {
    return with().isolation(isolated).endedAt(end).build();
  }

  /**
   * Describes the incident: {@code XID 79 (GPU has fallen off the bus) on GPU 1653922, node
   * gpu-0042}.
   */
  public String text() {
    String device = serial != null ? serial : gpu;
    return cause + " on " + (device == null ? "" : "GPU " + device + ", ") + "node " + nodeName;
  }
}
