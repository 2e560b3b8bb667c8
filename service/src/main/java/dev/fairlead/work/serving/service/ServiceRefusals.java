package dev.fairlead.work.serving.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.serving.LoadTarget;
import dev.fairlead.work.serving.ModelRuntime;
import dev.fairlead.work.serving.ModelRuntimes;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ServiceOwner;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.traffic.RouteOptions;
import dev.fairlead.work.spec.JobSpec;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Refusals of changes of model services. */
final class ServiceRefusals {
  private ServiceRefusals() {}

  static Refusal missing(ModelServices.Name name, int version) {
    return new Refusal(
        ProblemCode.NOT_FOUND,
        "Service \"%s\" has no version %d. GET /api/v1/projects/%s/services/%s/versions lists them."
            .formatted(name.service(), version, name.project(), name.service()));
  }

  static Refusal full(String project) {
    return new Refusal(
        ProblemCode.LIMIT_EXCEEDED,
        "Project \"%s\" has %d services, the maximum. Delete one first."
            .formatted(project, ModelService.MOST));
  }

  static Refusal tooManyVersions(ModelService service) {
    return new Refusal(
        ProblemCode.LIMIT_EXCEEDED,
        "Service \"%s\" has %d versions, the maximum. Delete old versions first."
            .formatted(service.name(), ServiceVersion.MOST));
  }

  static Refusal deleting(ModelService service, ServiceState state) {
    return new Refusal(
        ProblemCode.ILLEGAL_STATE,
        "Service \"%s\" is being deleted: %d of its replicas have not ended."
            .formatted(service.name(), state.replicas().size()));
  }

  static Refusal used(ModelServices.Name name, int version, boolean serves) {
    return new Refusal(
        ProblemCode.ILLEGAL_STATE,
        "Version %d of service \"%s\" %s."
            .formatted(
                version,
                name.service(),
                serves
                    ? "serves or has replicas. Roll back to another version first"
                    : "is the newest. Apply another version first"));
  }

  /**
   * Permits a change of the settings by the owner alone.
   *
   * @param by the object that changes them, null for users
   * @throws Refusal ILLEGAL_STATE for a user, NAME_IN_USE for another object
   */
  static void requireOwner(ModelService service, @Nullable ServiceOwner by) {
    ServiceOwner owner = service.owner();
    if (owner == null) {
      if (by != null) {
        throw new Refusal(
            ProblemCode.NAME_IN_USE,
            ("Project \"%s\" has a service \"%s\" that no ModelService created. Delete it with"
                    + " fairlead service delete, or give the ModelService another name.")
                .formatted(service.project(), service.name()));
      }
      return;
    }
    if (by == null) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "Service \"%s\" belongs to the ModelService of this name in %s. Change that object instead."
              .formatted(service.name(), owner.text()));
    }
    if (!by.follows(owner)) {
      throw new Refusal(
          ProblemCode.NAME_IN_USE,
          ("Service \"%s\" of project \"%s\" belongs to the ModelService of this name in %s. Give"
                  + " this ModelService another name.")
              .formatted(service.name(), service.project(), owner.text()));
    }
  }

  /**
   * Requires a runtime with the metric of a load target.
   *
   * @throws Refusal INVALID_FIELD for a metric that the servers of the job do not have
   */
  static void requireMetric(@Nullable LoadTarget rule, JobSpec job) {
    if (rule == null
        || rule.metric().ofServers() == null
        || ReplicaSignals.signal(rule.metric(), job).isPresent()) {
      return;
    }
    String text =
        "%s needs a runtime with metrics.%s: use %s, or the metric RPS, CONCURRENCY or LATENCY"
            .formatted(
                rule.metric(),
                rule.metric().entry(),
                ModelRuntimes.all().stream()
                    .filter(each -> each.metrics().containsKey(rule.metric().entry()))
                    .map(ModelRuntime::name)
                    .collect(Collectors.joining(", ")));
    throw Refusal.field("/scale/metric", text);
  }

  /**
   * Requires a cluster whose gateway has the features.
   *
   * @throws Refusal INVALID_FIELD if each cluster with a gateway lacks a feature
   */
  static void requireFeatures(RouteOptions options, List<Cluster> clusters) {
    List<Cluster> gateways =
        clusters.stream().filter(each -> each.settings().gateway() != null).toList();
    for (RouteOptions.Feature feature : options.needs()) {
      List<String> reasons =
          gateways.stream()
              .flatMap(each ->
                  Optional.ofNullable(each.capabilities().reasons().get(feature.reason())).stream())
              .distinct()
              .toList();
      if (!gateways.isEmpty() && gateways.stream().allMatch(each -> lacks(each, feature))) {
        throw Refusal.field("/" + feature.field(), String.join("; ", reasons));
      }
    }
  }

  private static boolean lacks(Cluster cluster, RouteOptions.Feature feature) {
    return cluster.capabilities().reasons().containsKey(feature.reason());
  }

  static Refusal taken(String route) {
    return Refusal.field(
        ProblemCode.NAME_IN_USE,
        "/route",
        "Route \"%s\" belongs to another service.".formatted(route),
        null);
  }

  static Refusal mismatch(ModelServices.Name name) {
    return Refusal.changed("Service \"%s\"".formatted(name.service()));
  }
}
