package dev.fairlead.front;

import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.OwnedService;
import dev.fairlead.work.serving.ServiceOwner;
import java.time.Instant;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides the next step for one ModelService of a front cluster. The model service ends only after
 * the cluster has reported the ModelService as deleted. If the ModelService vanishes without a
 * report, the model service continues. A ModelService without a model service is released when its
 * namespace is no longer mapped, because Fairlead stops watching a cluster without mapped
 * namespaces.
 */
public final class FrontServicePlan {
  private static final ServiceStep NOTHING = new ServiceStep.Nothing();
  private static final Pattern LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]*[a-z0-9])?");

  private FrontServicePlan() {}

  /**
   * Known facts about a ModelService.
   *
   * @param owned its service, null before the first apply
   * @param namespace the mapping of its namespace, null if none
   * @param problem problem of its current spec until the next try, null if none
   */
  public record Known(
      SeenJob seen,
      @Nullable OwnedService owned,
      @Nullable FrontNamespace namespace,
      @Nullable ServiceProblem problem) {}

  public static ServiceStep next(Known known, Instant now) {
    SeenJob seen = known.seen();
    OwnedService owned = known.owned();
    if (seen.foreign()) {
      return NOTHING;
    }
    if (seen.deleting()) {
      return ending(seen, owned, now);
    }
    if (known.namespace() == null && owned == null && seen.held()) {
      return new ServiceStep.Release();
    }
    ServiceProblem problem = problem(known);
    ServiceStatus status = seen.service();
    if (problem != null) {
      return shown(seen, ServiceStatuses.of(status, owned, problem, now));
    }
    if (owned == null || !applied(owned, status.digest())) {
      return new ServiceStep.Apply(Objects.requireNonNull(known.namespace(), "it is mapped"));
    }
    return seen.held()
        ? shown(seen, ServiceStatuses.of(status, owned, now))
        : new ServiceStep.Hold();
  }

  private static ServiceStep ending(SeenJob seen, @Nullable OwnedService owned, Instant now) {
    if (owned == null) {
      return seen.held() ? new ServiceStep.Release() : NOTHING;
    }
    return owned.state().deleting()
        ? shown(seen, ServiceStatuses.of(seen.service(), owned, now))
        : new ServiceStep.Remove();
  }

  private static boolean applied(OwnedService owned, String digest) {
    ServiceOwner owner = owned.settings().owner();
    return owner != null && digest.equals(owner.digest());
  }

  private static @Nullable ServiceProblem problem(Known known) {
    SeenJob seen = known.seen();
    FrontNamespace namespace = known.namespace();
    String name = seen.ownName();
    if (name.length() > ModelService.LONGEST_NAME || !LABEL.matcher(name).matches()) {
      return new ServiceProblem(
          "InvalidName",
          ("/metadata/name: It must be a DNS label with at most %d characters. Create the"
                  + " ModelService with another name")
              .formatted(ModelService.LONGEST_NAME),
          true);
    }
    if (namespace == null) {
      return FrontPlan.unmapped(seen);
    }
    OwnedService owned = known.owned();
    if (owned != null && !owned.project().equals(namespace.project())) {
      return new ServiceProblem(
          "ProjectChanged",
          ("The service belongs to project %s, and namespace %s is mapped to another project. Map"
                  + " it to the earlier project, or delete the ModelService and create it again")
              .formatted(owned.settings().project(), seen.namespace()),
          true);
    }
    return known.problem();
  }

  private static ServiceStep shown(SeenJob seen, ServiceStatus status) {
    return status.equals(seen.service())
        ? NOTHING
        : new ServiceStep.Show(seen.status().withService(status));
  }
}
