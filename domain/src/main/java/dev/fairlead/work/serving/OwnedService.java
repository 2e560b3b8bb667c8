package dev.fairlead.work.serving;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * A service that a ModelService of a front cluster owns.
 *
 * @param replicas of all versions, with their observed conditions
 */
public record OwnedService(
    TenantId tenant,
    ProjectId project,
    ModelService settings,
    ServiceState state,
    List<Replica.Seen> replicas) {
  public OwnedService {
    replicas = List.copyOf(replicas);
  }

  /** Number of ready replicas of the versions on the route. */
  public int ready() {
    return (int) serving().filter(each -> each.condition() == Replica.Condition.READY).count();
  }

  /** Number of ready replicas that the service should have. */
  public int wanted(Instant now) {
    return state.wanted(settings.at(now));
  }

  /** Reason why a replica is not ready, empty without one. */
  public String obstacle() {
    return serving()
        .map(Replica.Seen::reason)
        .filter(reason -> !reason.isEmpty())
        .findFirst()
        .orElse("");
  }

  private Stream<Replica.Seen> serving() {
    return replicas.stream()
        .filter(each -> !each.replica().stopping() && state.serves(each.replica().version()));
  }
}
