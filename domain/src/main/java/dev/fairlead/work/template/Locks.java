package dev.fairlead.work.template;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The locked fields of a template. A lock also covers other fields with the same effect: a lock of
 * {@code /image} covers {@code roles}, because their members have images too.
 */
public final class Locks {
  private static final List<String> PROGRAM = List.of("run", "command", "args", "setup");
  private static final List<String> VARIABLES = List.of("env", "secretEnv");
  private static final List<String> IMAGES = List.of("image", "initContainers", "sidecars");

  /** Fields of a job that its roles set as well, or instead. */
  private static final List<String> OF_ROLES =
      List.of(
          "image",
          "run",
          "command",
          "args",
          "setup",
          "initContainers",
          "sidecars",
          "env",
          "secretEnv",
          "rdma",
          "workers",
          "minWorkers",
          "gpu",
          "cpu",
          "memory",
          "shm",
          "topology");

  private final SortedMap<String, String> covered = new TreeMap<>();

  private Locks(List<String> locked) {
    for (String pointer : locked) {
      covered.put(pointer, pointer);
      String field = Pointers.steps(pointer).getFirst();
      for (String other : others(field)) {
        covered.putIfAbsent(Pointers.below("", other), pointer);
      }
    }
  }

  private static SortedSet<String> others(String field) {
    SortedSet<String> others = new TreeSet<>();
    for (List<String> alike : List.of(PROGRAM, VARIABLES, IMAGES)) {
      if (alike.contains(field)) {
        others.addAll(alike);
      }
    }
    if (OF_ROLES.contains(field)) {
      others.add("roles");
    }
    if (field.equals("roles")) {
      others.addAll(OF_ROLES);
    }
    others.remove(field);
    return others;
  }

  /**
   * A field of a submit that a lock covers.
   *
   * @param pointer pointer of the field in the submit
   * @param locked the lock of the template
   */
  public record FieldConflict(String pointer, String locked) {}

  /**
   * The fields of a submit that locks cover, in the order of their pointers.
   *
   * @param submit fields in addition to the template. A null counts, because it removes a field
   * @param job job of the template
   */
  public static List<FieldConflict> overridden(List<String> locked, Object submit, Object job) {
    List<FieldConflict> found = new ArrayList<>();
    new Locks(locked)
        .covered.forEach((pointer, lock) -> {
          String at = setBy(submit, job, pointer);
          if (!at.isEmpty()) {
            found.add(new FieldConflict(at, lock));
          }
        });
    return found;
  }

  /**
   * The pointer at which the submit sets the field, one of its parents, or a part of it. An object
   * replaces a text or a list of the job as a whole, such as the {@code gpu: H100:1} of a locked
   * {@code /gpu/model}.
   */
  private static String setBy(Object submit, @Nullable Object job, String pointer) {
    Object node = submit;
    Object base = job;
    String at = "";
    for (String step : Pointers.steps(pointer)) {
      if (!(node instanceof Map<?, ?> map) || base != null && !(base instanceof Map)) {
        return at;
      }
      if (!map.containsKey(step)) {
        return "";
      }
      at = Pointers.below(at, step);
      node = map.get(step);
      base = base instanceof Map<?, ?> fields ? fields.get(step) : null;
      if (node == null) {
        return at;
      }
    }
    return at;
  }
}
