package dev.fairlead.workload.kubernetes.namespace;

import dev.fairlead.attempt.ObjectNames;
import dev.fairlead.lease.Installation;
import dev.fairlead.workload.kubernetes.call.CallFailure;
import dev.fairlead.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Puts back what takes calls for each namespace: its service account, and the policies of the gangs
 * that run in it. A turn looks at some namespaces, and the next one goes on behind them. Not safe
 * for use by several threads at once.
 */
final class NamespaceRounds {
  /** Namespaces of a turn: at most some 300 calls in five minutes, idle ones take two. */
  static final int AT_ONCE = 100;

  /** A turn ends behind the namespace with which it has seen so many gangs. */
  private static final int MOST_GANGS = 1_000;

  private final Installation installation;
  private final ClusterCalls calls;
  private final Namespaces namespaces;
  private final NamespaceWalls walls;
  private String after = "";

  NamespaceRounds(
      Installation installation, ClusterCalls calls, Namespaces namespaces, NamespaceWalls walls) {
    this.installation = installation;
    this.calls = calls;
    this.namespaces = namespaces;
    this.walls = walls;
  }

  /**
   * Looks at the next namespaces.
   *
   * @param names of all of ours
   * @param term under which this process acts
   * @return why a policy of a gang could not be put back; null when all are there
   * @throws CallFailure when the cluster does not answer
   */
  @Nullable String look(KubernetesClient client, List<String> names, long term) {
    String account = null;
    String gang = null;
    int gangs = 0;
    for (String name : next(names)) {
      if (gangs >= MOST_GANGS) {
        break;
      }
      after = name;
      String failed = namespaces.keepAccount(client, name);
      account = failed == null ? account : failed;
      Map<String, Pod> running = gangs(client, name);
      gangs += running.size();
      String open = running.isEmpty() ? null : close(client, name, running, term);
      gang = open == null ? gang : open;
    }
    walls.tell(Namespaces.ACCOUNT, account);
    return gang;
  }

  private List<String> next(List<String> names) {
    NavigableSet<String> sorted = new TreeSet<>(names);
    List<String> round = new ArrayList<>(sorted.tailSet(after, false));
    round.addAll(sorted.headSet(after, true));
    return round.subList(0, Math.min(AT_ONCE, round.size()));
  }

  /** By the name of its policy, a member of each gang that has not ended. */
  private Map<String, Pod> gangs(KubernetesClient client, String namespace) {
    var first =
        client
            .pods()
            .inNamespace(namespace)
            .withLabel(ObjectLabels.INSTALLATION, installation.label())
            .withLabel(ObjectLabels.NETWORK, ObjectLabels.GANG)
            .withLabel(ObjectLabels.INDEX, "0")
            .withoutField("status.phase", "Succeeded")
            .withoutField("status.phase", "Failed");
    SortedMap<String, Pod> found = new TreeMap<>();
    for (Pod pod : Upkeep.all(calls, first::list)) {
      ObjectLabels.attempt(pod)
          .filter(attempt -> pod.getMetadata().getDeletionTimestamp() == null)
          .ifPresent(attempt -> found.put(ObjectNames.attempt(attempt), pod));
    }
    return found;
  }

  private @Nullable String close(
      KubernetesClient client, String namespace, Map<String, Pod> gangs, long term) {
    var ours =
        client
            .network()
            .v1()
            .networkPolicies()
            .inNamespace(namespace)
            .withLabel(ObjectLabels.INSTALLATION, installation.label())
            .withLabel(ObjectLabels.ATTEMPT);
    Map<String, NetworkPolicy> there =
        walls.policies(ours::list).stream()
            .collect(Collectors.toMap(p -> p.getMetadata().getName(), Function.identity()));
    String why = null;
    for (Map.Entry<String, Pod> gang : gangs.entrySet()) {
      NetworkPolicy wanted = wanted(gang.getKey(), gang.getValue(), term);
      String failed = walls.close(client, there.get(gang.getKey()), wanted);
      why = failed == null ? why : failed;
    }
    return why;
  }

  /** As it was launched: it goes with the anchor that its members hang on. */
  private static NetworkPolicy wanted(String name, Pod member, long term) {
    SortedMap<String, String> labels = new TreeMap<>(member.getMetadata().getLabels());
    labels.keySet().retainAll(ObjectLabels.OF_ATTEMPT);
    labels.put(ObjectLabels.TERM, Long.toString(term));
    String attempt = labels.get(ObjectLabels.ATTEMPT);
    return Isolation.gang(
        new ObjectMetaBuilder()
            .withName(name)
            .withNamespace(member.getMetadata().getNamespace())
            .withLabels(labels)
            .withOwnerReferences(member.getMetadata().getOwnerReferences())
            .build(),
        Map.of(ObjectLabels.ATTEMPT, attempt));
  }
}
