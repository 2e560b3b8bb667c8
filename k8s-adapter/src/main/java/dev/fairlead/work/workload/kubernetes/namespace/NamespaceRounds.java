package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.spec.RayPoolJob;
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
 * Restores the objects that take calls per namespace: its service account, and the policies of its
 * running gangs. Each pass covers some namespaces, and the next one continues after them. Not
 * thread-safe.
 */
final class NamespaceRounds {
  /**
   * Number of namespaces in a pass: at most about 300 calls in five minutes. Idle namespaces take
   * two calls.
   */
  static final int AT_ONCE = 100;

  /**
   * Additional namespaces with trouble in a pass, so that a repaired one is soon reported as
   * healthy.
   */
  private static final int AGAIN = 50;

  /** A pass ends after the namespace with which it has seen this many members of gangs. */
  private static final int MOST_MEMBERS = 5_000;

  /** Number of unanswered calls after which a pass ends, because the cluster may be unreachable. */
  private static final int MOST_UNANSWERED = 3;

  private final Installation installation;
  private final ClusterCalls calls;
  private final Namespaces namespaces;
  private final NamespaceIsolation isolation;
  private String after = "";

  /** Counters of the current pass. */
  private int members;

  private int unanswered;

  NamespaceRounds(
      Installation installation,
      ClusterCalls calls,
      Namespaces namespaces,
      NamespaceIsolation isolation) {
    this.installation = installation;
    this.calls = calls;
    this.namespaces = namespaces;
    this.isolation = isolation;
  }

  /**
   * Checks the next namespaces. A failure in one is recorded for that namespace only.
   *
   * @param names names of all of Fairlead's namespaces
   * @param epoch under which this process acts
   */
  void look(KubernetesClient client, List<String> names, long epoch) {
    members = 0;
    unanswered = 0;
    List<String> next = next(names);
    for (String name : next) {
      after = enough() ? after : name;
      look(client, name, epoch);
    }
    SortedSet<String> all = new TreeSet<>(names);
    isolation.troubled().stream()
        .filter(name -> all.contains(name) && !next.contains(name))
        .limit(AGAIN)
        .forEach(name -> look(client, name, epoch));
  }

  private boolean enough() {
    return members >= MOST_MEMBERS || unanswered >= MOST_UNANSWERED;
  }

  private void look(KubernetesClient client, String name, long epoch) {
    if (enough()) {
      return;
    }
    String account = tried(() -> namespaces.keepAccount(client, name));
    isolation.tell(Namespaces.ACCOUNT, name, account);
    if (!isolation.refused()) {
      isolation.tell(NamespaceIsolation.GANGS, name, tried(() -> closeGangs(client, name, epoch)));
    }
  }

  private @Nullable String closeGangs(KubernetesClient client, String name, long epoch) {
    Map<String, Pod> running = running(client, name);
    isolation.running(name, running.keySet());
    return running.isEmpty() ? null : close(client, name, running, epoch);
  }

  /**
   * @return why it was not possible
   */
  private @Nullable String tried(Supplier<@Nullable String> look) {
    try {
      return look.get();
    } catch (CallFailure failure) {
      unanswered += failure.effect() == CallFailure.Effect.REFUSED ? 0 : 1;
      return NamespaceIsolation.why(failure);
    }
  }

  private List<String> next(List<String> names) {
    NavigableSet<String> sorted = new TreeSet<>(names);
    List<String> round = new ArrayList<>(sorted.tailSet(after, false));
    round.addAll(sorted.headSet(after, true));
    return round.subList(0, Math.min(AT_ONCE, round.size()));
  }

  /** Returns one member of each gang that has not ended, by the name of the gang's policy. */
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
      KubernetesClient client, String namespace, Map<String, Pod> gangs, long epoch) {
    var ours =
        client
            .network()
            .v1()
            .networkPolicies()
            .inNamespace(namespace)
            .withLabel(ObjectLabels.INSTALLATION, installation.label())
            .withLabel(ObjectLabels.ATTEMPT);
    Map<String, NetworkPolicy> there =
        isolation.policies(ours::list).stream()
            .collect(Collectors.toMap(p -> p.getMetadata().getName(), Function.identity()));
    String why = null;
    for (Map.Entry<String, Pod> gang : gangs.entrySet()) {
      NetworkPolicy wanted = wanted(gang.getKey(), gang.getValue(), epoch);
      String failed = isolation.close(client, there.get(gang.getKey()), wanted);
      if (NamespaceIsolation.NO_RIGHT.equals(failed)) {
        return failed;
      }
      if (failed != null) {
        isolation.gangOpen(wanted, failed);
        why = NamespaceIsolation.OPEN;
      }
    }
    return why;
  }

  /**
   * Returns the policy of the launch. It is removed together with the anchor that owns the gang's
   * members.
   */
  private static NetworkPolicy wanted(String name, Pod member, long epoch) {
    SortedMap<String, String> labels = new TreeMap<>(member.getMetadata().getLabels());
    labels.keySet().retainAll(ObjectLabels.OF_ATTEMPT);
    labels.put(ObjectLabels.EPOCH, Long.toString(epoch));
    String attempt = labels.get(ObjectLabels.ATTEMPT);
    return Isolation.gang(
        new ObjectMetaBuilder()
            .withName(name)
            .withNamespace(member.getMetadata().getNamespace())
            .withLabels(labels)
            .withOwnerReferences(member.getMetadata().getOwnerReferences())
            .build(),
        Map.of(ObjectLabels.ATTEMPT, attempt),
        member.getMetadata().getLabels().get(RayPoolJob.CLUSTER));
  }
}
