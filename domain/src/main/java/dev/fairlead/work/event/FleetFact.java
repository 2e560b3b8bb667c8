package dev.fairlead.work.event;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A change of the fleet, before it is stored.
 *
 * @param subject kind of the changed object
 * @param id value of its id
 * @param version version of the object after the change, 0 for the current version of the cluster
 * @param nodes values of the ids of the affected nodes, empty for all nodes of the cluster
 * @param gpu UUID of the only affected device, null for whole nodes
 * @param data details for every reader
 * @param internal details for readers of the fleet only
 */
@RecordBuilder
public record FleetFact(
    FleetEventType type,
    IdKind subject,
    UUID id,
    long version,
    List<UUID> nodes,
    @Nullable String gpu,
    SortedMap<String, Object> data,
    SortedMap<String, Object> internal)
    implements FleetFactBuilder.With {
  /** Maximum number of nodes of an event. */
  public static final int MOST_NODES = 100;

  /** Maximum number of named jobs of an event. */
  public static final int MOST_JOBS = 16;

  /** Detail with the names of the nodes. */
  public static final String NODES = "nodes";

  /** Detail with the name of the cluster. */
  public static final String CLUSTER = "cluster";

  /** Detail with the id of the incident. */
  public static final String INCIDENT = "incident";

  /** Number of changes of one type in a transaction that have separate events. */
  public static final int SEPARATE = 8;

  private static final String DEADLINE = "deadline";

  public FleetFact {
    nodes = List.copyOf(nodes);
    data = Collections.unmodifiableSortedMap(new TreeMap<>(data));
    internal = Collections.unmodifiableSortedMap(new TreeMap<>(internal));
  }

  /** Creates a change without details. */
  public static FleetFact of(FleetEventType type, Id id, long version, List<? extends Id> nodes) {
    return FleetFactBuilder.builder()
        .type(type)
        .subject(id.kind())
        .id(id.value())
        .version(version)
        .nodes(nodes.stream().map(Id::value).toList())
        .gpu(null)
        .data(Collections.emptySortedMap())
        .internal(Collections.emptySortedMap())
        .build();
  }

  /** Returns the change of one device of the node, null for the whole node. */
  public FleetFact on(@Nullable String device) {
    FleetFact shown = with("gpu", device);
    return with().gpu(device).data(shown.data).build();
  }

  /** Returns the change with a detail for every reader. Null adds nothing. */
  public FleetFact with(String name, @Nullable Object value) {
    return withData(more(data, name, value));
  }

  /** Returns the change with a detail for readers of the fleet. Null adds nothing. */
  public FleetFact internal(String name, @Nullable Object value) {
    return withInternal(more(internal, name, value));
  }

  private static SortedMap<String, Object> more(
      SortedMap<String, Object> details, String name, @Nullable Object value) {
    SortedMap<String, Object> more = new TreeMap<>(details);
    if (value != null) {
      more.put(name, value);
    }
    return more;
  }

  /**
   * Returns whether a node or cluster that changes repeatedly gets fewer events. An announcement is
   * never held, because it has a deadline.
   */
  public boolean flaps() {
    boolean ofCluster = subject == IdKind.CLUSTER && nodes.isEmpty();
    return (subject == IdKind.NODE || ofCluster) && !type.announces();
  }

  /** Returns whether the project of an earlier event of the object gets this event. */
  public boolean follows() {
    return version > 1 && (subject == IdKind.INCIDENT || subject == IdKind.QUARANTINE);
  }

  /** Returns the event for readers of the fleet. */
  public Fact forFleet(String cluster, List<String> names) {
    SortedMap<String, Object> all = new TreeMap<>(data);
    all.putAll(internal);
    return fact(all, cluster, names);
  }

  /** Returns the event for a project, with its jobs and the nodes that they use. */
  public Fact forProject(
      String cluster, List<String> names, Collection<String> jobs, int jobCount) {
    return fact(data, cluster, names)
        .with("jobs", jobs.stream().sorted().limit(MOST_JOBS).toList())
        .with("jobCount", jobCount);
  }

  private Fact fact(SortedMap<String, Object> details, String cluster, List<String> names) {
    Fact fact = new Fact(type.text(), details).with(CLUSTER, cluster);
    return names.isEmpty() ? fact : fact.with(NODES, names);
  }

  /**
   * Merges changes of one type that a transaction makes to many nodes: an event of the cluster has
   * up to {@value #MOST_NODES} nodes, their common details, and the earliest deadline. An outage of
   * 10,000 nodes is 100 events. The order of the changes of one node is retained.
   *
   * @param waiting objects whose changes are held. They are not merged, because the last change of
   *     each object replaces its held change
   */
  public static List<FleetFact> bounded(
      ClusterId cluster, List<FleetFact> facts, Set<UUID> waiting) {
    Predicate<FleetFact> merges =
        fact -> fact.merges() && !(fact.flaps() && waiting.contains(fact.id));
    SortedMap<FleetEventType, List<FleetFact>> byType = new TreeMap<>();
    facts.stream()
        .filter(merges)
        .forEach(fact -> byType.computeIfAbsent(fact.type, _ -> new ArrayList<>()).add(fact));
    byType.values().removeIf(same -> same.size() <= SEPARATE);
    List<FleetFact> bounded = new ArrayList<>();
    for (FleetFact fact : facts) {
      if (!merges.test(fact) || !byType.containsKey(fact.type)) {
        bounded.add(fact);
      }
    }
    for (List<FleetFact> same : byType.values()) {
      for (int from = 0; from < same.size(); from += MOST_NODES) {
        bounded.add(merged(cluster, same.subList(from, Math.min(same.size(), from + MOST_NODES))));
      }
    }
    return List.copyOf(bounded);
  }

  /**
   * Returns the changes for projects. Each quarantine is a separate change, so its end reaches the
   * projects that received its start. All other changes are the same as for operators.
   *
   * @param bounded result of {@link #bounded}
   * @param facts all changes
   */
  public static List<FleetFact> forProjects(List<FleetFact> bounded, List<FleetFact> facts) {
    return Stream.concat(
            bounded.stream().filter(fact -> !fact.type.ofQuarantine()),
            facts.stream().filter(fact -> fact.type.ofQuarantine()))
        .toList();
  }

  private boolean merges() {
    return nodes.size() == 1 && gpu == null && subject != IdKind.INCIDENT;
  }

  private static FleetFact merged(ClusterId cluster, List<FleetFact> same) {
    return FleetFactBuilder.builder()
        .type(same.getFirst().type)
        .subject(IdKind.CLUSTER)
        .id(cluster.value())
        .version(0)
        .nodes(same.stream().flatMap(fact -> fact.nodes.stream()).toList())
        .gpu(null)
        .data(shared(same.stream().map(FleetFact::data).toList()))
        .internal(shared(same.stream().map(FleetFact::internal).toList()))
        .build();
  }

  private static SortedMap<String, Object> shared(List<SortedMap<String, Object>> all) {
    SortedMap<String, Object> shared = new TreeMap<>(all.getFirst());
    shared.entrySet().removeIf(entry -> all.stream().anyMatch(other -> differs(other, entry)));
    all.stream()
        .map(details -> details.get(DEADLINE))
        .filter(Objects::nonNull)
        .map(String::valueOf)
        .min(String::compareTo)
        .ifPresent(earliest -> shared.put(DEADLINE, earliest));
    return shared;
  }

  private static boolean differs(SortedMap<String, Object> other, Map.Entry<String, Object> entry) {
    return !entry.getValue().equals(other.get(entry.getKey()));
  }
}
