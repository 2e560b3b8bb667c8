package dev.fairlead.work.workload.kubernetes.kind;

import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.kubernetes.node.Inventory;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Divides the pods of others into foreign pods and pods that a reservation already counts. The
 * label of a reservation alone proves nothing, because each user can set it. Thread-safe.
 */
public final class ReservedPods {
  private final Function<AttemptId, @Nullable InPlace> inPlace;
  private final Inventory inventory;
  private final Map<AttemptId, SortedMap<String, Seen>> claims = new HashMap<>();
  private final Map<AttemptId, Set<String>> reserved = new HashMap<>();

  /** Number of reserved pods by attempt and node. */
  private final Map<AttemptId, Map<String, Integer>> placed = new HashMap<>();

  /**
   * A pod of another.
   *
   * @param attempt the attempt that its label names, null without the label
   * @param controlled whether a controller owns it
   * @param shown its state, null without the label
   */
  public record Seen(
      Inventory.ForeignPod pod,
      String namespace,
      @Nullable AttemptId attempt,
      boolean controlled,
      @Nullable ObjectPod shown) {
    private Seen showing(@Nullable ObjectPod other) {
      return new Seen(pod, namespace, attempt, controlled, other);
    }
  }

  /**
   * @param inPlace the object of an attempt, null for an attempt without one
   */
  public ReservedPods(Function<AttemptId, @Nullable InPlace> inPlace, Inventory inventory) {
    this.inPlace = inPlace;
    this.inventory = inventory;
  }

  /** Returns the pods of the object of an attempt that its reservation counts, by their name. */
  public synchronized List<ObjectPod> of(AttemptId attempt) {
    Set<String> known = reserved.getOrDefault(attempt, Set.of());
    return claims.getOrDefault(attempt, new TreeMap<>()).values().stream()
        .filter(pod -> known.contains(pod.pod().key()))
        .flatMap(pod -> Stream.ofNullable(pod.shown()))
        .toList();
  }

  /** Applies a change of a pod from its watch. Returns whether the use of a node changed. */
  public synchronized boolean changed(@Nullable Seen before, @Nullable Seen now) {
    if (before != null && now != null && now.showing(before.shown()).equals(before)) {
      if (now.attempt() != null) {
        Seen _ = claims.getOrDefault(now.attempt(), new TreeMap<>()).replace(now.pod().key(), now);
      }
      return false;
    }
    boolean left = before != null && left(before);
    return now != null && entered(now) || left;
  }

  private boolean left(Seen pod) {
    AttemptId attempt = pod.attempt();
    if (attempt == null) {
      return inventory.foreign(pod.pod(), null);
    }
    claims.getOrDefault(attempt, new TreeMap<>()).remove(pod.pod().key());
    boolean was = released(attempt, pod);
    boolean changed = inventory.foreign(pod.pod(), null);
    return was && counted(attempt) || changed;
  }

  private boolean entered(Seen pod) {
    AttemptId attempt = pod.attempt();
    if (attempt == null) {
      return inventory.foreign(null, pod.pod());
    }
    claims.computeIfAbsent(attempt, a -> new TreeMap<>()).put(pod.pod().key(), pod);
    InPlace object = inPlace.apply(attempt);
    if (object != null && reserves(object, pod)) {
      reserved(attempt, pod);
      return inventory.foreign(null, beyond(object, pod.pod()));
    }
    return inventory.foreign(null, pod.pod());
  }

  /**
   * Counts the pods with the label of this attempt again, after its object was recorded or
   * forgotten. Returns whether the use of a node changed.
   */
  public synchronized boolean counted(AttemptId attempt) {
    InPlace object = inPlace.apply(attempt);
    Set<String> known = reserved.computeIfAbsent(attempt, a -> new HashSet<>());
    boolean changed = false;
    if (object == null) {
      for (Seen pod : claims.getOrDefault(attempt, new TreeMap<>()).values()) {
        changed |= released(attempt, pod) && inventory.foreign(null, pod.pod());
      }
    } else {
      for (Seen pod : claims.getOrDefault(attempt, new TreeMap<>()).values()) {
        if (!known.contains(pod.pod().key()) && reserves(object, pod)) {
          reserved(attempt, pod);
          changed |= inventory.foreign(pod.pod(), beyond(object, pod.pod()));
        }
      }
    }
    claims.values().removeIf(Map::isEmpty);
    reserved.values().removeIf(Set::isEmpty);
    placed.values().removeIf(Map::isEmpty);
    return changed;
  }

  /**
   * The part of a pod that its reservation lacks, null if none. A user can label larger pods than
   * the object has, and an admission webhook can add containers.
   */
  private static Inventory.@Nullable ForeignPod beyond(InPlace object, Inventory.ForeignPod pod) {
    ResourceVector more = object.beyond(pod.asked());
    return more.fitsIn(ResourceVector.ZERO)
        ? null
        : new Inventory.ForeignPod(pod.key(), pod.node(), more);
  }

  private void reserved(AttemptId attempt, Seen pod) {
    reserved.computeIfAbsent(attempt, a -> new HashSet<>()).add(pod.pod().key());
    placed.computeIfAbsent(attempt, a -> new HashMap<>()).merge(pod.pod().node(), 1, Integer::sum);
  }

  /** Returns whether the reservation of the attempt counted the pod. */
  private boolean released(AttemptId attempt, Seen pod) {
    if (!reserved.getOrDefault(attempt, new HashSet<>()).remove(pod.pod().key())) {
      return false;
    }
    Map<String, Integer> nodes = placed.getOrDefault(attempt, new HashMap<>());
    int left = nodes.getOrDefault(pod.pod().node(), 1) - 1;
    if (left > 0) {
      nodes.put(pod.pod().node(), left);
    } else {
      nodes.remove(pod.pod().node());
    }
    return true;
  }

  /** Returns whether the reservation of the attempt counts the pod. */
  private boolean reserves(InPlace object, Seen pod) {
    return pod.controlled()
        && object.namespace().equals(pod.namespace())
        && placed.getOrDefault(object.attempt(), Map.of()).getOrDefault(pod.pod().node(), 0)
            < object.nodes().getOrDefault(pod.pod().node(), 0);
  }
}
