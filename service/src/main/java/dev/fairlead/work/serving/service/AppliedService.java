package dev.fairlead.work.serving.service;

import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.serving.LoadTarget;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ModelService.Floor;
import dev.fairlead.work.serving.ModelServiceBuilder;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.signal.Guard;
import dev.fairlead.work.serving.traffic.RouteOptions;
import dev.fairlead.work.spec.JobSpec;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings and the newest version of a service.
 *
 * @param job one replica
 * @param endpoint where it takes requests
 */
@RecordBuilder
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
    return AppliedServiceBuilder.builder()
        .route(to.route())
        .scale(Scale.of(to))
        .steps(to.steps())
        .stepFor(to.stepFor())
        .slowerThan(to.slowerThan())
        .job(version.job())
        .endpoint(version.endpoint())
        .access(to.access())
        .guards(to.guards())
        .options(to.options())
        .build();
  }

  ModelService settings(ModelServiceId id, ModelServices.Name name) {
    return ModelServiceBuilder.builder()
        .id(id)
        .name(name.service())
        .project(name.project())
        .route(route)
        .minReplicas(scale.minReplicas())
        .maxReplicas(scale.maxReplicas())
        .steps(steps)
        .stepFor(stepFor)
        .slowerThan(slowerThan)
        .scale(scale.scale())
        .floors(scale.floors())
        .idleAfter(scale.idleAfter())
        .access(access)
        .owner(null)
        .guards(guards)
        .options(options)
        .build();
  }
}
