package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.fleet.cluster.IsolationFeature;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.client.GpuResources;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Probes whether the cluster refuses violations, by creates as dry runs. Not thread-safe. */
final class IsolationProbes {
  private static final String OBJECT = "fairlead-feature-probe";
  private static final String SCOPE_POLICY = "fairlead-scope";
  private static final String ENDING = "the namespaces for the probes were deleted";
  private static final Quantity TOO_MANY = new Quantity("2000000000");

  /** Number of namespaces per probe. A large fleet is probed in several passes. */
  private static final int AT_ONCE = 50;

  private final ClusterCalls calls;
  private final SortedSet<String> open = new TreeSet<>();
  private final SortedSet<String> unbounded = new TreeSet<>();
  private int next;
  private int nextBound;

  IsolationProbes(ClusterCalls calls) {
    this.calls = calls;
  }

  /**
   * Checks whether pods are refused that Pod Security <i>restricted</i> forbids and <i>baseline</i>
   * allows.
   *
   * @param namespaces namespaces of projects
   */
  IsolationFeature podSecurity(KubernetesClient client, List<String> namespaces) {
    List<String> tried = namespaces.isEmpty() ? List.of(Namespaces.SYSTEM) : namespaces;
    open.retainAll(tried);
    try {
      Set<String> ending = new TreeSet<>();
      for (int i = 0; i < Math.min(AT_ONCE, tried.size()); i++) {
        String namespace = tried.get(Math.floorMod(next++, tried.size()));
        note(
            namespace,
            tried(client, pod(namespace), CallFailure::refusedByPodSecurity),
            open,
            ending);
      }
      if (ending.size() == tried.size()) {
        return IsolationFeature.unknown(IsolationFeature.POD_SECURITY, ENDING);
      }
    } catch (CallFailure failure) {
      return IsolationFeature.unknown(
          IsolationFeature.POD_SECURITY, "the probe says: " + failure.getMessage());
    }
    return open.isEmpty()
        ? IsolationFeature.enforced(IsolationFeature.POD_SECURITY)
        : IsolationFeature.notEnforced(
            IsolationFeature.POD_SECURITY,
            "namespace "
                + open.first()
                + " accepts pods that Pod Security restricted forbids, "
                + open.size()
                + " in all. Check that the admission plugin PodSecurity is enabled and exempts no"
                + " namespace of Fairlead.");
  }

  /**
   * Checks whether pods are refused that request more than Fairlead's quota leaves.
   *
   * @param namespaces with a quota in force
   */
  IsolationFeature quota(KubernetesClient client, List<String> namespaces) {
    unbounded.retainAll(namespaces);
    Set<String> ending = new TreeSet<>();
    try {
      for (int i = 0; i < Math.min(AT_ONCE, namespaces.size()); i++) {
        String namespace = namespaces.get(Math.floorMod(nextBound++, namespaces.size()));
        note(
            namespace,
            tried(client, greedy(namespace), CallFailure::refusedByQuota),
            unbounded,
            ending);
      }
    } catch (CallFailure failure) {
      return IsolationFeature.unknown(
          IsolationFeature.QUOTA, "the probe says: " + failure.getMessage());
    }
    if (namespaces.size() == ending.size()) {
      return IsolationFeature.unknown(
          IsolationFeature.QUOTA,
          "no namespace of a project has one in effect yet. It takes effect minutes after the"
              + " first job of a project.");
    }
    return unbounded.isEmpty()
        ? IsolationFeature.enforced(IsolationFeature.QUOTA)
        : IsolationFeature.notEnforced(
            IsolationFeature.QUOTA,
            "namespace "
                + unbounded.first()
                + " takes more than its quota, "
                + unbounded.size()
                + " in all. Check that the admission plugin ResourceQuota is enabled.");
  }

  /** The result of a create that should be refused. */
  private enum Answer {
    REFUSED,
    TAKEN,
    /** The namespace is being deleted, so its response is unknown and irrelevant. */
    ENDING
  }

  private Answer tried(KubernetesClient client, Pod pod, Predicate<CallFailure> refusal) {
    try {
      calls.write(() -> client.resource(pod).dryRun().create());
      return Answer.TAKEN;
    } catch (CallFailure failure) {
      if (refusal.test(failure)) {
        return Answer.REFUSED;
      }
      if (failure.notFound() || failure.namespaceEnding()) {
        return Answer.ENDING;
      }
      throw failure;
    }
  }

  private static void note(
      String namespace, Answer answer, Set<String> taking, Set<String> ending) {
    switch (answer) {
      case REFUSED -> taking.remove(namespace);
      case TAKEN -> taking.add(namespace);
      case ENDING -> {
        taking.remove(namespace);
        ending.add(namespace);
      }
    }
  }

  /**
   * Returns a pod that requests more GPUs than any of Fairlead's quotas leaves, and violates no
   * other rule.
   */
  private static Pod greedy(String namespace) {
    return new PodBuilder(pod(namespace))
        .editSpec()
        .withNewSecurityContext()
        .withRunAsNonRoot(true)
        .withNewSeccompProfile(null, "RuntimeDefault")
        .endSecurityContext()
        .editFirstContainer()
        .withNewSecurityContext()
        .withAllowPrivilegeEscalation(false)
        .withNewCapabilities()
        .withDrop("ALL")
        .endCapabilities()
        .endSecurityContext()
        .withNewResources()
        .withLimits(Map.of(GpuResources.WHOLE, TOO_MANY))
        .withRequests(Map.of(GpuResources.WHOLE, TOO_MANY))
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }

  /** Checks whether Fairlead's identity is refused in foreign namespaces. */
  IsolationFeature scope(KubernetesClient client) {
    try {
      calls.write(() -> client.resource(stray()).dryRun().create());
      return IsolationFeature.notEnforced(
          IsolationFeature.SCOPE,
          "Fairlead's identity may write outside of its namespaces. Apply deploy/cluster.yaml, and register the cluster "
              + "with the identity created by it.");
    } catch (CallFailure failure) {
      return failure.refusedBy(SCOPE_POLICY) || failure.missingRight()
          ? IsolationFeature.enforced(IsolationFeature.SCOPE)
          : IsolationFeature.unknown(
              IsolationFeature.SCOPE, "the probe says: " + failure.getMessage());
    }
  }

  private static ConfigMap stray() {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(OBJECT)
        .withNamespace("default")
        .endMetadata()
        .build();
  }

  private static Pod pod(String namespace) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(OBJECT)
        .withNamespace(namespace)
        .endMetadata()
        .withNewSpec()
        .withServiceAccountName(Namespaces.SERVICE_ACCOUNT)
        .withAutomountServiceAccountToken(false)
        .addNewContainer()
        .withName("main")
        .withImage("none.invalid/none")
        .endContainer()
        .endSpec()
        .build();
  }
}
