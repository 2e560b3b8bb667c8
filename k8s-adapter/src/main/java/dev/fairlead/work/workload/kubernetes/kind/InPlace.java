package dev.fairlead.work.workload.kubernetes.kind;

import dev.fairlead.front.SeenJob;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that runs in the pods of a user's object. The anchor of the attempt records it, so
 * that every process recognises such attempts.
 *
 * @param counts number of pods by role
 * @param each largest reservation of a single pod
 * @param nodes number of pods by reserved node
 */
@RecordBuilder
public record InPlace(
    AttemptId attempt,
    Kind kind,
    String namespace,
    String name,
    String uid,
    SortedMap<String, Integer> counts,
    ResourceVector each,
    SortedMap<String, Integer> nodes) {
  /** Entries of an anchor. */
  public static final String OBJECT = "object";

  public static final String ROLES = "roles";
  public static final String EACH = "each";
  public static final String NODES = "nodes";

  private static final int PARTS = 4;
  private static final Pattern AMOUNTS =
      Pattern.compile("([0-9]{1,18}),([0-9]{1,18}),([0-9]{1,18})");

  /**
   * Returns the object of the job, null for a job with its own pods. Only the submitter of the
   * object's namespace can submit a job for the object.
   */
  public static @Nullable InPlace of(Attempt attempt, Job job) {
    if (object(job).isEmpty()) {
      return null;
    }
    SortedMap<String, Integer> counts = new TreeMap<>();
    job.spec().roles().forEach(role -> counts.put(role.name(), role.count()));
    ResourceVector each =
        attempt.members().stream()
            .map(Member::request)
            .reduce(ResourceVector.ZERO, InPlace::larger);
    SortedMap<String, Integer> nodes = new TreeMap<>();
    attempt.members().forEach(member -> nodes.merge(member.nodeName(), 1, Integer::sum));
    InPlace object = read(attempt.id(), object(job), counts, each, nodes).orElse(null);
    return object != null && OwnActor.isFront(job.user(), object.namespace()) ? object : null;
  }

  /** Reference to the object of the job, empty for a job with its own pods. */
  public static String object(Job job) {
    return job.spec().annotations().getOrDefault(SeenJob.IN_PLACE, "");
  }

  /**
   * Returns the object that the anchor records, null for an attempt with its own pods. Labels can
   * be forged with the right to create objects, except in Fairlead's namespaces.
   */
  public static @Nullable InPlace of(ConfigMap anchor) {
    Optional<AttemptId> attempt = ObjectLabels.attempt(anchor);
    if (attempt.isEmpty()
        || anchor.getData() == null
        || !String.valueOf(anchor.getMetadata().getNamespace()).startsWith(Namespaces.PREFIX)) {
      return null;
    }
    Matcher each = AMOUNTS.matcher(anchor.getData().getOrDefault(EACH, ""));
    return read(
            attempt.get(),
            anchor.getData().getOrDefault(OBJECT, ""),
            numbers(anchor.getData().getOrDefault(ROLES, "")),
            each.matches()
                ? amounts(
                    Long.parseLong(each.group(1)),
                    Long.parseLong(each.group(2)),
                    Long.parseLong(each.group(3)))
                : ResourceVector.ZERO,
            numbers(anchor.getData().getOrDefault(NODES, "")))
        .orElse(null);
  }

  private static SortedMap<String, Integer> numbers(String text) {
    SortedMap<String, Integer> numbers = new TreeMap<>();
    for (String entry : text.split(",", -1)) {
      String[] parts = entry.split("=", 2);
      if (parts.length == 2 && parts[1].matches("[0-9]{1,5}")) {
        numbers.put(parts[0], Integer.valueOf(parts[1]));
      }
    }
    return numbers;
  }

  private static Optional<InPlace> read(
      AttemptId attempt,
      String object,
      SortedMap<String, Integer> counts,
      ResourceVector each,
      SortedMap<String, Integer> nodes) {
    List<String> parts = Arrays.asList(object.split("/", -1));
    return parts.size() == PARTS
        ? Kinds.find(parts.get(1))
            .map(kind ->
                InPlaceBuilder.builder()
                    .attempt(attempt)
                    .kind(kind)
                    .namespace(parts.get(0))
                    .name(parts.get(2))
                    .uid(parts.get(3))
                    .counts(counts)
                    .each(each)
                    .nodes(nodes)
                    .build())
        : Optional.empty();
  }

  private static ResourceVector larger(ResourceVector one, ResourceVector other) {
    return amounts(
        Math.max(one.cpuMilli(), other.cpuMilli()),
        Math.max(one.memoryMiB(), other.memoryMiB()),
        Math.max(one.gpuMilli(), other.gpuMilli()));
  }

  private static ResourceVector amounts(long cpuMilli, long memoryMiB, long gpuMilli) {
    return ResourceVector.of(cpuMilli, memoryMiB, gpuMilli, 1);
  }

  /** Returns the part of a pod's request above its reservation. */
  ResourceVector beyond(ResourceVector asked) {
    ResourceVector more = asked.minus(each);
    return new ResourceVector(
        Math.max(0, more.cpuMilli()),
        Math.max(0, more.memoryMiB()),
        Math.max(0, more.gpuMilli()),
        0,
        asked.extended());
  }

  /** Returns the amounts in the form that an anchor records. */
  public String amounts() {
    return each.cpuMilli() + "," + each.memoryMiB() + "," + each.gpuMilli();
  }

  /** The roles as an anchor records them. */
  public static String roles(Job job) {
    return job.spec().roles().stream()
        .map(role -> role.name() + "=" + role.count())
        .collect(Collectors.joining(","));
  }

  /** Its members. They have no incarnations, because the object's controller replaces its pods. */
  public List<MemberKey> members() {
    List<MemberKey> members = new ArrayList<>();
    counts.forEach((role, count) -> {
      for (int i = 0; i < count; i++) {
        members.add(new MemberKey(role, i, 0));
      }
    });
    return members;
  }

  /** The nodes as an anchor records them. */
  public String reserved() {
    return nodes.entrySet().stream()
        .map(node -> node.getKey() + "=" + node.getValue())
        .collect(Collectors.joining(","));
  }

  /** Kind, namespace and name, human-readable. */
  public String text() {
    return "%s %s/%s".formatted(kind.kind(), namespace, name);
  }
}
