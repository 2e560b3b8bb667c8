package dev.fairlead.workload.kubernetes.namespace;

import dev.fairlead.workload.kubernetes.call.ByName;
import dev.fairlead.workload.kubernetes.call.CallFailure;
import dev.fairlead.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceCondition;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes namespaces of archived tenants in which nothing lives. One with a pod waits, since a pod
 * that is deleted with its namespace is no proof of its end; one with a volume claim stays, since
 * the data is not Fairlead's to throw away. What stands in the way is told by name.
 */
final class NamespaceRemovals {
  private static final Logger LOG = LoggerFactory.getLogger(NamespaceRemovals.class);

  /** Namespaces of a turn, a few calls each. */
  private static final int AT_ONCE = 20;

  /** Longer than that, something holds the namespace: it is named. */
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private static final int MOST_NAMED = 3;
  private static final ListOptions ONE = new ListOptionsBuilder().withLimit(1L).build();

  private final ClusterCalls calls;
  private final Namespaces namespaces;
  private final InstantSource clock;
  private SortedMap<String, String> held = new TreeMap<>();
  private String after = "";

  NamespaceRemovals(ClusterCalls calls, Namespaces namespaces, InstantSource clock) {
    this.calls = calls;
    this.namespaces = namespaces;
    this.clock = clock;
  }

  /**
   * Removes what can be removed. What fails in one namespace is the trouble of that one.
   *
   * @param abandoned names of namespaces that are needed no more, those that are gone too
   */
  synchronized void look(KubernetesClient client, List<String> abandoned) {
    SortedMap<String, String> found = new TreeMap<>(held);
    found.keySet().retainAll(abandoned);
    for (String name : next(abandoned)) {
      after = name;
      String why = tried(client, name);
      if (why == null) {
        found.remove(name);
      } else if (!why.equals(found.put(name, why))) {
        LOG.warn("namespace {} of an archived tenant is not removed: {}", name, why);
      }
    }
    held = found;
  }

  /** Each in turn: a look goes on behind the one at which the last look ended. */
  private List<String> next(List<String> abandoned) {
    return Stream.concat(
            abandoned.stream().sorted().filter(name -> name.compareTo(after) > 0),
            abandoned.stream().sorted().filter(name -> name.compareTo(after) <= 0))
        .limit(AT_ONCE)
        .toList();
  }

  /** Which namespaces are held, and by what; empty when none is. */
  synchronized String held() {
    String named =
        held.entrySet().stream()
            .limit(MOST_NAMED)
            .map(each -> each.getKey() + ": " + each.getValue())
            .collect(Collectors.joining("; "));
    int more = held.size() - MOST_NAMED;
    return more > 0 ? named + "; and " + more + " more" : named;
  }

  private @Nullable String tried(KubernetesClient client, String name) {
    try {
      return removed(client, name);
    } catch (CallFailure failure) {
      return failure.missingRight()
          ? "Fairlead may not remove namespaces here; apply deploy/cluster-removal.yaml, or remove"
              + " it: kubectl delete namespace "
              + name
          : String.valueOf(failure.getMessage());
    }
  }

  /**
   * @return what holds it; null when it is gone, or on its way for less than {@link #LONGEST}
   */
  private @Nullable String removed(KubernetesClient client, String name) {
    Namespace there = calls.read(() -> ByName.find(client.namespaces().withName(name)));
    if (there == null || !namespaces.owns(there)) {
      return null;
    }
    String deleted = there.getMetadata().getDeletionTimestamp();
    if (deleted != null) {
      boolean late = Instant.parse(deleted).plus(LONGEST).isBefore(clock.instant());
      return late ? remaining(there) : null;
    }
    String lives = lives(client, name);
    if (lives == null) {
      delete(client, there);
    }
    return lives;
  }

  private @Nullable String lives(KubernetesClient client, String name) {
    if (!calls.read(() -> client.pods().inNamespace(name).list(ONE)).getItems().isEmpty()) {
      return "it has pods";
    }
    var claims = client.persistentVolumeClaims().inNamespace(name);
    return calls.read(() -> claims.list(ONE)).getItems().isEmpty()
        ? null
        : "it has volume claims, whose data would go with it; delete them, or keep it";
  }

  /** That very one, as it was seen: what took its name or changed since stays. */
  private void delete(KubernetesClient client, Namespace there) {
    DeleteOptions options =
        new DeleteOptionsBuilder()
            .withPropagationPolicy("Background")
            .withNewPreconditions(
                there.getMetadata().getResourceVersion(), there.getMetadata().getUid())
            .build();
    String name = there.getMetadata().getName();
    try {
      calls.write(() -> client.raw("/api/v1/namespaces/" + name, "DELETE", options));
      LOG.info("namespace {} of an archived tenant is removed: nothing lives in it", name);
    } catch (CallFailure failure) {
      if (!failure.notFound() && !failure.conflict()) {
        throw failure;
      }
    }
  }

  /** What the namespace controller says of it: kinds and finalizers. */
  private static String remaining(Namespace there) {
    List<NamespaceCondition> said =
        there.getStatus() == null ? List.of() : there.getStatus().getConditions();
    String why =
        said.stream()
            .filter(condition -> "True".equals(condition.getStatus()))
            .map(NamespaceCondition::getMessage)
            .collect(Collectors.joining("; "));
    return "it is being removed for more than "
        + LONGEST.toMinutes()
        + " minutes: "
        + (why.isEmpty() ? "its cluster does not say what is left" : why);
  }
}
