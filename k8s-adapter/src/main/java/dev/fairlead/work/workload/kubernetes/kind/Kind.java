package dev.fairlead.work.workload.kubernetes.kind;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A kind of workload object that Fairlead starts and stops on its cluster.
 *
 * @param name short name as {@code kubectl} takes it, in the singular: {@code jobset}
 * @param group API group
 * @param version version of the group
 * @param kind as in manifests: {@code JobSet}
 * @param plural in paths of the API
 * @param suspend path of the flag that stops the object
 * @param pods its pod templates, at least one
 * @param made the object with the pod templates, null if they are in the object itself
 * @param annotated whether the nodes are written as an annotation and a node selector of the
 *     templates, because controllers of the kind ignore a changed affinity
 * @param refused reason by path, for fields that change the object while it runs, or replace its
 *     pods by others
 * @param required fields with the values that an object needs, so that its pods end with it
 * @param suspended its controller has stopped it
 * @param running its pods run
 * @param succeeded it has ended well. Without a sign, it runs until it is stopped or deleted
 * @param failed it has ended otherwise
 */
@RecordBuilder
public record Kind(
    String name,
    String group,
    String version,
    String kind,
    String plural,
    KindPath suspend,
    List<Pods> pods,
    @Nullable Made made,
    boolean annotated,
    SortedMap<KindPath, String> refused,
    List<FieldRule> required,
    List<KindSign> suspended,
    List<KindSign> running,
    List<KindSign> succeeded,
    List<KindSign> failed) {
  /**
   * Pods of one or more templates.
   *
   * @param template path of the templates
   * @param role name of the role, empty for the name of the step of {@code *} in the path
   * @param counts factors of the number of pods, each 1 where it is absent
   * @param label label of the pods, which has the name of the role as its value
   */
  public record Pods(KindPath template, String role, List<KindPath> counts, String label) {}

  /** Returns the role of a pod by its labels, null if they name none. */
  public @Nullable String role(Map<String, String> labels) {
    for (Pods each : pods) {
      String value = labels.getOrDefault(each.label(), "").toLowerCase(Locale.ROOT);
      if (!value.isEmpty() && (each.role().isEmpty() || each.role().equals(value))) {
        return value;
      }
    }
    return null;
  }

  /**
   * A child object, which the controller creates for the object. It has the same name and the
   * object as its owner.
   *
   * @param kind name of its kind
   * @param patches path in the parent object to the list of patches for the child
   */
  public record Made(String kind, KindPath patches) {}

  /**
   * A field without which an object is refused.
   *
   * @param values permitted values
   * @param why reason, with the remedy
   */
  public record FieldRule(KindPath path, List<String> values, String why) {}

  /** Group, version and kind, human-readable. */
  public String text() {
    return "%s (%s/%s)".formatted(kind, group, version);
  }
}
