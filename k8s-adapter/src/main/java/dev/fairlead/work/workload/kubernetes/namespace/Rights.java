package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.fleet.cluster.connection.ClusterRight;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Checks verb by verb whether Fairlead's identity on a cluster has its rights. */
final class Rights {
  static final String NOT_KNOWN = "not known: ";

  private Rights() {}

  /**
   * Returns the missing rights, empty if it has all rights that {@code deploy/cluster.yaml} grants.
   */
  static Optional<String> lacking(KubernetesClient client, ClusterCalls calls) {
    try {
      List<ClusterRight> missing =
          Stream.concat(
                  ClusterRight.ALL.stream().filter(right -> !may(client, calls, right, null, null)),
                  Stream.of(ClusterRight.RAISE_EPOCHS)
                      .filter(right ->
                          !may(client, calls, right, Namespaces.SYSTEM, ClusterRight.FENCE)))
              .toList();
      return missing.isEmpty() ? Optional.empty() : Optional.of(ClusterRight.lacking(missing));
    } catch (CallFailure failure) {
      return Optional.of(NOT_KNOWN + failure.getMessage());
    }
  }

  /** Returns why nodes cannot be labelled and tainted, empty if they can. */
  static Optional<String> toLabelNodes(KubernetesClient client, ClusterCalls calls) {
    try {
      List<ClusterRight> missing =
          ClusterRight.LABEL_NODES.stream()
              .filter(right -> !may(client, calls, right, null, null))
              .toList();
      return missing.isEmpty()
          ? Optional.empty()
          : Optional.of(ClusterRight.lacking(missing) + ", which deploy/cluster-nodes.yaml grants");
    } catch (CallFailure failure) {
      return Optional.of(NOT_KNOWN + failure.getMessage());
    }
  }

  /** Returns why the nodes that can reach a volume are unknown, empty if they are known. */
  static Optional<String> toReach(KubernetesClient client, ClusterCalls calls) {
    try {
      boolean half =
          may(client, calls, ClusterRight.MAKE_CLAIMS, null, null)
              && !may(client, calls, ClusterRight.READ_DISKS, null, null);
      return half
          ? Optional.of(ClusterRight.lacking(List.of(ClusterRight.READ_DISKS)))
          : Optional.empty();
    } catch (CallFailure failure) {
      return Optional.empty(); // a missing answer is reported with the other rights
    }
  }

  /**
   * @param namespace namespace of the right, null for all
   * @param name name of the only object of the right, null for all
   * @throws CallFailure if the cluster does not answer
   */
  static boolean may(
      KubernetesClient client,
      ClusterCalls calls,
      ClusterRight right,
      @Nullable String namespace,
      @Nullable String name) {
    String[] parts = right.resource().split("/", 2);
    SelfSubjectAccessReview question =
        new SelfSubjectAccessReviewBuilder()
            .withNewSpec()
            .withNewResourceAttributes()
            .withGroup(right.group())
            .withResource(parts[0])
            .withSubresource(parts.length > 1 ? parts[1] : null)
            .withVerb(right.verb())
            .withNamespace(namespace)
            .withName(name)
            .endResourceAttributes()
            .endSpec()
            .build();
    SelfSubjectAccessReview answer = calls.read(() -> client.resource(question).create());
    return answer.getStatus() != null && Boolean.TRUE.equals(answer.getStatus().getAllowed());
  }
}
