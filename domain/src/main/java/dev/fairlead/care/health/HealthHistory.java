package dev.fairlead.care.health;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads stored health events of all clusters. */
public interface HealthHistory {
  /**
   * The part of an event that rules need.
   *
   * @param message log message of the driver, for a burst the first one
   * @param lastAt time of a burst's last event, equal to {@code at} for a single event
   * @param receivedAt time of receipt according to the service's clock
   * @param incident that it opened or joined, null if none
   */
  @RecordBuilder
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
   * @param from all events received since then are included
   */
  record Excerpt(List<Seen> events, Instant from) {}

  /**
   * Returns the events of the code on known nodes, among the newest {@code most} events of all
   * codes received since that time, unordered.
   */
  Excerpt of(int xid, Instant since, int most);
}
