package dev.fairlead.work.serving.service;

import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.serving.LoadTarget;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ModelService.Floor;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.signal.Guard;
import dev.fairlead.work.serving.traffic.RouteOptions;
import dev.fairlead.work.spec.JobSpec;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings and the newest version of a service.
 *
 * @param job one replica
 * @param endpoint where it takes requests
 */
public record AppliedService(
    String route,
    Scale scale,
    List<Integer> steps,
    Duration stepFor,
    Duration slowerThan,
    JobSpec job,
    ServiceVersion.Endpoint endpoint,
    ModelService.Access access,
    List<Guard> guards,
    RouteOptions options) {
  /** Reads service files. */
  public interface Reader {
    /**
     * Reads the file like an apply.
     *
     * @param json an object
     * @throws dev.fairlead.kernel.problem.Refusal for an invalid file
     */
    AppliedService read(Actor actor, ModelServices.Name name, String json);
  }

  /** Numbers of replicas, as {@link ModelService} has them. */
  public record Scale(
      int minReplicas,
      int maxReplicas,
      @Nullable LoadTarget scale,
      List<Floor> floors,
      @Nullable Duration idleAfter) {
    static Scale of(ModelService of) {
      return new Scale(of.minReplicas(), of.maxReplicas(), of.scale(), of.floors(), of.idleAfter());
    }
  }

  boolean same(ServiceVersion version) {
    return version.job().equals(job) && version.endpoint().equals(endpoint);
  }

  static AppliedService of(ModelService to, ServiceVersion version) {
    return new AppliedService(
        to.route(),
        Scale.of(to),
        to.steps(),
        to.stepFor(),
        to.slowerThan(),
        version.job(),
        version.endpoint(),
        to.access(),
        to.guards(),
        to.options());
  }

  ModelService settings(ModelServiceId id, ModelServices.Name name) {
    return new ModelService(
        id,
        name.service(),
        name.project(),
        route,
        scale.minReplicas(),
        scale.maxReplicas(),
        steps,
        stepFor,
        slowerThan,
        scale.scale(),
        scale.floors(),
        scale.idleAfter(),
        access,
        null,
        guards,
        options);
  }
}
