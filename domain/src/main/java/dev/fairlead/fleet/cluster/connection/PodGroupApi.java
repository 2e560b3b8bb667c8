package dev.fairlead.fleet.cluster.connection;

import dev.fairlead.kernel.resources.ResourceTable;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A kind {@code PodGroup}. Its scheduler binds the pods of a group together or not at all. Each
 * kind is one row of {@code pod-groups.csv}.
 *
 * @param name group and version of the kind, such as {@code scheduling.x-k8s.io/v1alpha1}
 * @param scheduler human-readable name of the scheduler
 * @param schedulerName {@code spec.schedulerName} of pods in an installation with default settings
 * @param reference where pods name their group
 * @param key key of the label or annotation, empty for {@link Reference#SPEC}
 * @param size path of the number of members in the spec of the group
 * @param queue field of the spec with the name of a queue, null for a scheduler without queues
 * @param install how an operator adds the kind to a cluster
 */
@RecordBuilder
public record PodGroupApi(
    String name,
    String scheduler,
    String schedulerName,
    Reference reference,
    String key,
    List<String> size,
    @Nullable String queue,
    String install) {
  /** Path of the group's name in a pod. */
  public enum Reference {
    LABEL,
    ANNOTATION,
    /** The field {@code spec.schedulingGroup}. */
    SPEC
  }

  /** Kind of the object. All schedulers use the same name. */
  public static final String KIND = "PodGroup";

  private static final int COLUMNS = 8;
  private static final List<PodGroupApi> ALL =
      ResourceTable.rows(ResourceTable.lines("/pod-groups.csv"), COLUMNS).stream()
          .map(PodGroupApi::of)
          .toList();

  private static PodGroupApi of(List<String> row) {
    String queue = row.get(6);
    return PodGroupApiBuilder.builder()
        .name(row.get(0))
        .scheduler(row.get(1))
        .schedulerName(row.get(2))
        .reference(Reference.valueOf(row.get(3).toUpperCase(Locale.ROOT)))
        .key(row.get(4))
        .size(List.of(row.get(5).split("\\.")))
        .queue(queue.isEmpty() ? null : queue)
        .install(row.get(7))
        .build();
  }

  /** The API group of the kind. */
  public String group() {
    return name.substring(0, name.indexOf('/'));
  }

  /** Reason why a cluster without the kind cannot start jobs, with the command that installs it. */
  public String absent() {
    return "the cluster has no kind PodGroup of "
        + name
        + ", which the backend of the cluster requires. Install it ("
        + install
        + "), or change backend";
  }

  /** All supported kinds. */
  public static List<PodGroupApi> all() {
    return ALL;
  }

  /** The kind of this group and version, empty if it is not supported. */
  public static Optional<PodGroupApi> named(String name) {
    return ALL.stream().filter(api -> api.name.equals(name)).findFirst();
  }
}
