package dev.fairlead.work.job.web.spec;

import static dev.fairlead.work.job.web.spec.Specs.problems;
import static dev.fairlead.work.job.web.spec.Specs.spec;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A job spec is not a pod spec: it accepts no field of the Kubernetes schema. */
class PodFieldsTest {
  /** The client library's schema. This code does not depend on an adapter. */
  private static final String MODEL = "io.fabric8.kubernetes.api.model.";

  /** The position of an object in a spec; {@code %s} takes one field more. */
  private static final Map<String, String> PLACES =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("", "{image: x, %s}"),
              Map.entry("/roles/0", "{roles: [{name: a, image: x, %s}]}"),
              Map.entry("/gpu", "{image: x, gpu: {count: 1, %s}}"),
              Map.entry("/placement", "{image: x, placement: {%s}}"),
              Map.entry("/volumes/0", "{image: x, volumes: [{claim: c, mountPath: /data, %s}]}"),
              Map.entry("/preemption", "{image: x, preemption: {%s}}"),
              Map.entry("/retry", "{image: x, retry: {%s}}"),
              Map.entry("/topology", "{image: x, topology: {level: rack, %s}}"),
              Map.entry("/secretEnv/A", "{image: x, secretEnv: {A: {secret: s, key: k, %s}}}"),
              Map.entry("/sidecars/0", "{image: x, sidecars: [{name: a, image: x, %s}]}"),
              Map.entry(
                  "/initContainers/0", "{image: x, initContainers: [{name: a, image: x, %s}]}")));

  private static final List<String> VALUES = List.of("true", "[x]", "{x: y}");

  /** Names that a spec also has, with a different meaning and type. */
  private static final Set<String> OWN =
      Set.of(
          "/annotations",
          "/args",
          "/command",
          "/env",
          "/image",
          "/initContainers",
          "/initContainers/0/args",
          "/initContainers/0/command",
          "/initContainers/0/env",
          "/initContainers/0/image",
          "/initContainers/0/name",
          "/labels",
          "/name",
          "/roles/0/args",
          "/roles/0/command",
          "/roles/0/env",
          "/roles/0/image",
          "/roles/0/initContainers",
          "/roles/0/name",
          "/secretEnv/A/key",
          "/secretEnv/A/secret",
          "/sidecars/0/args",
          "/sidecars/0/command",
          "/sidecars/0/env",
          "/sidecars/0/image",
          "/sidecars/0/name",
          "/sidecars/0/port",
          "/topology/level",
          "/topology/mode",
          "/volumes",
          "/volumes/0/mountPath",
          "/volumes/0/readOnly",
          "/volumes/0/secret",
          "/volumes/0/volume");

  private static Set<String> fields() throws ClassNotFoundException {
    Set<String> names = new TreeSet<>();
    collect(Class.forName(MODEL + "PodSpec"), names, new TreeSet<>());
    return names;
  }

  private static void collect(Class<?> type, Set<String> names, Set<String> seen) {
    if (!seen.add(type.getName())) {
      return;
    }
    for (Field field : type.getDeclaredFields()) {
      JsonProperty property = field.getAnnotation(JsonProperty.class);
      if (property != null) {
        names.add(property.value());
        follow(field.getGenericType(), names, seen);
      }
    }
  }

  private static void follow(Type type, Set<String> names, Set<String> seen) {
    switch (type) {
      case Class<?> one when one.getName().startsWith(MODEL) -> collect(one, names, seen);
      case ParameterizedType several -> {
        for (Type argument : several.getActualTypeArguments()) {
          follow(argument, names, seen);
        }
      }
      default -> {}
    }
  }

  /** Fails when a field of the schema is accepted, or ignored, anywhere in a spec. */
  @Test
  void eachUnsupportedPodFieldIsRejectedByName() throws ClassNotFoundException {
    Set<String> fields = fields();
    assertThat(fields)
        .hasSizeGreaterThan(200)
        .contains("hostNetwork", "privileged", "hostPath", "sysctls", "initContainers");
    int injected = 0;
    Set<String> taken = new TreeSet<>();
    for (Map.Entry<String, String> place : PLACES.entrySet()) {
      for (String field : fields) {
        for (String value : VALUES) {
          String pointer = place.getKey() + "/" + field;
          if (!refused(place.getValue().formatted(field + ": " + value), pointer)) {
            taken.add(pointer);
          }
          injected++;
        }
      }
    }
    assertThat(taken).containsExactlyInAnyOrderElementsOf(OWN);
    System.out.printf(
        "security pod schema: %d fields at %d places, %d specs, refused but for %d names that jobs"
            + " have too%n",
        fields.size(), PLACES.size(), injected, OWN.size());
  }

  private static boolean refused(String yaml, String pointer) {
    FieldProblems problems = new FieldProblems();
    try {
      new JobSpecReader(List.of(), () -> new LimitBook(List.of(), 0))
          .read(Specs.body(yaml).value(problems));
    } catch (Refusal twice) {
      return false; // the enclosing spec has that field
    }
    return problems.all().stream()
        .anyMatch(it -> it.code() == ProblemCode.UNKNOWN_FIELD && it.pointer().equals(pointer));
  }

  /** Fails when a field of the same name in Kubernetes is read with its Kubernetes meaning. */
  @Test
  void podFieldsWithTheSameNameDoNotCollide() {
    for (String yaml :
        List.of(
            "{image: x, env: [{name: A, value: b}]}",
            "{image: x, env: {A: {valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}}}",
            "{image: x, volumes: [{name: a, hostPath: {path: /}}]}",
            "{image: x, volumes: {name: a}}",
            "{image: x, volumes: [{claim: c, mountPath: ../etc}]}",
            "{image: x, volumes: [{secret: {secretName: a}, mountPath: /a}]}",
            "{image: x, secretEnv: {A: {secretKeyRef: {name: a, key: b}}}}",
            "{image: {repository: x}}",
            "{image: x, sidecars: [{name: a, image: x, env: [{name: A, value: b}]}]}",
            "{image: x, initContainers: [{name: a, image: x, mounts: [{name: tmp}]}]}",
            "{image: x, command: {exec: [sh]}}",
            "{image: x, labels: {fairlead.dev/job: other}}",
            "{image: x, annotations: {sidecar.istio.io/inject: 'true'}}")) {
      assertThat(problems(yaml)).as(yaml).isNotEmpty();
    }
  }

  /**
   * Fails when the specs above are refused for a different reason than the field that is injected.
   */
  @Test
  void specWithoutPodFieldsIsAccepted() {
    PLACES
        .values()
        .forEach(
            place -> assertThat(spec(place.replace(", %s", "").replace("%s", ""))).isNotNull());
  }

  /** Fails when a sidecar uses the rendezvous port of the gang. */
  @ParameterizedTest
  @CsvSource({"torchrun,29500", "ray,8265", "tensorflow,2222", "jax,29500"})
  void portOfTheLauncherIsRefusedForASidecar(String launcher, int port) {
    String job = "image: x\nrun: x\nlauncher: %s\nsidecars: [{name: a, image: x, port: %d}]\n";

    assertThat(problems(job.formatted(launcher, port)))
        .singleElement()
        .satisfies(p -> {
          assertThat(p.pointer()).isEqualTo("/sidecars/0/port");
          assertThat(p.detail()).contains("is a port of launcher " + launcher + ": " + port);
        });
    assertThat(spec(job.formatted("none", port)).launcher()).isEqualTo("none");
  }

  /** Fails when a container with the variables of its launcher joins a gang as another member. */
  @ParameterizedTest
  @CsvSource({"tensorflow, TF_CONFIG", "mpi, MPIEXEC_PORT_RANGE", "torchrun, PET_RDZV_ENDPOINT"})
  void variableOfTheLauncherIsRefusedForOtherContainers(String launcher, String name) {
    for (String kind : List.of("sidecars", "initContainers")) {
      String job = "image: x\nrun: x\nlauncher: %s\n%s: [{name: a, image: x, env: {%s: x}}]\n";
      assertThat(problems(job.formatted(launcher, kind, name)))
          .singleElement()
          .satisfies(p -> {
            assertThat(p.pointer()).isEqualTo("/" + kind + "/0/env/" + name);
            assertThat(p.code()).isEqualTo(ProblemCode.RESERVED_NAME);
          });
    }
  }
}
