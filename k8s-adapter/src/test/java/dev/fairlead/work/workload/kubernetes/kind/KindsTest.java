package dev.fairlead.work.workload.kubernetes.kind;

import static dev.fairlead.fleet.cluster.connection.PodDevices.EXTENDED_RESOURCE;
import static dev.fairlead.kernel.text.Texts.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.kernel.resources.ResourceTable;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.kubernetes.front.KindState;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects of the shipped kinds, read and changed by the paths of the files. */
class KindsTest {
  private static final AttemptId ATTEMPT = new AttemptId(new UUID(1, 2));
  private static final Pattern PATH =
      Pattern.compile("/(?:spec|status)/[A-Za-z/*]+|[!]?[A-Z][a-z]+(?='?])");

  private static String file(String kind) {
    return String.join("\n", ResourceTable.lines("/kinds/" + kind + ".yaml")) + "\n";
  }

  private static String pods(String image, int gpus) {
    return """
    {metadata: {labels: {app: x}}, spec: {containers: [{name: c, image: %s,
      resources: {requests: {cpu: "2", memory: 4Gi}, limits: {"nvidia.com/gpu": %d}}}]}}\
    """
        .formatted(image, gpus)
        .replace("\n", " ");
  }

  /** The object as an API server returns it. */
  static String object(String kind) {
    String head =
        """
        apiVersion: %s
        kind: %s
        metadata: {name: train, namespace: team-a, uid: u, labels: {fairlead.dev/queue: research}}
        """;
    return switch (kind) {
      case "jobset" ->
          head.formatted("jobset.x-k8s.io/v1alpha2", "JobSet")
              + """
              spec:
                suspend: true
                replicatedJobs:
                - {name: leader, replicas: 1, template: {spec: {parallelism: 1, template: %s}}}
                - {name: worker, replicas: 2, template: {spec: {parallelism: 3, template: %s}}}
              """
                  .formatted(pods("a:1", 0), pods("b:1", 8));
      case "pytorchjob" ->
          head.formatted("kubeflow.org/v1", "PyTorchJob")
              + """
              spec:
                runPolicy: {suspend: true, cleanPodPolicy: Running}
                pytorchReplicaSpecs:
                  Master: {replicas: 1, template: %s}
                  Worker: {replicas: 6, template: %s}
              """
                  .formatted(pods("a:1", 0), pods("b:1", 8));
      case "mpijob" ->
          head.formatted("kubeflow.org/v2beta1", "MPIJob")
              + """
              spec:
                runPolicy: {suspend: true, cleanPodPolicy: Running}
                mpiReplicaSpecs:
                  Launcher: {replicas: 1, template: %s}
                  Worker: {replicas: 6, template: %s}
              """
                  .formatted(pods("a:1", 0), pods("b:1", 8));
      case "raycluster" ->
          head.formatted("ray.io/v1", "RayCluster")
              + """
              spec:
                suspend: true
                headGroupSpec: {template: %s}
                workerGroupSpecs:
                - {groupName: Small, replicas: 3, numOfHosts: 2, template: %s}
              """
                  .formatted(pods("a:1", 0), pods("b:1", 8));
      default ->
          head.formatted("ray.io/v1", "RayJob")
              + """
              spec:
                suspend: true
                entrypoint: python train.py
                shutdownAfterJobFinishes: true
                rayClusterSpec:
                  headGroupSpec: {template: %s}
                  workerGroupSpecs:
                  - {groupName: Small, replicas: 3, numOfHosts: 2, template: %s}
              """
                  .formatted(pods("a:1", 0), pods("b:1", 8));
    };
  }

  /** The object in each state that its file knows, and with each field that it refuses. */
  private static List<String> variants(String kind) {
    String object = object(kind);
    String resumed = object.replace("suspend: true", "suspend: false");
    String cleaning = object.replace("cleanPodPolicy: Running", "cleanPodPolicy: All");
    List<String> all = new ArrayList<>(List.of(object, resumed, cleaning));
    boolean ray = kind.equals("rayjob");
    String type = kind.equals("raycluster") ? "RayCluster" : "";
    for (String phase :
        List.of(
            "Suspended",
            "Running",
            "Provisioned",
            "Succeeded",
            "Complete",
            "Completed",
            "Failed")) {
      String status =
          ray
              ? "status: {jobDeploymentStatus: %s, message: m}\n".formatted(phase)
              : "status: {conditions: [{type: %s, status: \"True\", message: m}]}\n"
                  .formatted(type + phase);
      all.add(object + status);
      all.add(resumed + status);
      all.add(resumed + status.replace("True", "False"));
    }
    Matcher refused = Pattern.compile("(?m)^ {2}(/spec/\\S+):").matcher(file(kind));
    while (refused.find()) {
      all.add(with(object, refused.group(1)));
    }
    return all;
  }

  private static String with(String object, String path) {
    GenericKubernetesResource read = read(object);
    Object at = read.getAdditionalProperties().get("spec");
    String[] steps = path.substring("/spec/".length()).split("/");
    for (int i = 0; i + 1 < steps.length; i++) {
      at = ((java.util.Map<?, ?>) at).get(steps[i]);
    }
    @SuppressWarnings("unchecked")
    java.util.Map<String, Object> parent = (java.util.Map<String, Object>) at;
    parent.put(steps[steps.length - 1], "set");
    return Serialization.asJson(read);
  }

  static GenericKubernetesResource read(String yaml) {
    return Serialization.unmarshal(yaml, GenericKubernetesResource.class);
  }

  private static FrontRequest request(Kind kind, String yaml) {
    return KindDocument.of(kind, KindObject.of(kind, read(yaml)), "eu-1", EXTENDED_RESOURCE);
  }

  private static String started(Kind kind, String yaml) {
    SortedMap<String, SortedSet<String>> nodes = new TreeMap<>();
    for (String role :
        List.of("leader", "worker", "master", "launcher", "head", "small", "pods-0", "pods-1")) {
      nodes.put(role, new TreeSet<>(List.of("node-" + role)));
    }
    try {
      KindObject object = KindObject.of(kind, read(yaml));
      return object.started(ATTEMPT, nodes) + "" + object.stopped();
    } catch (KindObject.Unreadable unreadable) {
      return unreadable.path() + unreadable.getMessage();
    }
  }

  /** Everything that Fairlead reads from and writes to objects of the kind. */
  private static String behaviour(Kind kind) {
    StringBuilder all = new StringBuilder();
    for (String variant : variants(kind.name())) {
      all.append(request(kind, variant))
          .append(KindObject.of(kind, read(variant)).state())
          .append(started(kind, variant))
          .append('\n');
    }
    return all.toString();
  }

  /** Fails when a pod template of a kind is not reserved, or its count is not read. */
  @ParameterizedTest
  @CsvSource({
    "jobset, leader, worker",
    "pytorchjob, master, worker",
    "mpijob, launcher, worker",
    "raycluster, head, small",
    "rayjob, head, small"
  })
  void eachTemplateIsARoleWithItsPods(String name, String first, String second) {
    Kind kind = Kinds.find(name).orElseThrow();
    assertThat(request(kind, object(name)))
        .isEqualTo(
            new FrontRequest.Document(
                "{\"queue\":\"research\",\"placement\":{\"clusters\":[\"eu-1\"]},\"roles\":[{\"name\":\"%s\",\"count\":1,\"image\":\"a:1\",\"cpu\":\"2000m\",\"memory\":\"4096Mi\"},{\"name\":\"%s\",\"count\":6,\"image\":\"b:1\",\"cpu\":\"2000m\",\"memory\":\"4096Mi\",\"gpu\":8}]}"
                    .formatted(first, second)));
  }

  /**
   * Each path and each condition of a file has an effect: without it, an object is read or run
   * differently.
   */
  @ParameterizedTest
  @ValueSource(strings = {"jobset", "pytorchjob", "mpijob", "raycluster", "rayjob"})
  void everyPathOfAKindFileAffectsItsBehaviour(String name) {
    String yaml = file(name);
    String right = behaviour(KindFile.read(yaml));
    Matcher path = PATH.matcher(yaml);
    int paths = 0;
    while (path.find()) {
      String other =
          path.group().startsWith("/")
              ? path.group().replaceFirst("/(spec|status)/", "/$1/elsewhere/")
              : path.group() + "x";
      String broken = yaml.substring(0, path.start()) + other + yaml.substring(path.end());
      assertThat(behaviour(KindFile.read(broken))).as(path.group()).isNotEqualTo(right);
      paths++;
    }
    assertThat(paths).isGreaterThan(6);
  }

  @ParameterizedTest
  @ValueSource(strings = {"jobset", "pytorchjob", "mpijob", "raycluster", "rayjob"})
  void startSelectsTheNodesInEachTemplateAndChangesNothingElse(String name) {
    Kind kind = Kinds.find(name).orElseThrow();
    String started = started(kind, object(name));
    String selected =
        kind.annotated()
            ? "\"fairlead.dev/nodes\":\"node-worker\""
            : "{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"node-worker\"]}]}";
    assertThat(started)
        .contains(
            "\"suspend\":false",
            selected.replace("worker", name.startsWith("ray") ? "small" : "worker"))
        .contains("\"fairlead.dev/reserved-by\":\"" + ATTEMPT.bare(), "\"app\":\"x\"", "b:1")
        .endsWith("\"suspend\":true}" + (kind.suspend().text().contains("runPolicy") ? "}" : ""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "replicas: 2|replicas: -1|/spec/replicatedJobs/1/replicas|from 0 to 10000, not -1",
        "replicas: 2|replicas: 2.5|/spec/replicatedJobs/1/replicas|not 2.5",
        "replicas: 2|replicas: 4000|/spec/replicatedJobs/1/replicas|more than 10000 pods",
        "parallelism: 3|parallelism: 9999999999|/spec/replicatedJobs/1/template/spec/parallelism|not 9999999999",
        "suspend: true|suspend: false|/spec/suspend|Create it with true",
        "image: b:1|imagePullPolicy: Always|/spec/replicatedJobs/1/template/spec/template/spec/containers/0/image|missing",
        "{app: x}}, spec: {|{app: x}}, spec: {tolerations: 3, |/spec/replicatedJobs/0/template/spec/template/spec|not a pod spec",
        "replicatedJobs:|others:|/spec/replicatedJobs/*/template/spec/template|no pod template",
        "spec: {containers|spec: {nodeName: n, containers|/spec/replicatedJobs/0/template/spec/template/spec/nodeName|selects the nodes",
        "nvidia.com/gpu|amd.com/gpu|/spec/replicatedJobs/0/template/spec/template/spec/containers|no amd.com/gpu",
        "suspend: true|suspend: true, managedBy: other|/spec/managedBy|Remove it"
      })
  void unreadableSpecIsReportedByItsPath(String good, String bad, String path, String why) {
    String changed =
        object("jobset")
            .replace(good, bad)
            .replace("suspend: true, managedBy", "suspend: true\n  managedBy");
    FrontRequest request = request(Kinds.find("jobset").orElseThrow(), changed);
    assertThat(request).isInstanceOf(FrontRequest.Inexpressible.class);
    FrontRequest.Inexpressible not = (FrontRequest.Inexpressible) request;
    assertThat(not.field()).isEqualTo(path);
    assertThat(not.why()).contains(why);
  }

  /** Fails when pods may remain after the end of an object, and hold their nodes without end. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rayjob|shutdownAfterJobFinishes: true|rayVersion: x|/spec/shutdownAfterJobFinishes|Set it to true",
        "rayjob|shutdownAfterJobFinishes: true|shutdownAfterJobFinishes: false|/spec/shutdownAfterJobFinishes|Set it to true",
        "mpijob|cleanPodPolicy: Running|slots: 1|/spec/runPolicy/cleanPodPolicy|Running or All",
        "pytorchjob|cleanPodPolicy: Running|cleanPodPolicy: None|/spec/runPolicy/cleanPodPolicy|Running or All"
      })
  void objectWhosePodsMayOutliveItIsRejected(
      String name, String good, String bad, String path, String why) {
    Kind kind = Kinds.find(name).orElseThrow();
    assertThat(request(kind, object(name).replace(good, bad)))
        .isInstanceOfSatisfying(
            FrontRequest.Inexpressible.class,
            not -> {
              assertThat(not.field()).isEqualTo(path);
              assertThat(not.why()).contains("hold their nodes", why);
            });
  }

  /** Fails when pods are pinned to nodes by a label that differs from the name of the node. */
  @Test
  void eachNodeIsSelectedByNameInASeparateTerm() throws KindObject.Unreadable {
    SortedMap<String, SortedSet<String>> nodes = new TreeMap<>();
    nodes.put("master", new TreeSet<>(List.of("a")));
    nodes.put("worker", new TreeSet<>(List.of("b", "c")));
    KindObject object =
        KindObject.of(Kinds.find("pytorchjob").orElseThrow(), read(object("pytorchjob")));
    assertThat(
            object
                .started(ATTEMPT, nodes)
                .at("/pytorchReplicaSpecs/Worker/template/spec/affinity/nodeAffinity")
                .toString())
        .isEqualTo(
            "{\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":[{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"b\"]}]},{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"c\"]}]}]}}");
  }

  /**
   * Fails when the nodes of a JobSet are written as an affinity: its webhook refuses a change of
   * the affinity, and its controller does not pass it to the Jobs that exist.
   */
  @Test
  void nodesOfAJobSetAreAnAnnotationAndASelectorThatNoNodeHas() throws KindObject.Unreadable {
    SortedMap<String, SortedSet<String>> nodes = new TreeMap<>();
    nodes.put("leader", new TreeSet<>(List.of("a")));
    nodes.put("worker", new TreeSet<>(List.of("b", "c")));
    KindObject object = KindObject.of(Kinds.find("jobset").orElseThrow(), read(object("jobset")));
    JsonNode template =
        object.started(ATTEMPT, nodes).at("/replicatedJobs/1/template/spec/template");
    assertThat(template.at("/metadata/annotations").toString())
        .isEqualTo("{\"fairlead.dev/nodes\":\"b,c\"}");
    assertThat(template.at("/spec/nodeSelector").toString())
        .isEqualTo("{\"fairlead.dev/nodes\":\"apply-cluster-front-nodes.yaml\"}");
    assertThat(template.path("spec").has("affinity")).isFalse();
  }

  /**
   * Fails when a file can direct a write of Fairlead at a different field than the fields of a
   * kind.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "suspend: /spec/suspend|suspend: /spec/hostNetwork|suspend must be a path below /spec that ends in /suspend",
        "suspend: /spec/suspend|suspend: /metadata/suspend|suspend must be a path below /spec",
        "suspended:|made: {kind: jobset, patches: /spec/replicatedJobs}\\nsuspended:|made.patches must be a path below /spec that ends in /runtimePatches",
        "suspended:|made: {kind: jobset}\\nsuspended:|made must be a mapping with kind and patches",
        "suspend: /spec/suspend|suspend: /spec/*/suspend|suspend must be one path",
        "template: /spec/replicatedJobs/*/template/spec/template|template: /spec/replicatedJobs/*/template/spec/template/spec/securityContext|pods.each.template must be a path below /spec that ends in /template",
        "template: /spec/replicatedJobs/*/template/spec/template|template: /metadata/annotations/template|pods.each.template must be",
        "/spec/replicatedJobs/*/replicas|/spec/*/jobs/*/replicas|pods.each.counts must be a path below /spec with at most one *",
        "suspended: [Suspended]|suspended: [/spec/suspend=true]|suspended must name conditions or fields",
        "suspended: [Suspended]|suspended: []|suspended must name a condition",
        "label: jobset.sigs.k8s.io/replicatedjob-name|label: name|pods.each.label must match",
        "kind: JobSet|kind: job set|kind must match",
        "apiVersion: jobset.x-k8s.io/v1alpha2|apiVersion: v1|apiVersion must match",
        "plural: jobsets|plural: ../secrets|plural must match",
        "suspended:|required: {/spec/a: true}\\nsuspended:|required./spec/a must be a mapping with values and why",
        "suspended:|required: {/metadata/a: {values: [1], why: x}}\\nsuspended:|required must be a path below /spec",
        "suspended:|required: {/spec/a: {values: [], why: x}}\\nsuspended:|required./spec/a.values must name at least one value",
        "refused:|env:|env is not a field of a kind",
        "pods:|others:|others is not a field of a kind"
      })
  void unusableFileIsRejectedByItsField(String good, String bad, String why) {
    String yaml = file("jobset").replace(good, bad.replace("\\n", "\n"));
    assertThatThrownBy(() -> KindFile.read(yaml))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  @Test
  void aFileWithoutTemplatesIsRefused() {
    String yaml = file("jobset").replaceAll("(?s)pods:.*refused:", "pods: {}\nrefused:");
    assertThatThrownBy(() -> KindFile.read(yaml))
        .satisfies(problem("kinds.least-one-pod-template"));
  }

  /** Fails when a file names a different label than the operator of its kind sets on pods. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jobset|jobset.sigs.k8s.io/replicatedjob-name|driver|driver",
        "mpijob|training.kubeflow.org/job-role|launcher|launcher",
        "pytorchjob|training.kubeflow.org/replica-type|master|master",
        "rayjob|ray.io/node-type|head|head",
        "raycluster|ray.io/group|H100|h100",
        "rayjob|ray.io/node-type|worker|",
        "jobset|other|driver|"
      })
  void eachPodBelongsToThePartOfItsLabel(
      String kind, String label, String value, @Nullable String part) {
    assertThat(Kinds.find(kind).orElseThrow().role(Map.of(label, value))).isEqualTo(part);
  }

  /** Fails when a Ray cluster that is ready, or loses its status, counts as ended. */
  @Test
  void rayClusterHasNoEndOfItsOwn() {
    Kind kind = Kinds.find("raycluster").orElseThrow();
    assertThat(variants("raycluster"))
        .extracting(variant -> KindObject.of(kind, read(variant)).state().phase())
        .contains(KindState.Phase.RUNNING, KindState.Phase.SUSPENDED)
        .doesNotContain(KindState.Phase.SUCCEEDED, KindState.Phase.FAILED);
  }

  /** Fails when a user reserves little, and starts more after the job was accepted. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "cpu: \"2\"|cpu: \"3\"",
        "gpu\": 8|gpu\": 9",
        "containers:|nodeName: n, containers:",
        "containers:|affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}}, containers:",
        "containers:|affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}, containers:"
      })
  void podsThatChangedAfterTheirAdoptionAreNotStarted(String reserved, String now) {
    Kind kind = Kinds.find("jobset").orElseThrow();
    SortedMap<String, ResourceVector> room = new TreeMap<>();
    room.put("leader", ResourceVector.of(2000, 4096, 8000, 1));
    room.put("worker", ResourceVector.of(2000, 4096, 8000, 1));
    KindObject same = KindObject.of(kind, read(object("jobset")));
    KindObject more = KindObject.of(kind, read(object("jobset").replace(reserved, now)));

    assertThatCode(() -> KindDocument.check(same, room, EXTENDED_RESOURCE))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> KindDocument.check(more, room, EXTENDED_RESOURCE))
        .isInstanceOf(KindObject.Unreadable.class);
  }

  /** Fails when an object that was preempted once is never started again. */
  @ParameterizedTest
  @CsvSource({"jobset, leader", "pytorchjob, master"})
  void nodesOfAnEarlierStartAreNotAChange(String name, String first) throws KindObject.Unreadable {
    Kind kind = Kinds.find(name).orElseThrow();
    SortedMap<String, SortedSet<String>> nodes = new TreeMap<>();
    nodes.put(first, new TreeSet<>(List.of("a")));
    nodes.put("worker", new TreeSet<>(List.of("b", "c")));
    GenericKubernetesResource object = read(object(name));
    object.setAdditionalProperty(
        "spec",
        Serialization.unmarshal(
            KindObject.of(kind, object).started(ATTEMPT, nodes).toString(), Object.class));
    SortedMap<String, ResourceVector> room = new TreeMap<>();
    room.put(first, ResourceVector.of(2000, 4096, 0, 1));
    room.put("worker", ResourceVector.of(2000, 4096, 8000, 1));

    assertThatCode(() -> KindDocument.check(KindObject.of(kind, object), room, EXTENDED_RESOURCE))
        .doesNotThrowAnyException();
  }

  /** Fails when a user hides an attempt from Fairlead by a ConfigMap in a foreign namespace. */
  @ParameterizedTest
  @CsvSource({"fairlead-vision, true", "team-a, false"})
  void onlyAnAnchorInAFairleadNamespaceNamesAnObject(String namespace, boolean names) {
    ConfigMap anchor =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withNamespace(namespace)
            .withName("anchor")
            .addToLabels(ObjectLabels.ATTEMPT, ATTEMPT.bare())
            .endMetadata()
            .addToData(InPlace.OBJECT, "team-a/jobset/train/u")
            .addToData(InPlace.ROLES, "worker=1")
            .build();

    assertThat(InPlace.of(anchor) != null).isEqualTo(names);
  }
}
