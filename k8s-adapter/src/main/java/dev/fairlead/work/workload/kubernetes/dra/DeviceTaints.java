package dev.fairlead.work.workload.kubernetes.dra;

import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.NextStep;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Taints quarantined GPUs by one DeviceTaintRule each, so that kube-scheduler gives them to no pod
 * of others (https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation).
 * Reads all rules every half a minute.
 */
public final class DeviceTaints {
  private static final String MISSING =
      "the cluster serves no DeviceTaintRules (in Kubernetes 1.36: resource.k8s.io/v1beta2 and the feature gate DRADeviceTaintRules)";

  private static final long READ_NANOS = Duration.ofSeconds(30).toNanos();
  private static final long FOUND_NANOS = Duration.ofMinutes(5).toNanos();
  private static final long MOST = 2_000;
  private static final String GROUP = "resource.k8s.io";
  private static final String PLURAL = "devicetaintrules";
  private static final String KIND = "DeviceTaintRule";
  private static final List<String> VERSIONS = List.of("v1", "v1beta2", "v1alpha3");
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  private final String installation;
  private final String driver;
  private final SliceInventory gpus;
  private final Predicate<String> nodes;
  private final Consumer<SliceInventory.Change> changed;
  private final LongSupplier nanoTime;
  private final SortedMap<String, SeenTaintRule> seen = new TreeMap<>();
  private volatile @Nullable String trouble = "its DeviceTaintRules have not been read yet";
  private @Nullable String version;
  private long next;

  /**
   * @param nodes whether the cluster has a node
   * @param changed is called after each change of a rule
   */
  public DeviceTaints(
      Installation installation,
      String driver,
      SliceInventory gpus,
      Predicate<String> nodes,
      Consumer<SliceInventory.Change> changed,
      LongSupplier nanoTime) {
    this.installation = installation.label();
    this.driver = driver;
    this.gpus = gpus;
    this.nodes = nodes;
    this.changed = changed;
    this.nanoTime = nanoTime;
    this.next = nanoTime.getAsLong();
  }

  /** Returns why GPUs cannot be tainted, null if they can. */
  public @Nullable String trouble() {
    return trouble;
  }

  /** Reads the rules if it is time to. */
  public synchronized void refresh(KubernetesClient client, ClusterCalls calls) {
    if (nanoTime.getAsLong() - next < 0) {
      return;
    }
    next = nanoTime.getAsLong() + READ_NANOS;
    try {
      if (version == null) {
        version = served(client, calls);
      }
      if (version != null) {
        read(client, calls);
        return;
      }
      cannot(MISSING);
    } catch (CallFailure failure) {
      if (failure.code() == HttpURLConnection.HTTP_FORBIDDEN) {
        cannot(NextStep.of(failure));
      } else if (failure.notFound()) {
        version = null;
      }
    }
  }

  private void cannot(String why) {
    cannot(why, new TreeMap<>());
  }

  private void cannot(String why, SortedMap<String, SeenTaintRule> shown) {
    next = nanoTime.getAsLong() + FOUND_NANOS;
    trouble = why;
    show(shown);
  }

  private static @Nullable String served(KubernetesClient client, ClusterCalls calls) {
    for (String each : VERSIONS) {
      if (serves(client, calls, each)) {
        return each;
      }
    }
    return null;
  }

  private static boolean serves(KubernetesClient client, ClusterCalls calls, String version) {
    try {
      APIResourceList found = calls.read(() -> client.getApiResources(GROUP + "/" + version));
      return found != null
          && found.getResources().stream().anyMatch(kind -> PLURAL.equals(kind.getName()));
    } catch (CallFailure failure) {
      if (failure.notFound()) {
        return false;
      }
      throw failure;
    }
  }

  private MixedOperation<
          GenericKubernetesResource,
          GenericKubernetesResourceList,
          Resource<GenericKubernetesResource>>
      rules(KubernetesClient client) {
    return client.genericKubernetesResources(
        new ResourceDefinitionContext.Builder()
            .withGroup(GROUP)
            .withVersion(version)
            .withPlural(PLURAL)
            .withKind(KIND)
            .withNamespaced(false)
            .build());
  }

  private void read(KubernetesClient client, ClusterCalls calls) {
    GenericKubernetesResourceList list =
        calls.read(() -> rules(client).list(new ListOptionsBuilder().withLimit(MOST).build()));
    String more = list.getMetadata() == null ? null : list.getMetadata().getContinue();
    if (more != null && !more.isEmpty()) {
      cannot("it has more than %d DeviceTaintRules".formatted(MOST));
      return;
    }
    SortedMap<String, SeenTaintRule> now = new TreeMap<>();
    for (GenericKubernetesResource each : list.getItems()) {
      SeenTaintRule rule = SeenTaintRule.of(each, driver, installation);
      if (rule != null) {
        now.put(rule.name(), rule);
      }
    }
    trouble = null;
    show(now);
  }

  private void show(SortedMap<String, SeenTaintRule> now) {
    TreeSet<String> names = new TreeSet<>(seen.keySet());
    names.addAll(now.keySet());
    for (String name : names) {
      SeenTaintRule before = seen.get(name);
      SeenTaintRule rule = now.get(name);
      if (before == null || !before.equals(rule)) {
        changed.accept(gpus.rule(before, rule));
      }
    }
    seen.clear();
    seen.putAll(now);
  }

  /**
   * Taints these GPUs of the node and no others. A GPU that is not published retains its taint,
   * unless its device is another GPU now. Rules of nodes that no longer exist are removed.
   *
   * @param wanted values of the taints by UUID
   * @return why the cluster refused a rule, null if it did not, or if permissions are missing
   * @throws CallFailure if a call is not answered
   */
  public synchronized @Nullable String set(
      KubernetesClient client, ClusterCalls calls, String node, SortedMap<String, String> wanted) {
    if (trouble != null || gpus.taints(node).equals(wanted)) {
      return null;
    }
    try {
      read(client, calls);
      write(client, calls, node, wanted);
      read(client, calls);
    } catch (CallFailure failure) {
      if (failure.code() != HttpURLConnection.HTTP_FORBIDDEN) {
        return refused(failure);
      }
      SortedMap<String, SeenTaintRule> others = new TreeMap<>(seen);
      others.values().removeIf(rule -> rule.own() != null);
      cannot(NextStep.of(failure), others);
    }
    return null;
  }

  private static String refused(CallFailure failure) {
    if (failure.effect() != CallFailure.Effect.REFUSED
        || failure.conflict()
        || failure.notFound()) {
      throw failure;
    }
    return "a taint of a GPU is refused: " + failure.getMessage();
  }

  private boolean stale(SeenTaintRule.Own own, String node, SortedMap<String, String> wanted) {
    return own.node().equals(node)
        ? !wanted.containsKey(own.gpu()) || gpus.device(node, own.gpu()) == null && misplaced(own)
        : !nodes.test(own.node());
  }

  private boolean misplaced(SeenTaintRule.Own own) {
    return "".equals(gpus.taints(own.node()).get(own.gpu()));
  }

  private void write(
      KubernetesClient client, ClusterCalls calls, String node, SortedMap<String, String> wanted) {
    for (SeenTaintRule rule : List.copyOf(seen.values())) {
      SeenTaintRule.Own own = rule.own();
      if (own != null && stale(own, node, wanted)) {
        calls.write(() -> rules(client).withName(rule.name()).delete());
      }
    }
    wanted.forEach((gpu, value) -> {
      DeviceRef ref = gpus.device(node, gpu);
      if (ref != null) {
        GenericKubernetesResource rule = rule(gpu, node, ref, value);
        String name = rule.getMetadata().getName();
        SeenTaintRule before = seen.get(name);
        if (before == null) {
          calls.write(() -> rules(client).resource(rule).create());
        } else if (!before.equals(SeenTaintRule.of(rule, driver, installation))) {
          calls.write(() -> rules(client).withName(name).patch(MERGE, Serialization.asJson(rule)));
        }
      }
    });
  }

  private GenericKubernetesResource rule(String gpu, String node, DeviceRef ref, String value) {
    return new GenericKubernetesResourceBuilder()
        .withApiVersion(GROUP + "/" + version)
        .withKind(KIND)
        .withNewMetadata()
        .withName("fairlead-" + installation + "-" + gpu.toLowerCase(Locale.ROOT))
        .addToLabels(ObjectLabels.INSTALLATION, installation)
        .addToAnnotations(SeenTaintRule.GPU, gpu)
        .addToAnnotations(SeenTaintRule.NODE, node)
        .endMetadata()
        .addToAdditionalProperties(
            "spec",
            Map.of(
                "deviceSelector",
                Map.of("driver", driver, "pool", ref.pool(), "device", ref.device()),
                "taint",
                Map.of(
                    "key", NodeLabelsAndTaints.QUARANTINE,
                    "value", value,
                    "effect", NodeLabelsAndTaints.EFFECT)))
        .build();
  }
}
