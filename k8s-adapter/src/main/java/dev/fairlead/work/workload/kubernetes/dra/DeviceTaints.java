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
import io.fabric8.kubernetes.api.model.ListOptions;
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
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Taints quarantined GPUs by one DeviceTaintRule for each device, so that kube-scheduler assigns
 * them to no foreign pod
 * (https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation). Reads all
 * rules every half a minute.
 */
public final class DeviceTaints {
  private static final String MISSING =
      "the cluster serves no DeviceTaintRules (in Kubernetes 1.36: resource.k8s.io/v1beta2 and the feature gate DRADeviceTaintRules)";

  private static final long READ_NANOS = Duration.ofSeconds(30).toNanos();
  private static final long FOUND_NANOS = Duration.ofMinutes(5).toNanos();
  private static final long PAGE = 500;

  /** Includes rules for other drivers, which are read but not stored. */
  private static final int MOST_PAGES = 100;

  private static final String GROUP = "resource.k8s.io";
  private static final String PLURAL = "devicetaintrules";
  private static final String KIND = "DeviceTaintRule";
  private static final List<String> VERSIONS = List.of("v1", "v1beta2", "v1alpha3");
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  private final String installation;
  private final String driver;
  private final SliceInventory gpus;
  private final TaintPlan plan;
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
    this.plan = new TaintPlan(this.installation, gpus, nodes);
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
    SortedMap<String, SeenTaintRule> now = new TreeMap<>();
    String more = null;
    for (int page = 0; page == 0 || more != null; page++) {
      if (page == MOST_PAGES) {
        cannot("it has more than %d DeviceTaintRules".formatted(MOST_PAGES * PAGE));
        return;
      }
      ListOptions options = new ListOptionsBuilder().withLimit(PAGE).withContinue(more).build();
      GenericKubernetesResourceList list = calls.read(() -> rules(client).list(options));
      for (GenericKubernetesResource each : list.getItems()) {
        SeenTaintRule rule = SeenTaintRule.of(each, driver, installation);
        if (rule != null) {
          now.put(rule.name(), rule);
        }
      }
      String token = list.getMetadata() == null ? null : list.getMetadata().getContinue();
      more = token == null || token.isEmpty() ? null : token;
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
   * Taints these GPUs of the node and no others, as {@link TaintPlan}.
   *
   * @param wanted values of the taints by UUID
   * @return why the cluster refused a rule, null if it did not, or if permissions are missing
   * @throws CallFailure if a call is not answered
   */
  public synchronized @Nullable String set(
      KubernetesClient client, ClusterCalls calls, String node, SortedMap<String, String> wanted) {
    if (trouble != null) {
      return null;
    }
    SortedMap<String, SeenTaintRule> now = new TreeMap<>(seen);
    try {
      write(client, calls, plan.due(seen, node, wanted), now);
      show(now);
    } catch (CallFailure failure) {
      if (failure.code() != HttpURLConnection.HTTP_FORBIDDEN) {
        show(now);
        next = nanoTime.getAsLong(); // the rules may differ from those that were read
        return refused(failure);
      }
      now.values().removeIf(rule -> rule.own() != null);
      cannot(NextStep.of(failure), now);
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

  /**
   * @param now the rules, changed with each write
   */
  private void write(
      KubernetesClient client,
      ClusterCalls calls,
      List<TaintPlan.Step> steps,
      SortedMap<String, SeenTaintRule> now) {
    for (TaintPlan.Step step : steps) {
      String name = step.name();
      SeenTaintRule rule = step.rule();
      if (rule == null) {
        calls.write(() -> rules(client).withName(name).delete());
        now.remove(name);
        continue;
      }
      GenericKubernetesResource made = resource(rule);
      if (now.containsKey(name)) {
        calls.write(() -> rules(client).withName(name).patch(MERGE, Serialization.asJson(made)));
      } else {
        calls.write(() -> rules(client).resource(made).create());
      }
      now.put(name, rule);
    }
  }

  private GenericKubernetesResource resource(SeenTaintRule rule) {
    SeenTaintRule.Own own = Objects.requireNonNull(rule.own());
    return new GenericKubernetesResourceBuilder()
        .withApiVersion(GROUP + "/" + version)
        .withKind(KIND)
        .withNewMetadata()
        .withName(rule.name())
        .addToLabels(ObjectLabels.INSTALLATION, installation)
        .addToLabels(ObjectLabels.MANAGED_BY, ObjectLabels.FAIRLEAD)
        .addToAnnotations(SeenTaintRule.GPU, own.gpu())
        .addToAnnotations(SeenTaintRule.NODE, own.node())
        .endMetadata()
        .addToAdditionalProperties(
            "spec",
            Map.of(
                "deviceSelector",
                Map.of(
                    "driver",
                    driver,
                    "pool",
                    Objects.requireNonNull(rule.pool()),
                    "device",
                    Objects.requireNonNull(rule.device())),
                "taint",
                Map.of(
                    "key", NodeLabelsAndTaints.QUARANTINE,
                    "value", rule.value(),
                    "effect", NodeLabelsAndTaints.EFFECT)))
        .build();
  }
}
