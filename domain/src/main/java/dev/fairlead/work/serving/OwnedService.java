package dev.fairlead.work.serving;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;

/**
 * A service that a ModelService of a front cluster owns.
 *
 * @param replicas replicas of all versions, with their observed conditions
 */
public record OwnedService(
    ProjectId project, ModelService settings, ServiceState state, List<Replica.Seen> replicas) {
  public OwnedService {
    replicas = List.copyOf(replicas);
  }

  public TenantId tenant() {
    return state.tenant();
  }

  /** Number of ready replicas of the versions on the route. */
  public int ready() {
    return Replica.ready(state.serving(replicas));
  }

  /** Number of ready replicas that the service should have. */
  public int wanted(Instant now) {
    return state.wanted(settings.at(now));
  }

  /** Reason why a replica is not ready, empty without one. */
  public String obstacle() {
    return state.serving(replicas).stream()
        .map(Replica.Seen::reason)
        .filter(reason -> !reason.isEmpty())
        .findFirst()
        .orElse("");
  }
}
