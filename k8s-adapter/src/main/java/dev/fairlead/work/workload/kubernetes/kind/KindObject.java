package dev.fairlead.work.workload.kubernetes.kind;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.workload.kubernetes.front.KindState;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An object of a kind, read and changed by the paths of the kind's file. The pod templates may be
 * in another object, which its controller makes of it.
 */
public final class KindObject {
  /**
   * Annotation of an object with the id, without its prefix, of the attempt for which Fairlead last
   * started the object.
   */
  public static final String ATTEMPT = ObjectNames.LABEL_PREFIX + "attempt";

  /**
   * Label of pod templates with the same value. Pods with this label belong to the reservation of
   * the attempt.
   */
  public static final String RESERVED = ObjectNames.LABEL_PREFIX + "reserved-by";

  /**
   * Annotation of pod templates with the names of their nodes, and the key of a node selector that
   * no node has. The policy {@code fairlead-front-nodes} makes a node affinity of both in each pod,
   * so without the policy the pods are not scheduled.
   */
  public static final String NODES = ObjectNames.LABEL_PREFIX + "nodes";

  /** Value of the node selector. */
  static final String UNPLACED = "apply-cluster-front-nodes.yaml";

  /** Longest text of an annotation with nodes, so that a pod with other annotations is accepted. */
  private static final int LONGEST = 200_000;

  /** Most nodes of an annotation. With 9,000, the policy exceeds the API server's cost limit. */
  static final int MOST_NODES = 8_000;

  /** Entry of Fairlead in the patches of an object. */
  private static final String MANAGER = ObjectNames.LABEL_PREFIX + "reservation";

  /** Maximum number of pods of an object, as of a job. */
  private static final long MOST_PODS = 10_000;

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Kind kind;
  private final JsonNode tree;
  private final @Nullable KindObject made;

  private KindObject(Kind kind, JsonNode tree, @Nullable KindObject made) {
    this.kind = kind;
    this.tree = tree;
    this.made = made;
  }

  public static KindObject of(Kind kind, HasMetadata object) {
    return of(kind, object, null);
  }

  /**
   * @param made the object that its controller has made of it, null if none or not read
   */
  public static KindObject of(Kind kind, HasMetadata object, @Nullable HasMetadata made) {
    KindObject other =
        kind.made() == null || made == null ? null : of(Kinds.of(kind.made()), made, null);
    try {
      return new KindObject(kind, MAPPER.readTree(Serialization.asJson(object)), other);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** The spec cannot be read: names the path and the reason. */
  public static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;
    private final String path;

    Unreadable(String path, String why) {
      super(why, null, false, false);
      this.path = path;
    }

    /** Path of the field. */
    public String path() {
      return path;
    }
  }

  /**
   * Equal pods.
   *
   * @param at path of their template
   * @param template metadata and spec
   */
  record Role(String name, String at, int count, JsonNode template) {}

  public KindState state() {
    AttemptId attempt =
        IdText.decode(tree.at("/metadata/annotations").path(ATTEMPT).asText())
            .map(AttemptId::new)
            .orElse(null);
    return new KindState(
        attempt, phase(), is(kind.suspended()), is(kind.failed()) ? message() : "");
  }

  private KindState.Phase phase() {
    if (is(kind.succeeded())) {
      return KindState.Phase.SUCCEEDED;
    }
    if (is(kind.failed())) {
      return KindState.Phase.FAILED;
    }
    if (suspends()) {
      boolean all = made == null || made.is(made.kind.suspended());
      return is(kind.suspended()) && all ? KindState.Phase.SUSPENDED : KindState.Phase.STOPPING;
    }
    return is(kind.running()) ? KindState.Phase.RUNNING : KindState.Phase.STARTING;
  }

  /** Returns whether the object is suspended, so that its controller does not run it. */
  boolean suspends() {
    return tree.at(kind.suspend().text()).asBoolean();
  }

  private boolean is(List<KindSign> signs) {
    return signs.stream().anyMatch(sign -> sign.in(tree));
  }

  private String message() {
    for (JsonNode one : tree.at("/status/conditions")) {
      if ("True".equals(one.path("status").asText())
          && kind.failed().stream()
              .anyMatch(sign -> sign.name().equals(one.path("type").asText()))) {
        return one.path("message").asText();
      }
    }
    return tree.at("/status/message").asText();
  }

  /** Returns the value of the object's label, empty if the object lacks the label. */
  String label(String name) {
    return tree.at("/metadata/labels").path(name).asText();
  }

  /**
   * Its pods by template, at least one.
   *
   * @throws Unreadable for a field that is missing or has no meaning
   */
  List<Role> roles() throws Unreadable {
    permitted();
    if (made != null) {
      made.permitted();
    }
    JsonNode from = pods();
    List<Role> roles = new ArrayList<>();
    long all = 0;
    for (Kind.Pods pods : kind.pods()) {
      for (KindPath.Found template : pods.template().in(from)) {
        long count = count(pods, template.step());
        all += count;
        if (all > MOST_PODS) {
          throw new Unreadable(
              pods.counts().isEmpty() ? template.at() : counted(pods, template.step()),
              "the object has more than %d pods".formatted(MOST_PODS));
        }
        if (template.value() == null || !template.value().path("spec").isObject()) {
          throw new Unreadable(template.at() + "/spec", "it is missing");
        }
        if (count > 0) {
          String name = pods.role().isEmpty() ? name(pods, template) : pods.role();
          roles.add(new Role(name, template.at(), (int) count, template.value()));
        }
      }
    }
    if (roles.isEmpty()) {
      throw new Unreadable(
          kind.pods().getFirst().template().text(), "the object has no pod template with pods");
    }
    return roles;
  }

  /** The object with the pod templates. */
  private JsonNode pods() {
    return made == null ? tree : made.tree;
  }

  /** Returns whether the object with its pod templates exists. */
  public boolean complete() {
    return kind.made() == null || made != null;
  }

  private void permitted() throws Unreadable {
    for (Map.Entry<KindPath, String> refused : kind.refused().entrySet()) {
      JsonNode value = tree.at(refused.getKey().text());
      if (value.isTextual() ? !value.asText().isEmpty() : value.isObject() || value.asBoolean()) {
        throw new Unreadable(refused.getKey().text(), refused.getValue());
      }
    }
    for (Kind.FieldRule required : kind.required()) {
      if (!required.values().contains(tree.at(required.path().text()).asText())) {
        throw new Unreadable(required.path().text(), required.why());
      }
    }
  }

  private static String counted(Kind.Pods pods, String step) {
    return pods.counts().getFirst().at(step).text();
  }

  private long count(Kind.Pods pods, String step) throws Unreadable {
    long product = 1;
    for (KindPath path : pods.counts()) {
      String at = path.at(step).text();
      JsonNode value = pods().at(at);
      if (value.isMissingNode() || value.isNull()) {
        continue;
      }
      if (!value.isIntegralNumber() || value.asLong() < 0 || value.asLong() > MOST_PODS) {
        throw new Unreadable(
            at, "it must be a number from 0 to %d, not %s".formatted(MOST_PODS, value));
      }
      product *= value.asLong();
    }
    return product;
  }

  /** Name of the entry: its key in a mapping, or the name that an item of a list has. */
  private String name(Kind.Pods pods, KindPath.Found template) {
    String path = pods.template().text();
    String entry = path.substring(0, path.indexOf('*')) + template.step();
    for (String field : List.of("name", "groupName")) {
      JsonNode named = pods().at(entry).path(field);
      if (named.isTextual()) {
        return named.asText().toLowerCase(Locale.ROOT);
      }
    }
    String step = template.step().toLowerCase(Locale.ROOT);
    return Character.isDigit(step.charAt(0)) ? "pods-" + step : step;
  }

  /**
   * The spec that starts the object on these nodes.
   *
   * @param nodes names of the nodes by role
   * @throws Unreadable when the templates differ from the reservation
   */
  public JsonNode started(AttemptId attempt, Map<String, SortedSet<String>> nodes)
      throws Unreadable {
    ObjectNode copy = tree.deepCopy();
    ArrayNode patches = kind.made() == null ? null : patches(copy, kind.made().patches());
    for (Role role : roles()) {
      SortedSet<String> names = nodes.get(role.name());
      if (names == null) {
        throw new Unreadable(role.at(), "it was added after the object was accepted");
      }
      if (patches != null) {
        ObjectNode template =
            patches.addObject().put("name", role.name()).putObject("template").putObject("spec");
        place(template.putObject("template"), role, attempt, names);
      } else if (copy.at(role.at()) instanceof ObjectNode template) {
        place(template, role, attempt, names);
      }
    }
    set(copy, false);
    return copy.path("spec");
  }

  /** Adds an empty entry of Fairlead instead of its last one. Returns its list of templates. */
  private static ArrayNode patches(ObjectNode copy, KindPath path) {
    ArrayNode others = MAPPER.createArrayNode();
    for (JsonNode one : copy.at(path.text())) {
      if (!MANAGER.equals(one.path("manager").asText())) {
        others.add(one);
      }
    }
    int last = path.text().lastIndexOf('/');
    copy.withObject(path.text().substring(0, last)).set(path.text().substring(last + 1), others);
    return others
        .addObject()
        .put("manager", MANAGER)
        .putObject("trainingRuntimeSpec")
        .putObject("template")
        .putObject("spec")
        .putArray("replicatedJobs");
  }

  private void place(ObjectNode template, Role role, AttemptId attempt, SortedSet<String> nodes)
      throws Unreadable {
    ObjectNode metadata = template.withObject("/metadata");
    metadata.withObject("/labels").put(RESERVED, attempt.bare());
    ObjectNode spec = template.withObject("/spec");
    if (kind.annotated()) {
      String names = String.join(",", nodes);
      if (nodes.size() > MOST_NODES || names.length() > LONGEST) {
        throw new Unreadable(
            role.at(),
            "its pods have %d nodes with %d characters of names, of at most %d nodes with %d"
                .formatted(nodes.size(), names.length(), MOST_NODES, LONGEST));
      }
      metadata.withObject("/annotations").put(NODES, names);
      spec.withObject("/nodeSelector").put(NODES, UNPLACED);
      return;
    }
    ArrayNode terms =
        spec.withObject("/affinity")
            .putObject("nodeAffinity")
            .putObject("requiredDuringSchedulingIgnoredDuringExecution")
            .putArray("nodeSelectorTerms");
    nodes.forEach(node -> terms.add(term(node)));
  }

  /**
   * Selects the node by its name, because its hostname label may differ. A term of a field has one
   * value.
   */
  private static ObjectNode term(String node) {
    ObjectNode term = MAPPER.createObjectNode();
    term.putArray("matchFields")
        .addObject()
        .put("key", "metadata.name")
        .put("operator", "In")
        .putArray("values")
        .add(node);
    return term;
  }

  /** Returns whether the node affinity is missing, or remains from a start by Fairlead. */
  static boolean ofFairlead(JsonNode affinity) {
    if (affinity.isMissingNode()) {
      return true;
    }
    JsonNode terms =
        affinity.at("/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms");
    if (affinity.size() != 1 || terms.isEmpty()) {
      return false;
    }
    for (JsonNode term : terms) {
      if (!term.equals(term(term.at("/matchFields/0/values/0").asText()))) {
        return false;
      }
    }
    return true;
  }

  /** A part of the spec that stops the object. */
  public JsonNode stopped() {
    ObjectNode part = MAPPER.createObjectNode();
    set(part, true);
    return part.path("spec");
  }

  private void set(ObjectNode object, boolean suspend) {
    String path = kind.suspend().text();
    int last = path.lastIndexOf('/');
    object.withObject(path.substring(0, last)).put(path.substring(last + 1), suspend);
  }

  /** Returns whether each role has that number of pods. */
  public boolean has(Map<String, Integer> counts) throws Unreadable {
    Map<String, Integer> now = new TreeMap<>();
    for (Role role : roles()) {
      now.merge(role.name(), role.count(), Integer::sum);
    }
    return now.equals(counts);
  }
}
