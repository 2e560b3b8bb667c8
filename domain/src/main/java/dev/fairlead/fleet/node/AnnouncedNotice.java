package dev.fairlead.fleet.node;

import dev.fairlead.kernel.identity.ClusterId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * A notice that a system outside the cluster announced, such as the event bridge of a cloud. While
 * it applies, it has the effect of a notice that the node shows itself.
 *
 * @param id chosen by the sender, unique in the cluster, without spaces
 * @param node name of the machine
 * @param kind announced event
 * @param reason as text, not empty
 * @param deadline when it happens
 * @param boot boot of the machine when the notice arrived
 * @param withdrawn whether its sender withdrew it, which is final
 */
@RecordBuilder
public record AnnouncedNotice(
    ClusterId cluster,
    String id,
    String node,
    NodeNotice.Kind kind,
    String reason,
    Instant deadline,
    String boot,
    boolean withdrawn)
    implements AnnouncedNoticeBuilder.With {
  /** Start of the source of its notice, before its id. */
  public static final String SOURCE = "announced/";

  /** A machine that is unchanged this long after the deadline was not terminated. */
  public static final Duration LASTS = Duration.ofHours(1);

  public AnnouncedNotice {
    deadline = deadline.truncatedTo(ChronoUnit.MICROS);
  }

  /** Returns the notice in the form of a notice that a node shows. */
  public NodeNotice notice() {
    return new NodeNotice(kind, SOURCE + id, reason, deadline, kind.within());
  }

  public AnnouncedNotice withdraw() {
    return withWithdrawn(true);
  }

  /**
   * Returns whether the notice applies to the machine. It ends when it is withdrawn, with the first
   * boot after the deadline, and {@link #LASTS} after the deadline at the latest.
   */
  public boolean applies(NodeReport machine, Instant now) {
    boolean booted = !now.isBefore(deadline) && !machine.bootId().equals(boot);
    return !withdrawn && !booted && now.isBefore(ends()) && machine.name().equals(node);
  }

  /** Returns the end of the notice, unless it ends earlier. */
  public Instant ends() {
    return deadline.plus(LASTS);
  }

  /** Returns when a notice that applies may end by time. */
  public Instant changes(Instant now) {
    return now.isBefore(deadline) ? deadline : ends();
  }
}
