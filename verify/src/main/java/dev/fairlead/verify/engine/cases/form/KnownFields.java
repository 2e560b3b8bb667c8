package dev.fairlead.verify.engine.cases.form;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Fields of cases that the harness handles, or that describe no fact, each inside the object where
 * it is handled. A case with any other field may depend on it, so its result would be meaningless.
 */
public final class KnownFields {
  private static final String CASE = "case";

  /** Fields by the field that contains them. */
  public static final Map<String, Set<String>> INSIDE =
      byContainer(
          """
          case: cluster evaluation expect extra_request family id jobs policy_note portable
            preemption_oracle probe queues schema settings source summary tags total usage
          allowed_namespaces: matchExpressions matchLabels
          cluster: device_claims flavors limit_ranges namespaces node_filter nodes other_pods
            topologies
          device_claims: count name namespace
          domains: count path
          evaluation: cycles mode pause_between_rounds phase rounds_stable rounds_until_match
          existing: failed_nodes gang_min name namespace preemptible priority queue state tasks
          extra_request: amount flavor queue resource
          fair_sharing: enabled strategies
          flavor_groups: flavors resources
          flavor_search: prefer when_borrowing_fits when_preemption_fits
          flavors: name node_labels taints tolerations topology
          initial: local_queue usage
          jobs: admitted_ago_s admitted_in age_s being_deleted being_evicted failed_nodes
            gang_min inactive local_queue name namespace preemptible priority queue released_tasks
            resize_of started_ago_s state sub_groups tasks uid waiting_for_checks
          local_queues: name queue weight
          matchExpressions: key operator values
          nodeSelectorTerms: matchExpressions
          node_affinity: preferredDuringSchedulingIgnoredDuringExecution
            requiredDuringSchedulingIgnoredDuringExecution
          nodes: allocatable cordoned cpu gpu_memory_mib gpus labels max_tasks memory mig_mode
            mig_slots name physical_gpus ready taints
          other_pods: name node phase requests
          placement: cpu domains gpu levels
          preemption: reclaim_in_tree while_borrowing within_queue
          preemption_oracle: borrow_height_after flavor possible resource
          preference: matchExpressions
          preferredDuringSchedulingIgnoredDuringExecution: preference weight
          previous_placement: domains levels
          probe: existing flavors job queue replaces tasks
          queues: allowed_namespaces created_order external_checks fair_weight flavor_groups
            flavor_search kind name order parent preemption priority quotas resources stopped
            usage_based_order
          quotas: borrow_limit flavor lend_limit limit nominal over_quota_weight resource
          requiredDuringSchedulingIgnoredDuringExecution: nodeSelectorTerms
          settings: fair_sharing placement source_config_changed source_switches usage_history
          slice_layers: level size
          sub_groups: kind min_tasks name parent topology
          taints: effect key value
          tasks: admitted_count allowed_nodes co_place_group count delayed_placement
            device_claims flavors gpu_devices gpu_fraction gpu_memory_mib gpu_slots group
            legacy_mig mig min_count name node node_affinity node_selector placement
            previous_placement released requests state tolerations topology usage
          tolerations: effect key operator value
          topologies: levels name
          topology: anywhere co_place_group implied preferred_level required_level slice_layers
            slice_level slice_size topology
          usage: amount flavor queue resource
          usage_history: half_life_s initial local_queues sampling_s
          while_borrowing: max_victim_priority policy
          """);

  /** Objects whose keys are names of the case, such as labels and resources. */
  private static final Set<String> MAPS =
      words(
          """
          allocatable extra_request fair_share flavors labels matchLabels mig mig_slots
          namespaces node_filter node_labels node_selector requests requests_per_task
          resources source_switches total usage
          """);

  /** The expectation and the origin of the case, which are not facts. */
  private static final Set<String> NO_FACTS = Set.of("expect", "source");

  private KnownFields() {}

  private static Set<String> words(String text) {
    return new TreeSet<>(Pattern.compile("\\s+").splitAsStream(text.strip()).toList());
  }

  /** Reads lines {@code container: field field}. An indented line continues the previous line. */
  private static Map<String, Set<String>> byContainer(String text) {
    Map<String, Set<String>> all = new TreeMap<>();
    for (String line : text.replace("\n  ", " ").strip().lines().toList()) {
      int colon = line.indexOf(':');
      all.put(line.substring(0, colon), words(line.substring(colon + 1)));
    }
    Set<String> job = all.getOrDefault("jobs", Set.of());
    all.put("job", job); // a case names the job of its probe, and the replaced job, like any other
    all.put("replaces", job);
    return all;
  }

  /** The first field of the case that the harness does not know. Its path has no list index. */
  public static Optional<String> unknown(Value scenario) {
    return inside("", CASE, scenario);
  }

  private static Optional<String> field(String path, String container, String name, Value value) {
    if (!INSIDE.getOrDefault(container, Set.of()).contains(name)) {
      return Optional.of(path);
    }
    boolean names = MAPS.contains(name) && !value.isList();
    return names || NO_FACTS.contains(name) ? Optional.empty() : inside(path, name, value);
  }

  private static Optional<String> inside(String path, String container, Value value) {
    if (value.isList()) {
      return value.list().stream()
          .flatMap(element -> inside(path, container, element).stream())
          .findFirst();
    }
    return !value.isObject()
        ? Optional.empty()
        : value.fields().entrySet().stream()
            .flatMap(each ->
                field(
                    path.isEmpty() ? each.getKey() : path + "." + each.getKey(),
                    container,
                    each.getKey(),
                    each.getValue())
                    .stream())
            .findFirst();
  }
}
