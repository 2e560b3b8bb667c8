package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.fleet.cluster.connection.ClusterRight;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.workload.RemovalOutcome;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceCondition;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.SortedMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes namespaces that Fairlead created for a project and that contain no foreign objects. Each
 * namespace is closed first, so that nothing is created between the check and the delete. The
 * delete names the checked version.
 */
public final class NamespaceRemovals {
  private static final Logger LOG = LoggerFactory.getLogger(NamespaceRemovals.class);

  /** Granted only by {@code deploy/cluster-removal.yaml}. */
  private static final ClusterRight DELETE = new ClusterRight("", "namespaces", "delete");

  private static final int MOST_NAMED = 5;

  private final Installation installation;
  private final ClusterCalls calls;
  private final Namespaces namespaces;
  private final BooleanSupplier pause;

  /**
   * @param pause waits briefly between checks of the cluster, returns false when the time is up
   */
  public NamespaceRemovals(
      Installation installation, ClusterCalls calls, Namespaces namespaces, BooleanSupplier pause) {
    this.installation = installation;
    this.calls = calls;
    this.namespaces = namespaces;
    this.pause = pause;
  }

  /** Implements {@link dev.fairlead.work.workload.ClusterGateway#remove}. */
  public RemovalOutcome remove(KubernetesClient client, String name, ProjectId project) {
    try {
      return removed(client, name, project);
    } catch (CallFailure failure) {
      String why = String.valueOf(failure.getMessage());
      return failure.effect() == CallFailure.Effect.REFUSED
          ? new RemovalOutcome.Waits(why)
          : new RemovalOutcome.Unavailable(why);
    }
  }

  private RemovalOutcome removed(KubernetesClient client, String name, ProjectId project) {
    Namespace there = calls.read(() -> ByName.find(client.namespaces().withName(name)));
    if (there == null) {
      return RemovalOutcome.GONE;
    }
    if (!namespaces.made(there, project)) {
      return new RemovalOutcome.Kept(
          "it has no annotation "
              + ObjectLabels.CREATED_FOR
              + " which marks it as created by this installation for this project");
    }
    if (there.getMetadata().getDeletionTimestamp() != null) {
      return new RemovalOutcome.Waits(ending(there));
    }
    if (!Rights.may(client, calls, DELETE, name, name)) {
      return new RemovalOutcome.Waits(
          "Fairlead "
              + ClusterRight.lacking(List.of(DELETE))
              + " there: apply"
              + " deploy/cluster-removal.yaml, or remove it: kubectl delete namespace "
              + name);
    }
    return emptied(client, there);
  }

  private RemovalOutcome emptied(KubernetesClient client, Namespace there) {
    String name = there.getMetadata().getName();
    try (ClosedNamespace closed = new ClosedNamespace(installation, calls, client, name, pause)) {
      SortedMap<String, Long> foreign = closed.foreign();
      if (!foreign.isEmpty()) {
        return new RemovalOutcome.Waits(
            "it holds "
                + named(foreign)
                + " not created by Fairlead. Delete them, or detach the namespace: kubectl annotate namespace "
                + name
                + " "
                + ObjectLabels.CREATED_FOR
                + "-");
      }
      delete(client, there);
      return new RemovalOutcome.Waits("its cluster is deleting its objects");
    } catch (ClosedNamespace.Uncounted unknown) {
      return new RemovalOutcome.Waits(String.valueOf(unknown.getMessage()));
    }
  }

  private static String named(SortedMap<String, Long> foreign) {
    String first =
        foreign.entrySet().stream()
            .limit(MOST_NAMED)
            .map(each -> each.getValue() + " " + each.getKey().substring("count/".length()))
            .collect(Collectors.joining(", "));
    int more = foreign.size() - MOST_NAMED;
    return more > 0 ? first + " and objects of " + more + " more kinds" : first;
  }

  /**
   * Deletes exactly the checked version. A changed namespace, or a new namespace of its name,
   * remains.
   */
  private void delete(KubernetesClient client, Namespace there) {
    String name = there.getMetadata().getName();
    DeleteOptions options =
        new DeleteOptionsBuilder()
            .withPropagationPolicy("Background")
            .withNewPreconditions(
                there.getMetadata().getResourceVersion(), there.getMetadata().getUid())
            .build();
    calls.write(() -> client.raw("/api/v1/namespaces/" + name, "DELETE", options));
    namespaces.forget(name);
    LOG.info(
        "namespace {} is removed: its project was deleted, and it has no foreign objects", name);
  }

  /** Describes since when the cluster has been removing it, and the remaining content. */
  private static String ending(Namespace there) {
    List<NamespaceCondition> said =
        there.getStatus() == null ? List.of() : there.getStatus().getConditions();
    String left =
        said.stream()
            .filter(condition -> "True".equals(condition.getStatus()))
            .map(NamespaceCondition::getMessage)
            .collect(Collectors.joining("; "));
    List<String> finalizers = there.getMetadata().getFinalizers();
    return "its cluster removes it since "
        + there.getMetadata().getDeletionTimestamp()
        + (finalizers.isEmpty() ? "" : " and has the finalizers " + finalizers)
        + (left.isEmpty() ? "" : "; " + left);
  }
}
