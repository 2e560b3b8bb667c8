package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.connection.ClusterRight;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.cluster.connection.PodGroupApi;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Cluster-level features, refreshed every few minutes. A feature that the cluster does not report
 * is treated as missing.
 */
public final class ClusterOfferings {
  private static final long KEPT_NANOS = Duration.ofMinutes(5).toNanos();
  private static final long MOST = 500;
  private static final String RIGHTS = "rights";

  /** Agents of network plugins that enforce network policies, by their label {@code k8s-app}. */
  private static final String[] ENFORCING = {
    "antrea", "azure-npm", "calico-node", "canal", "cilium", "kube-router", "weave-net"
  };

  private final ClusterCalls calls;
  private final PodDevices form;
  private final @Nullable PodGroupApi podGroups;
  private final PodGroupProbe groups;
  private final LongSupplier nanoTime;
  private volatile Findings findings = Findings.NONE;
  private volatile boolean doubted;
  private long askedAt;

  public ClusterOfferings(ClusterCalls calls, ClusterSettings settings, LongSupplier nanoTime) {
    this.calls = calls;
    this.nanoTime = nanoTime;
    form = settings.devices();
    podGroups = settings.backend().podGroups();
    groups = new PodGroupProbe(calls, podGroups, nanoTime);
  }

  /**
   * The detected features.
   *
   * @param asked whether the cluster was queried
   * @param claims whether pods claim GPUs and the cluster has their device class
   * @param reasons why a feature is missing, by its name in the capabilities
   * @param rightsAsked the list of rights that was checked, null while unknown
   */
  @RecordBuilder
  public record Findings(
      boolean asked,
      boolean priorityClasses,
      List<String> storageClasses,
      List<String> deviceClasses,
      boolean claims,
      boolean networkPolicy,
      SortedMap<String, String> reasons,
      @Nullable String rightsAsked) {
    Findings rights(SortedMap<String, String> others, boolean known) {
      return ClusterOfferingsFindingsBuilder.builder(this)
          .reasons(others)
          .rightsAsked(known ? ClusterRight.LIST : rightsAsked)
          .build();
    }

    /** Returns the findings for a cluster with GPUs that Fairlead cannot see. */
    public Findings withoutDra(String why) {
      SortedMap<String, String> all = new TreeMap<>(reasons);
      all.merge(
          "dra",
          "Fairlead cannot see the GPUs of its nodes: " + why,
          (before, now) -> before.replaceFirst("[.]$", "") + ". " + now);
      return rights(all, false);
    }

    /** Returns the findings for a cluster on which other users can get quarantined GPUs. */
    public Findings withoutTaints(String why) {
      SortedMap<String, String> all = new TreeMap<>(reasons);
      all.put(Capabilities.DEVICE_TAINTS, "Fairlead cannot taint quarantined GPUs: " + why);
      return rights(all, false);
    }

    /** Returns the findings for a cluster that cannot start jobs with these PodGroups. */
    Findings withoutGroups(PodGroupApi of, String why) {
      SortedMap<String, String> all = new TreeMap<>(reasons);
      all.put(Capabilities.podGroups(of.name()), why);
      return rights(all, false);
    }

    public static final Findings NONE =
        ClusterOfferingsFindingsBuilder.builder()
            .asked(false)
            .priorityClasses(false)
            .storageClasses(List.of())
            .deviceClasses(List.of())
            .claims(false)
            .networkPolicy(false)
            .reasons(Collections.emptySortedMap())
            .rightsAsked(null)
            .build();
  }

  public Findings findings() {
    String missing = groups.trouble();
    return missing == null || podGroups == null
        ? findings
        : findings.withoutGroups(podGroups, missing);
  }

  /**
   * Returns the name of a priority class on a cluster. {@code deploy/cluster.yaml} creates them.
   */
  public static String priorityClass(PriorityClass of) {
    return "fairlead-" + of.wire();
  }

  /** Requests a refresh in the next pass, because an existing object is missing. */
  public void doubt() {
    doubted = true;
  }

  /** Refreshes the features if it is time to. */
  public void refresh(KubernetesClient client) {
    groups.refresh(client);
    if (findings.asked() && !doubted && nanoTime.getAsLong() - askedAt < KEPT_NANOS) {
      return;
    }
    doubted = false;
    askedAt = nanoTime.getAsLong();
    SortedMap<String, String> reasons = new TreeMap<>();
    boolean priorities = priorities(client, reasons);
    List<String> storage =
        names(
            "storageClasses",
            "it has no storage class",
            reasons,
            () -> client.storage().v1().storageClasses().list(some()).getItems());
    List<String> devices =
        names(
            "dra",
            "it has no device class",
            reasons,
            () -> client.resources(DeviceClass.class).list(some()).getItems());
    List<String> agents =
        names(
            "networkPolicy",
            "no agent of a network plugin that is known to enforce network policies was found",
            reasons,
            () ->
                client
                    .pods()
                    .inAnyNamespace()
                    .withLabelIn("k8s-app", ENFORCING)
                    .list(some())
                    .getItems());
    String before = findings.reasons().get(RIGHTS); // 30 more queries, skipped in the first pass
    if (before != null || !findings.asked()) {
      reasons.put(RIGHTS, before == null ? Rights.NOT_KNOWN + "not asked yet" : before);
    }
    Findings found =
        ClusterOfferingsFindingsBuilder.builder()
            .asked(true)
            .priorityClasses(priorities)
            .storageClasses(storage)
            .deviceClasses(devices)
            .claims(claims(devices, reasons))
            .networkPolicy(!agents.isEmpty())
            .reasons(new TreeMap<>(reasons))
            .rightsAsked(findings.rightsAsked())
            .build();
    findings = found;
    reasons.remove(RIGHTS);
    Optional<String> lacking = Rights.lacking(client, calls);
    lacking.ifPresent(why -> reasons.put(RIGHTS, why));
    Rights.toLabelNodes(client, calls).ifPresent(why -> reasons.put("nodeLabelsAndTaints", why));
    Rights.toReach(client, calls).ifPresent(why -> reasons.put("volumes", why));
    findings =
        found.rights(reasons, lacking.filter(why -> why.startsWith(Rights.NOT_KNOWN)).isEmpty());
  }

  /** Returns whether pods can claim their GPUs, with the reason if they should. */
  private boolean claims(List<String> classes, SortedMap<String, String> reasons) {
    for (String each : form.classes()) {
      if (!classes.contains(each)) {
        reasons.merge(
            "dra",
            "there is no device class %s. Install the DRA driver of the GPUs (Kubernetes 1.34 or later), or change devices of the cluster."
                .formatted(each),
            (before, now) -> before + ". " + now);
      }
    }
    return form.claims() && classes.contains(form.requiredClass());
  }

  private boolean priorities(KubernetesClient client, SortedMap<String, String> reasons) {
    List<String> there =
        names(
            "priorityClasses",
            "it has no priority class",
            reasons,
            () -> client.scheduling().v1().priorityClasses().list(some()).getItems());
    List<String> missing =
        Arrays.stream(PriorityClass.values())
            .map(ClusterOfferings::priorityClass)
            .filter(name -> !there.contains(name))
            .toList();
    if (!missing.isEmpty()) {
      reasons.putIfAbsent(
          "priorityClasses",
          "there is no " + String.join(", ", missing) + ". Apply deploy/cluster.yaml.");
    }
    return missing.isEmpty();
  }

  /**
   * Returns the sorted names. Empty, with the reason, if the cluster has none or does not respond.
   */
  private List<String> names(
      String what,
      String none,
      SortedMap<String, String> reasons,
      Callable<? extends List<? extends HasMetadata>> list) {
    try {
      List<String> names =
          calls.read(list).stream().map(o -> o.getMetadata().getName()).sorted().toList();
      if (names.isEmpty()) {
        reasons.put(what, none);
      }
      return names;
    } catch (CallFailure failure) {
      reasons.put(what, "not known: " + failure.getMessage());
      return List.of();
    }
  }

  private static ListOptions some() {
    return new ListOptionsBuilder().withLimit(MOST).build();
  }
}
