package dev.fairlead.work.event;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * Writes the events of the fleet, in the transaction of the change. The stores of nodes, clusters,
 * incidents and quarantines call it, so each change has one event.
 *
 * <p>An event is stored once for the readers of the fleet, and once for each project with jobs that
 * hold GPUs on its nodes, with the names of these jobs only. A later event of the same incident or
 * quarantine also reaches the projects that got the earlier ones.
 */
public interface FleetEvents {
  /** The tenant of the rows for readers of the fleet. No tenant has this id. */
  TenantId FLEET = new TenantId(new UUID(0, 0));

  /**
   * Number of state changes of a node or cluster within {@link #WINDOW} that have an event. Events
   * that nodes share are counted separately.
   */
  int BURST = 6;

  /**
   * Time of a {@link #BURST}. Later changes are held for as long, and then result in one event with
   * the last change and {@code changes}, the number of held changes.
   */
  Duration WINDOW = Duration.ofMinutes(10);

  /** Stores no event. */
  FleetEvents NONE =
      new FleetEvents() {
        @Override
        public void append(ClusterId cluster, String actor, List<FleetFact> facts) {}

        @Override
        public int release(int most) {
          return 0;
        }
      };

  /**
   * Stores changes of one cluster, in order and bounded by {@link FleetFact#bounded}.
   *
   * @param actor component that made the change
   */
  void append(ClusterId cluster, String actor, List<FleetFact> facts);

  /**
   * Stores the events of changes that were held for {@link #WINDOW}, bounded by {@link
   * FleetFact#bounded}. Logs and deletes a change that cannot be read.
   *
   * @param most maximum number
   * @return number of these changes
   */
  int release(int most);
}
