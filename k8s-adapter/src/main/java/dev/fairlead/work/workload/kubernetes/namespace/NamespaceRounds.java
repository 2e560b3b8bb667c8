package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.Pages;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
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

  /**
   * Namespaces in trouble that a turn looks at besides, so that one which is well is soon named no
   * more.
   */
  private static final int AGAIN = 50;

  /** A turn ends behind the namespace with which it has seen so many members of gangs. */
  private static final int MOST_MEMBERS = 5_000;

  /** A turn ends with so many calls that the cluster did not answer: it may be away. */
  private static final int MOST_UNANSWERED = 3;

  private final Installation installation;
  private final ClusterCalls calls;
  private final Namespaces namespaces;
  private final NamespaceWalls walls;
  private String after = "";

  /** Of this turn. */
  private int members;

  private int unanswered;

  NamespaceRounds(
      Installation installation, ClusterCalls calls, Namespaces namespaces, NamespaceWalls walls) {
    this.installation = installation;
    this.calls = calls;
    this.namespaces = namespaces;
    this.walls = walls;
  }

  /**
   * Looks at the next namespaces. What fails in one is the trouble of that one.
   *
   * @param names of all of ours
   * @param term under which this process acts
   */
  void look(KubernetesClient client, List<String> names, long term) {
    members = 0;
    unanswered = 0;
    List<String> next = next(names);
    for (String name : next) {
      after = enough() ? after : name;
      look(client, name, term);
    }
    SortedSet<String> all = new TreeSet<>(names);
    walls.troubled().stream()
        .filter(name -> all.contains(name) && !next.contains(name))
        .limit(AGAIN)
        .forEach(name -> look(client, name, term));
  }

  private boolean enough() {
    return members >= MOST_MEMBERS || unanswered >= MOST_UNANSWERED;
  }

  private void look(KubernetesClient client, String name, long term) {
    if (enough()) {
      return;
    }
    String account = tried(() -> namespaces.keepAccount(client, name));
    walls.tell(Namespaces.ACCOUNT, name, account);
    if (!walls.refused()) {
      walls.tell(NamespaceWalls.GANGS, name, tried(() -> closeGangs(client, name, term)));
    }
  }

  private @Nullable String closeGangs(KubernetesClient client, String name, long term) {
    Map<String, Pod> running = running(client, name);
    walls.running(name, running.keySet());
    return running.isEmpty() ? null : close(client, name, running, term);
  }

  /**
   * @return why it was not possible
   */
  private @Nullable String tried(Supplier<@Nullable String> look) {
    try {
      return look.get();
    } catch (CallFailure failure) {
      unanswered += failure.effect() == CallFailure.Effect.REFUSED ? 0 : 1;
      return NamespaceWalls.why(failure);
    }
  }

  private List<String> next(List<String> names) {
    NavigableSet<String> sorted = new TreeSet<>(names);
    List<String> round = new ArrayList<>(sorted.tailSet(after, false));
    round.addAll(sorted.headSet(after, true));
    return round.subList(0, Math.min(AT_ONCE, round.size()));
  }

  /** By the name of its policy, a member of each gang that has not ended. */
  private Map<String, Pod> running(KubernetesClient client, String namespace) {
    SortedMap<String, Pod> found = new TreeMap<>();
    var pods =
        client
            .pods()
            .inNamespace(namespace)
            .withLabel(ObjectLabels.INSTALLATION, installation.label())
            .withLabel(ObjectLabels.NETWORK, ObjectLabels.GANG)
            .withoutField("status.phase", "Succeeded")
            .withoutField("status.phase", "Failed");
    Pages.each(
        calls,
        pods::list,
        pod -> {
          members++;
          ObjectLabels.attempt(pod)
              .filter(attempt -> pod.getMetadata().getDeletionTimestamp() == null)
              .ifPresent(attempt -> found.putIfAbsent(ObjectNames.attempt(attempt), pod));
        });
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
      if (NamespaceWalls.NO_RIGHT.equals(failed)) {
        return failed;
      }
      if (failed != null) {
        walls.gangOpen(wanted, failed);
        why = NamespaceWalls.OPEN;
      }
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
