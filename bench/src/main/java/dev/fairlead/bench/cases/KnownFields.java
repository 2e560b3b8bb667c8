package dev.fairlead.bench.cases;

import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Fields of cases that the harness handles, or that describe no fact. A case with any other field
 * may depend on it, so its result would be meaningless.
 */
final class KnownFields {
  private static final Set<String> NAMES =
      words(
          """
          PartialAdmission admitted admitted_ago_s admitted_count admitted_in age_s
          allowed_namespaces allowed_nodes amount anywhere being_deleted being_evicted
          borrow_height_after borrow_limit cases cluster co_place_group cordoned count cpu
          created_order cycles delayed_placement device_claims domains dominant_resource effect
          enabled evaluation existing expect external_checks failed_nodes fair_sharing
          fair_weight family flavor flavor_groups flavor_search gang_min gpu gpu_devices
          gpu_fraction gpu_memory_mib gpu_slots gpus group half_life_s id implied inactive
          infinite initial job jobs key kind legacy_mig lend_limit level levels limit
          limit_ranges local_queue local_queues matchExpressions max_tasks max_victim_priority
          memory mig_mode min_count min_tasks mode name namespace node nodeSelectorTerms
          node_affinity nodes nominal operator order other_pods over_quota_weight parent path
          pause_between_rounds phase physical_gpus placeable placement policy policy_note
          portable possible preempted preemptible preemption preemption_oracle prefer preference
          preferredDuringSchedulingIgnoredDuringExecution preferred_level previous_placement
          priority probe queue queues quota quotas ready reason reclaim_in_tree released
          replaces request requiredDuringSchedulingIgnoredDuringExecution required_level
          resize_of resource rounds_stable rounds_until_match sampling_s schema settings
          share_permille size slice_layers slice_level slice_size source source_config_changed
          started_ago_s state stopped strategies sub_groups summary tags taints tasks tolerations
          topologies topology uid usage_based_order usage_history value values
          waiting_for_checks weight when_borrowing_fits when_preemption_fits while_borrowing
          within_queue
          """);

  /** Objects whose keys are names of the case, such as labels and resources. */
  private static final Set<String> MAPS =
      words(
          """
          allocatable extra_request fair_share flavors labels matchLabels mig mig_slots
          namespaces node_filter node_labels node_selector released_tasks requests
          requests_per_task resources shares source_switches total usage
          """);

  /** The expectation and the origin of the case, which are no facts. */
  private static final Set<String> NO_FACTS = Set.of("expect", "source");

  private KnownFields() {}

  private static Set<String> words(String text) {
    return new TreeSet<>(Set.of(text.strip().split("\\s+")));
  }

  static boolean has(String name) {
    return NAMES.contains(name) || MAPS.contains(name) || NO_FACTS.contains(name);
  }

  /** The first field of the case that the harness does not know; its path has no list index. */
  static Optional<String> unknown(Value scenario) {
    return scenario.fields().entrySet().stream()
        .filter(field -> !NO_FACTS.contains(field.getKey()))
        .flatMap(field -> unknown(field.getKey(), field.getKey(), field.getValue()).stream())
        .findFirst();
  }

  private static Optional<String> unknown(String path, String name, Value value) {
    if (!has(name)) {
      return Optional.of(path);
    }
    if (value.isList()) {
      return value.list().stream().flatMap(element -> inside(path, element).stream()).findFirst();
    }
    return MAPS.contains(name) ? Optional.empty() : inside(path, value);
  }

  private static Optional<String> inside(String path, Value value) {
    if (value.isList()) {
      return value.list().stream().flatMap(element -> inside(path, element).stream()).findFirst();
    }
    return !value.isObject()
        ? Optional.empty()
        : value.fields().entrySet().stream()
            .flatMap(field ->
                unknown(path + "." + field.getKey(), field.getKey(), field.getValue()).stream())
            .findFirst();
  }
}
