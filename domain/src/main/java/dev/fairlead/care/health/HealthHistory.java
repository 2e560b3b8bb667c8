package dev.fairlead.care.health;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads stored health events of all clusters. */
public interface HealthHistory {
  /**
   * An event as far as a rule needs it.
   *
   * @param message as the driver logged it, of a burst its first one
   * @param lastAt of a burst when its last event was, of one event the same as at
   * @param receivedAt by the service's clock
   * @param incident that it opened or joined, null for none
   */
  record Seen(
      ClusterId cluster,
      NodeId node,
      String nodeName,
      @Nullable String gpu,
      String message,
      Instant at,
      Instant lastAt,
      Instant receivedAt,
      @Nullable IncidentId incident) {}

  /**
   * Events of one code.
   *
   * @param from events that were received since then were all read
   */
  record Excerpt(List<Seen> events, Instant from) {}

  /**
   * Events of the code on nodes that their clusters had, among the newest {@code most} of all codes
   * that were received since; in no order.
   */
  Excerpt of(int xid, Instant since, int most);
}
