package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.fleet.cluster.connection.PodGroupApi;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/**
 * The scheduler that chooses the nodes of pods.
 *
 * @param kind FAIRLEAD, KUBE_SCHEDULER for the scheduler of the cluster, KUEUE, or POD_GROUP for a
 *     scheduler that binds the pods of a PodGroup together
 * @param api group and version of the PodGroups, such as scheduling.x-k8s.io/v1alpha1. Only for
 *     POD_GROUP
 * @param queue Kueue LocalQueue in the namespace of each project, or queue of the PodGroups. Only
 *     for KUEUE and POD_GROUP
 * @param schedulerName scheduler name of the pods. The usual name of the scheduler of the PodGroups
 *     when absent, otherwise the default scheduler of the cluster
 */
@Schema(name = "BackendRequest")
record BackendRequest(
    PlacementBackend.Kind kind,
    @JsonDeserialize(using = ApiReader.class) @Nullable String api,
    @DnsLabel @Nullable String queue,
    @Size(min = 1, max = Names.LONGEST_SUBDOMAIN)
        @Pattern(regexp = Names.SUBDOMAIN_PATTERN, message = Names.SUBDOMAIN_RULE)
        @Nullable String schedulerName)
    implements RequestRules {
  @Override
  public void check(Fields given) {
    PlacementBackend.Kind chosen = chosen();
    boolean grouped = chosen == PlacementBackend.Kind.POD_GROUP;
    if (grouped && !given.has("api")) {
      given.required("api", "the group and version of the PodGroups: " + apis() + ".");
    } else if (!grouped && given.has("api")) {
      conflict(given, "api", "api requires kind POD_GROUP. Remove api, or set it to null");
    }
    checkQueue(given, chosen);
    PlacementBackend.@Nullable Kind named = kind;
    if (named == PlacementBackend.Kind.FAIRLEAD && given.has("schedulerName")) {
      conflict(
          given,
          "schedulerName",
          "Fairlead chooses the nodes itself. Set kind to KUBE_SCHEDULER, KUEUE or POD_GROUP, or set"
              + " schedulerName to null");
    }
  }

  private void checkQueue(Fields given, PlacementBackend.Kind chosen) {
    boolean queues =
        Optional.ofNullable(api)
            .flatMap(PodGroupApi::named)
            .filter(each -> each.queue() != null)
            .isPresent();
    if (chosen == PlacementBackend.Kind.KUEUE) {
      given.required("queue", "the name of the Kueue LocalQueue in the namespace of each project.");
    } else if (given.has("queue") && chosen != PlacementBackend.Kind.POD_GROUP) {
      conflict(
          given,
          "queue",
          "queue requires kind KUEUE or POD_GROUP. Remove queue, or set it to null");
    } else if (given.has("queue") && !queues) {
      conflict(
          given,
          "queue",
          "The PodGroups of this api have no queue. Remove queue, or set it to null");
    }
  }

  private PlacementBackend.Kind chosen() {
    return Objects.requireNonNullElse(kind, PlacementBackend.Kind.FAIRLEAD);
  }

  PlacementBackend backend() {
    return new PlacementBackend(chosen(), api, queue, schedulerName);
  }

  private static void conflict(Fields fields, String field, String message) {
    fields.refuse(field, ProblemCode.CONFLICTING_FIELDS, message + " in a patch.", null);
  }

  private static String apis() {
    return PodGroupApi.all().stream()
        .map(api -> api.name() + " (" + api.scheduler() + ")")
        .collect(Collectors.joining(", "));
  }

  /** In the form of a request. */
  static SortedMap<String, Object> of(PlacementBackend now) {
    SortedMap<String, Object> backend = new TreeMap<>();
    backend.put("kind", now.kind());
    if (now.api() != null) {
      backend.put("api", now.api());
    }
    if (now.queue() != null) {
      backend.put("queue", now.queue());
    }
    if (now.schedulerName() != null) {
      backend.put("schedulerName", now.schedulerName());
    }
    return backend;
  }

  /** Reads a group and version of PodGroups. */
  static final class ApiReader extends FieldReader<String> {
    @Override
    protected Optional<String> read(Value value) {
      return value.oneOf(PodGroupApi.all().stream().map(PodGroupApi::name).toList());
    }
  }
}
