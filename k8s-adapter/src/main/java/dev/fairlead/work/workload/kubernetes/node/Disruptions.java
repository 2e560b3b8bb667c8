package dev.fairlead.work.workload.kubernetes.node;

import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.NodeNotes;
import dev.fairlead.work.workload.RepairNotes;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Restricts actions of other clients on nodes and members: cordons of nodes, and disruption budgets
 * of attempts.
 */
public final class Disruptions {
  /** Annotation with the label of the installation that cordoned the node. */
  static final String CORDONED_BY = ObjectNames.LABEL_PREFIX + "cordoned-by";

  private static final String NO_RIGHT =
      "the cluster does not permit Fairlead to write node annotations, which requires the"
          + " verbs get and patch (deploy/cluster-nodes.yaml): ";
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private static final ActionOutcome DONE = new ActionOutcome.Done(Collections.emptySortedSet());

  private final Installation installation;
  private final ClusterCalls calls;

  public Disruptions(Installation installation, ClusterCalls calls) {
    this.installation = installation;
    this.calls = calls;
  }

  /**
   * @throws CallFailure if a call is not answered
   */
  public ActionOutcome keepOut(KubernetesClient client, String name, boolean out) {
    return tolerant(() -> {
      Node node = calls.read(() -> ByName.find(client.nodes().withName(name)));
      return node == null ? DONE : keepOut(client, node, out);
    });
  }

  private ActionOutcome keepOut(KubernetesClient client, Node node, boolean out) {
    boolean marked = Boolean.TRUE.equals(node.getSpec().getUnschedulable());
    boolean due = out ? !marked : marked && installation.label().equals(marker(node));
    if (!due) {
      return DONE;
    }
    String patch =
        "{\"metadata\":{\"annotations\":{\""
            + CORDONED_BY
            + "\":"
            + (out ? "\"" + installation.label() + "\"" : "null")
            + "}},\"spec\":{\"unschedulable\":"
            + (out ? "true" : "null")
            + "}}";
    String name = node.getMetadata().getName();
    calls.write(() -> client.nodes().withName(name).patch(MERGE, patch));
    return DONE;
  }

  /**
   * Patches in one call. The answer contains the annotations that the cluster's own programs have
   * written.
   *
   * @param notes by name, null removes one
   * @throws CallFailure if it is not answered
   */
  public NodeNotes note(
      KubernetesClient client, String name, SortedMap<String, @Nullable String> notes) {
    String patch =
        notes.entrySet().stream()
            .map(note -> quoted(note.getKey()) + ":" + quoted(note.getValue()))
            .collect(Collectors.joining(",", "{\"metadata\":{\"annotations\":{", "}}}"));
    try {
      Node node = calls.write(() -> client.nodes().withName(name).patch(MERGE, patch));
      Map<String, String> all = node == null ? null : node.getMetadata().getAnnotations();
      SortedMap<String, String> shown = new TreeMap<>(all == null ? Map.of() : all);
      shown.keySet().removeIf(key -> !key.startsWith(RepairNotes.PREFIX));
      return new NodeNotes.Shown(shown);
    } catch (CallFailure failure) {
      if (failure.notFound()) {
        return new NodeNotes.Not("the cluster has no node " + name);
      }
      if (failure.effect() == CallFailure.Effect.REFUSED) {
        return new NodeNotes.Not(NO_RIGHT + failure.getMessage());
      }
      throw failure;
    }
  }

  private static String quoted(@Nullable String text) {
    return text == null ? "null" : Serialization.asJson(text);
  }

  /**
   * @throws CallFailure if a call is not answered
   */
  public ActionOutcome budget(KubernetesClient client, WorkloadAction.Budget wanted) {
    String name = ObjectNames.attempt(wanted.attempt());
    var budgets = client.policy().v1().podDisruptionBudget().inNamespace(wanted.namespace());
    return tolerant(() -> {
      PodDisruptionBudget budget = calls.read(() -> ByName.find(budgets.withName(name)));
      if (budget != null && ObjectLabels.belongsTo(budget, installation, wanted.attempt())) {
        String patch = minAvailable(budget, wanted.minAvailable());
        calls.write(() -> budgets.withName(name).patch(MERGE, patch));
      }
      return DONE;
    });
  }

  private static String minAvailable(PodDisruptionBudget budget, int members) {
    return "{\"metadata\":{\"uid\":\""
        + budget.getMetadata().getUid()
        + "\"},\"spec\":{\"minAvailable\":"
        + members
        + "}}";
  }

  /** Ignores objects that were deleted or replaced. A missing right is reported. */
  private static ActionOutcome tolerant(Supplier<ActionOutcome> work) {
    try {
      return work.get();
    } catch (CallFailure failure) {
      if (failure.notFound() || failure.conflict()) {
        return DONE;
      }
      if (failure.effect() == CallFailure.Effect.REFUSED) {
        return new ActionOutcome.Refused(
            ActionOutcome.Why.UNSUPPORTED, String.valueOf(failure.getMessage()));
      }
      throw failure;
    }
  }

  /** Returns the label of the installation that cordoned the node, null if none. */
  static @Nullable String marker(Node node) {
    return node.getMetadata().getAnnotations() == null
        ? null
        : node.getMetadata().getAnnotations().get(CORDONED_BY);
  }
}
