package dev.fairlead.verify.simulation.front;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.kubernetes.front.ShownJob;
import dev.fairlead.work.workload.kubernetes.kind.InPlace;
import dev.fairlead.work.workload.kubernetes.kind.Kind;
import dev.fairlead.work.workload.kubernetes.kind.KindForm;
import dev.fairlead.work.workload.kubernetes.kind.Kinds;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The API server of a front cluster with JobSets, their pods, and the anchors of attempts. */
public final class InPlaceServer {
  static final Kind KIND = Kinds.find("jobset").orElseThrow();
  static final String NAMESPACE = "kinds";
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** The state of an object after a write. */
  enum Written {
    DONE,
    CHANGED,
    GONE
  }

  /**
   * A pod that has not ended.
   *
   * @param owner UID of its object
   * @param attempt attempt in its label, empty without one
   */
  record Pod(String owner, String attempt, String node) {}

  private final SortedMap<String, ObjectNode> objects = new TreeMap<>();
  private final SortedMap<AttemptId, InPlace> anchors = new TreeMap<>();
  private final SortedMap<String, Pod> pods = new TreeMap<>();
  private SortedMap<String, ObjectNode> objectsBefore = new TreeMap<>();
  private SortedMap<AttemptId, InPlace> anchorsBefore = new TreeMap<>();
  private SortedMap<String, Pod> podsBefore = new TreeMap<>();
  private Consumer<String> controller = uid -> {};
  private long epoch;
  private long versions;
  private long shownAt = -1;
  private SortedMap<String, ShownJob> shown = new TreeMap<>();
  private boolean served = true;

  void controlledBy(Consumer<String> changed) {
    controller = changed;
  }

  /** Rises with each change of an object or a pod. */
  long version() {
    return versions;
  }

  SortedMap<AttemptId, InPlace> anchors() {
    return anchors;
  }

  SortedMap<String, Pod> pods() {
    return pods;
  }

  List<String> uids() {
    return List.copyOf(objects.keySet());
  }

  /** Creates a suspended JobSet with that many pods of one GPU. */
  void create(String uid, String name, int count) {
    if (!served) {
      return;
    }
    try {
      ObjectNode object =
          (ObjectNode)
              MAPPER.readTree(
                  """
                  {"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet",
                   "metadata":{"namespace":"%s","name":"%s","uid":"%s","labels":{"fairlead.dev/queue":"q"}},
                   "spec":{"suspend":true,"replicatedJobs":[{"name":"worker","replicas":%d,"template":{"spec":{
                    "template":{"spec":{"containers":[{"name":"c","image":"a:1","resources":{
                     "requests":{"cpu":1},"limits":{"nvidia.com/gpu":1}}}]}}}}}]}}
                  """
                      .formatted(NAMESPACE, name, uid, count));
      objects.put(uid, object);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    changed(uid);
  }

  private void changed(String uid) {
    versions++;
    ObjectNode is = objects.get(uid);
    if (is != null) {
      is.withObject("/metadata").put("resourceVersion", Long.toString(versions));
    }
    controller.accept(uid);
  }

  @Nullable ObjectNode tree(String uid) {
    return objects.get(uid);
  }

  @Nullable GenericKubernetesResource object(String uid) {
    ObjectNode is = objects.get(uid);
    return is == null
        ? null
        : Serialization.unmarshal(is.toString(), GenericKubernetesResource.class);
  }

  /** A user deletes the object, which remains while it has a finalizer. */
  void delete(String uid) {
    ObjectNode is = objects.get(uid);
    if (is != null) {
      is.withObject("/metadata").put("deletionTimestamp", "2026-01-01T00:00:00Z");
      changed(uid);
      release(uid);
    }
  }

  static boolean deleting(JsonNode object) {
    return object.at("/metadata").has("deletionTimestamp");
  }

  private void release(String uid) {
    ObjectNode is = objects.get(uid);
    if (is != null && deleting(is) && is.at("/metadata/finalizers").isEmpty()) {
      objects.remove(uid);
      changed(uid);
    }
  }

  /** A user writes the flag by hand. */
  void suspend(String uid, boolean flag) {
    ObjectNode is = objects.get(uid);
    if (is != null) {
      is.withObject("/spec").put("suspend", flag);
      changed(uid);
    }
  }

  /** The definition of the kind is deleted with all objects, or installed again. */
  void serves(boolean now) {
    served = now;
    if (!now) {
      uids().forEach(this::delete);
    }
  }

  void backUp() {
    objectsBefore = new TreeMap<>();
    objects.forEach((uid, object) -> objectsBefore.put(uid, object.deepCopy()));
    anchorsBefore = new TreeMap<>(anchors);
    podsBefore = new TreeMap<>(pods);
  }

  /** Restores the backup. A kubelet ends pods that are lost, and reports those that had ended. */
  void restore() {
    List<String> all = new ArrayList<>(objects.keySet());
    objects.clear();
    objectsBefore.forEach((uid, object) -> objects.put(uid, object.deepCopy()));
    anchors.clear();
    anchors.putAll(anchorsBefore);
    pods.keySet().retainAll(podsBefore.keySet());
    all.addAll(objects.keySet());
    all.stream().distinct().forEach(this::changed);
  }

  /** Applies a merge patch with its preconditions. */
  Written patch(String uid, ObjectNode patch) {
    ObjectNode is = objects.get(uid);
    if (is == null) {
      return Written.GONE;
    }
    JsonNode version = patch.at("/metadata/resourceVersion");
    if (!version.asText().equals(is.at("/metadata/resourceVersion").asText())) {
      return Written.CHANGED;
    }
    merge(is, patch);
    changed(uid);
    release(uid);
    return Written.DONE;
  }

  private static void merge(ObjectNode into, JsonNode patch) {
    for (Iterator<String> names = patch.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      JsonNode value = patch.get(name);
      if (value.isNull()) {
        into.remove(name);
      } else if (value.isObject()) {
        merge(into.get(name) instanceof ObjectNode inner ? inner : into.putObject(name), value);
      } else {
        into.set(name, value.deepCopy());
      }
    }
  }

  /** The controller writes the status of the object. */
  void report(String uid, String condition, boolean holds) {
    ObjectNode is = objects.get(uid);
    if (is == null) {
      return;
    }
    ArrayNode conditions = MAPPER.createArrayNode();
    conditions
        .addObject()
        .put("type", condition)
        .put("status", holds ? "True" : "False")
        .put("message", "");
    if (!conditions.equals(is.at("/status/conditions"))) {
      is.withObject("/status").set("conditions", conditions);
      changed(uid);
    }
  }

  static boolean ended(JsonNode object) {
    String condition = object.at("/status/conditions/0/type").asText();
    return condition.equals("Completed") || condition.equals("Failed");
  }

  void start(String name, Pod pod) {
    pods.put(name, pod);
    versions++;
  }

  void end(String name) {
    pods.remove(name);
    versions++;
  }

  List<String> podsOf(String uid) {
    List<String> names = new ArrayList<>();
    pods.forEach((name, pod) -> {
      if (pod.owner().equals(uid)) {
        names.add(name);
      }
    });
    return names;
  }

  boolean runs(AttemptId attempt) {
    return pods.values().stream().anyMatch(pod -> pod.attempt().equals(attempt.bare()));
  }

  /** The fence: epochs only rise. */
  void claimed(long now) {
    epoch = Math.max(epoch, now);
  }

  /** Returns the epoch of the fence if it is higher, 0 after the anchor was created. */
  long anchor(InPlace object, long its) {
    if (its < epoch) {
      return epoch;
    }
    anchors.putIfAbsent(object.attempt(), object);
    return 0;
  }

  /** Objects that Fairlead is asked to run, by UID. */
  SortedMap<String, ShownJob> shown(String installation) {
    if (shownAt != versions) {
      SortedMap<String, ShownJob> now = new TreeMap<>();
      for (String uid : objects.keySet()) {
        ShownJob before = shown.get(uid);
        String version = objects.get(uid).at("/metadata/resourceVersion").asText();
        ShownJob job =
            before != null && before.seen().version().equals(version)
                ? before
                : KindForm.shown(KIND, installation, Objects.requireNonNull(object(uid)));
        if (job != null) {
          now.put(uid, job);
        }
      }
      shown = now;
      shownAt = versions;
    }
    return shown;
  }
}
