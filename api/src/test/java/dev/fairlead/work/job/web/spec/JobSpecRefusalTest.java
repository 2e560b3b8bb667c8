package dev.fairlead.work.job.web.spec;

import static dev.fairlead.work.job.web.spec.Specs.problems;
import static dev.fairlead.work.job.web.spec.Specs.spec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Values that no spec may have. Each line is one field added to a spec that is valid without it.
 */
class JobSpecRefusalTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "workers: 0                                     | /workers            | INVALID_FIELD",
        "workers: 10001                                 | /workers            | INVALID_FIELD",
        "workers: 2147483648                            | /workers            | INVALID_FIELD",
        "workers: 8.0                                   | /workers            | INVALID_FIELD",
        "workers: '8'                                   | /workers            | INVALID_FIELD",
        "minWorkers: 2                                  | /minWorkers         | INVALID_FIELD",
        "gpu: -1                                        | /gpu                | INVALID_FIELD",
        "gpu: 1.5                                       | /gpu                | INVALID_FIELD",
        "gpu: 2147483648                                | /gpu                | INVALID_FIELD",
        "gpu: 'H100:'                                   | /gpu                | INVALID_FIELD",
        "gpu: H100:0                                    | /gpu                | INVALID_FIELD",
        "gpu: H100:99999                                | /gpu                | INVALID_FIELD",
        "gpu: '8'                                       | /gpu                | INVALID_FIELD",
        "gpu: [1]                                       | /gpu                | INVALID_FIELD",
        "gpu: {}                                        | /gpu                | CONFLICTING_FIELDS",
        "gpu: {count: 1, fraction: 0.5}                 | /gpu                | CONFLICTING_FIELDS",
        "gpu: {count: 1, vendor: x}                     | /gpu/vendor         | UNKNOWN_FIELD",
        "gpu: {fraction: 1}                             | /gpu/fraction       | INVALID_FIELD",
        "gpu: {fraction: 0.005}                         | /gpu/fraction       | INVALID_FIELD",
        "gpu: {fraction: 500m}                          | /gpu/fraction       | INVALID_FIELD",
        "gpu: {fraction: 1e-400}                        | /gpu/fraction       | INVALID_FIELD",
        "gpu: {memory: 0}                               | /gpu/memory         | INVALID_FIELD",
        "gpu: {mig: 1g.11gb}                            | /gpu/mig            | INVALID_FIELD",
        "gpu: {mig: {profile: 8g.80gb}}                 | /gpu/mig/profile    | INVALID_FIELD",
        "cpu: -1                                        | /cpu                | INVALID_FIELD",
        "cpu: 0                                         | /cpu                | INVALID_FIELD",
        "cpu: 1e400                                     | /cpu                | INVALID_FIELD",
        "cpu: 1.5m                                      | /cpu                | INVALID_FIELD",
        "cpu: NaN                                       | /cpu                | INVALID_FIELD",
        "cpu: 0x10                                      | /cpu                | INVALID_FIELD",
        "cpu: true                                      | /cpu                | INVALID_FIELD",
        "memory: 1Ei                                    | /memory             | INVALID_FIELD",
        "memory: 9223372036854775808                    | /memory             | INVALID_FIELD",
        "memory: 16                                     | /memory             | INVALID_FIELD",
        "memory: 1 Gi                                   | /memory             | INVALID_FIELD",
        "shm: 100Gi                                     | /shm                | CONFLICTING_FIELDS",
        "outputs: [Model]                               | /outputs/0          | INVALID_FIELD",
        "outputs: [a, a]                                | /outputs/1          | INVALID_FIELD",
        "outputs: [a, 7]                                | /outputs/1          | INVALID_FIELD",
        "outputs: model                                 | /outputs            | INVALID_FIELD",
        "env: {A: 'x${outputs.prep.model}'}             | /env/A              | INVALID_FIELD",
        "env: {A: '${outputs.prep}'}                    | /env/A              | INVALID_FIELD",
        "env: {A: '${outputs.prep.model}'}              | /dependsOn          | INVALID_FIELD",
        "run: [a, '--m=${outputs.prep.model}']          | /run/1              | INVALID_FIELD",
        "run: 'a ${outputs.prep.model}'                 | /run                | INVALID_FIELD",
        "setup: ['a ${outputs.prep.model}']             | /setup              | INVALID_FIELD",
        "retry: {on: [OUTPUT_MISSING]}                  | /retry/on/0         | INVALID_FIELD",
        "setup: make                                    | /setup              | CONFLICTING_FIELDS",
        "sidecars: [{name: a}]                          | /sidecars/0/image   | INVALID_FIELD",
        "sidecars: [{name: main, image: x}]             | /sidecars/0/name    | INVALID_FIELD",
        "initContainers: [{name: workdir, image: x}]    | /initContainers/0/name | INVALID_FIELD",
        "initContainers: [{name: a, image: x, port: 80}] | /initContainers/0/port | UNKNOWN_FIELD",
        "sidecars: [{name: a, image: x, port: 0}]       | /sidecars/0/port    | INVALID_FIELD",
        "sidecars: [{name: a, image: x, gpu: 1}]        | /sidecars/0/gpu     | UNKNOWN_FIELD",
        "sidecars: [{name: a, image: x, securityContext: {}}] |"
            + " /sidecars/0/securityContext | UNKNOWN_FIELD",
        "sidecars: [{name: a, image: x, env: {LD_PRELOAD: x}}] |"
            + " /sidecars/0/env/LD_PRELOAD | RESERVED_NAME",
        "sidecars: [{name: a, image: x}, {name: a, image: x}] | /sidecars | CONFLICTING_FIELDS",
        "sidecars: [{name: a, image: x, port: 80}, {name: b, image: x, port: 80}] |"
            + " /sidecars | CONFLICTING_FIELDS",
        "sidecars: [{name: a, image: x, mounts: [/etc]}] | /volumes            | CONFLICTING_FIELDS",
        "setup: 1                                       | /setup              | INVALID_FIELD",
        "setup: ['']                                    | /setup/0            | INVALID_FIELD",
        "setup: [true]                                  | /setup/0            | INVALID_FIELD",
        "maxRuntime: 0s                                 | /maxRuntime         | INVALID_FIELD",
        "maxRuntime: -5m                                | /maxRuntime         | INVALID_FIELD",
        "maxRuntime: P10000000Y                         | /maxRuntime         | INVALID_FIELD",
        "maxRuntime: 3600                               | /maxRuntime         | INVALID_FIELD",
        "notBefore: 2030-02-30T00:00:00Z                | /notBefore          | INVALID_FIELD",
        "notBefore: 2030-01-01T00:00:00                 | /notBefore          | INVALID_FIELD",
        "notBefore: +999999999-01-01T00:00:00Z          | /notBefore          | INVALID_FIELD",
        "deadline: 1969-01-01T00:00:00Z                 | /deadline           | INVALID_FIELD",
        "array: 1-10                                    | /array              | INVALID_FIELD",
        "array: 0-10000                                 | /array              | INVALID_FIELD",
        "array: 0-9%0                                   | /array              | INVALID_FIELD",
        "retry: {maxAttempts: 0}                        | /retry/maxAttempts  | INVALID_FIELD",
        "retry: {on: [PREEMPTED]}                       | /retry/on/0         | INVALID_FIELD",
        "retry: {on: [GPU_FAULT, GPU_FAULT]}            | /retry/on/1         | INVALID_FIELD",
        "preemption: {gracePeriod: 2h}                  | /preemption/gracePeriod | INVALID_FIELD",
        "preemption: {checkpointTimeout: 2h}            | /preemption/checkpointTimeout |"
            + " INVALID_FIELD",
        "preemption: {checkpointTimeout: 0s}            | /preemption/checkpointTimeout |"
            + " INVALID_FIELD",
        "volumes: [{claim: a, mountPath: /var/run/fairlead}] | /volumes/0/mountPath |"
            + " INVALID_FIELD",
        "preemption: true                               | /preemption         | INVALID_FIELD",
        "priorityClass: highest                         | /priorityClass      | INVALID_FIELD",
        "onUnreachable: wait                            | /onUnreachable      | INVALID_FIELD",
        "gangRepair: 3                                  | /gangRepair         | INVALID_FIELD",
        "gangRepair: {}                                 | /gangRepair/max     | INVALID_FIELD",
        "gangRepair: {max: 0}                           | /gangRepair/max     | INVALID_FIELD",
        "gangRepair: {max: 101}                         | /gangRepair/max     | INVALID_FIELD",
        "gangRepair: {max: 1, spare: 1}                 | /gangRepair/spare   | UNKNOWN_FIELD",
        "gangRepair: {max: 1}                           | /gangRepair         | CONFLICTING_FIELDS",
        "launcher: mpirun                               | /launcher           | INVALID_FIELD",
        "launcher: torchrun                             | /run                | INVALID_FIELD",
        "run: ''                                        | /run                | INVALID_FIELD",
        "run: []                                        | /run                | INVALID_FIELD",
        "run: {sh: x}                                   | /run                | INVALID_FIELD",
        "run: [1]                                       | /run/0              | INVALID_FIELD",
        "topology: ../block                             | /topology           | INVALID_FIELD",
        "topology: {mode: REQUIRED}                     | /topology/level     | INVALID_FIELD",
        "segment: {size: 3, level: rack}                | /segment            | CONFLICTING_FIELDS",
        "spread: {level: rack, maxPerDomain: 0}         | /spread/maxPerDomain | INVALID_FIELD",
        "numa: MAYBE                                    | /numa               | INVALID_FIELD",
        "class: -x                                      | /class              | INVALID_FIELD",
        "avoidClasses: [a, -x]                          | /avoidClasses/1     | INVALID_FIELD",
        "template: {name: a}                            | /template           | UNKNOWN_FIELD",
        "placement: {clusters: [../etc]}                | /placement/clusters/0 | INVALID_FIELD",
        "placement: {capacity: [FREE]}                  | /placement/capacity/0 | INVALID_FIELD",
        "placement: {wait: {SPOT: 5m}}                  | /placement/wait/SPOT |"
            + " CONFLICTING_FIELDS",
        "placement: {nodeLabels: {kubernetes.io/hostname: a}} |"
            + " /placement/nodeLabels/kubernetes.io~1hostname | RESERVED_NAME",
        "placement: {near: [{}]}                        | /placement/near/0/jobs | INVALID_FIELD",
        "placement: {away: [{jobs: {}}]}                | /placement/away/0/jobs | INVALID_FIELD",
        "placement: {away: [{jobs: {a: b}, within: ../x}]} | /placement/away/0/within |"
            + " INVALID_FIELD",
        "placement: {away: [{jobs: {a: b}, level: rack}]} | /placement/away/0/level |"
            + " UNKNOWN_FIELD",
        "placement: {near: {jobs: {a: b}}}              | /placement/near     | INVALID_FIELD",
        "placement: {tolerations: []}                   | /placement/tolerations | UNKNOWN_FIELD",
        "volumes: [{claim: a, mountPath: /proc/x}]      | /volumes/0/mountPath | INVALID_FIELD",
        "volumes: [{claim: a, mountPath: /a/../etc}]    | /volumes/0/mountPath | INVALID_FIELD",
        "volumes: [{claim: a, mountPath: data}]         | /volumes/0/mountPath | INVALID_FIELD",
        "volumes: [{hostPath: /, mountPath: /a}]        | /volumes/0/volume   | INVALID_FIELD",
        "dependsOn: [Llama]                             | /dependsOn/0        | INVALID_FIELD",
        "dependsOn: [{job: JOB_01}]                     | /dependsOn/0/job    | INVALID_FIELD",
        "dependsOn: [{job: a, perElement: true}]        | /dependsOn/0/perElement |"
            + " CONFLICTING_FIELDS",
        "image: ''                                      | /image              | INVALID_FIELD",
        "image: a b                                     | /image              | INVALID_FIELD",
        "image: --privileged                            | /image              | INVALID_FIELD",
        "queue: Research                                | /queue              | INVALID_FIELD"
      })
  void outOfRangeValueIsRejectedWithItsPath(String field, String pointer, ProblemCode code) {
    assertThat(problems(with(field)))
        .anySatisfy(p -> {
          assertThat(p.pointer()).isEqualTo(pointer);
          assertThat(p.code()).isEqualTo(code);
        });
  }

  /** Fails when the first refused item of a list hides the others. */
  @Test
  void eachRefusedItemOfAListIsReported() {
    assertThat(problems("image: x\ndependsOn: [Llama, {job: JOB_01}]\nrun: [1, a, 2]"))
        .extracting(FieldProblem::pointer)
        .containsExactlyInAnyOrder("/dependsOn/0", "/dependsOn/1/job", "/run/0", "/run/2");
  }

  @Test
  void anArrayHasNoOutputs() {
    assertThat(problems("{image: x, outputs: [a], array: 0-3}"))
        .extracting(FieldProblem::pointer)
        .containsExactly("/outputs");
  }

  @Test
  void aMemberHasAtMostEightContainersOfAKind() {
    String nine = ", {name: a, image: x}".repeat(9).substring(1);
    assertThat(problems("{image: x, sidecars: [%s]}".formatted(nine)))
        .extracting(FieldProblem::code)
        .containsExactly(ProblemCode.LIMIT_EXCEEDED);
  }

  /** Fails when the entry point of an image is lost behind a setup. */
  @Test
  void setupRequiresACommand() {
    assertThat(problems("{image: x, setup: make, args: [a]}"))
        .extracting(FieldProblem::pointer)
        .containsExactly("/setup");
    assertThat(problems("{image: x, setup: make, roles: [{name: a, run: b}, {name: c}]}"))
        .extracting(FieldProblem::pointer)
        .containsExactly("/roles/1/setup");
  }

  @Test
  void totalLengthOfSetupCommandsIsBounded() {
    String half = "x".repeat(8 * 1024);
    assertThat(spec("{image: x, run: a, setup: [%s, %s]}".formatted(half, half)).roles())
        .allSatisfy(role -> assertThat(role.command().setup()).hasSize(2));
    assertThat(problems("{image: x, run: a, setup: [%s, %sx]}".formatted(half, half)))
        .extracting(FieldProblem::code)
        .containsExactly(ProblemCode.LIMIT_EXCEEDED);
  }

  private static String with(String field) {
    return (field.startsWith("image:") ? "" : "image: x\n") + field;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "''",
        "-a",
        "a-",
        ".",
        "..",
        ".a",
        "A",
        "a_b",
        "a.b",
        "'a b'",
        "ａ１",
        "é",
        "'a\\r\\nb'",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "1",
        "null-x-"
      })
  void nameThatIsNoLabelIsRejected(String name) {
    assertThat(problems("image: x\nname: " + name))
        .extracting(FieldProblem::pointer)
        .containsExactly("/name");
  }

  @Test
  void similarNameIsSuggested() {
    assertThat(problems("image: x\nname: My Job_1").getFirst().suggestion()).isEqualTo("my-job-1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "NVIDIA_VISIBLE_DEVICES",
        "NVIDIA_DRIVER_CAPABILITIES",
        "CUDA_VISIBLE_DEVICES",
        "FAIRLEAD_JOB_ID",
        "KUBERNETES_SERVICE_HOST",
        "LD_PRELOAD"
      })
  void reservedVariablesAreRefusedInBothMaps(String name) {
    assertThat(problems("image: x\nenv: {" + name + ": a}"))
        .extracting(FieldProblem::code)
        .containsExactly(ProblemCode.RESERVED_NAME);
    assertThat(problems("image: x\nsecretEnv: {" + name + ": {secret: s, key: k}}"))
        .extracting(FieldProblem::code)
        .containsExactly(ProblemCode.RESERVED_NAME);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'A=B': x",
        "'1A': x",
        "'': x",
        "'A B': x",
        "A: 4",
        "A: true",
        "A: [x]",
        "'\u00c4': x"
      })
  void environmentNamesAndValuesAreTexts(String entry) {
    assertThat(problems("image: x\nenv: {" + entry + "}"))
        .extracting(FieldProblem::code)
        .containsExactly(ProblemCode.INVALID_FIELD);
  }

  // Fails when the unit of other programs has no suggestion.
  @Test
  void memoryInDecimalUnitsIsSuggestedInBinaryOnes() {
    assertThat(problems("image: x\nmemory: 16GB").getFirst().suggestion()).isEqualTo("16Gi");
    assertThat(problems("image: x\nmemory: 512 mb").getFirst().suggestion()).isEqualTo("512Mi");
    assertThat(problems("image: x\nmemory: 16").getFirst().suggestion()).isEqualTo("16Gi");
  }

  @Test
  void aNumberInTheEnvironmentIsSuggestedAsText() {
    assertThat(problems("image: x\nenv: {OMP_NUM_THREADS: 4}").getFirst().suggestion())
        .isEqualTo("\"4\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "labels: {fairlead.dev/job: x}                     | RESERVED_NAME",
        "labels: {sim.fairlead.dev/kubelet: x}             | RESERVED_NAME",
        "labels: {kubernetes.io/hostname: x}               | RESERVED_NAME",
        "labels: {pod-security.kubernetes.io/enforce: x}   | RESERVED_NAME",
        "labels: {nvidia.com/gpu.product: x}               | RESERVED_NAME",
        "labels: {a/b/c: x}                                | INVALID_FIELD",
        "labels: {team: 'a b'}                             | INVALID_FIELD",
        "labels: {team: -x}                                | INVALID_FIELD",
        "labels: {team: 1}                                 | INVALID_FIELD",
        "annotations: {example.com/x: y}                   | RESERVED_NAME",
        "annotations: {container.apparmor.security.beta.kubernetes.io/x: unconfined} |"
            + " RESERVED_NAME",
        "annotations: {sim.fairlead.dev/run-fro: 20s}      | UNKNOWN_FIELD",
        "annotations: {sim.fairlead.dev/run-for: long}     | INVALID_FIELD",
        "annotations: {sim.fairlead.dev/outcome: explode}  | INVALID_FIELD",
        "annotations: {fluentbit.io/exclude: 'yes'}        | INVALID_FIELD",
        "annotations: {fluentbit.io/parser: 'a b'}         | INVALID_FIELD",
        "annotations: {fluentbit.io/parser_stdout: x}      | RESERVED_NAME"
      })
  void labelsAndAnnotationsCannotUseReservedPrefixes(String field, ProblemCode code) {
    assertThat(problems("image: x\n" + field)).extracting(FieldProblem::code).containsExactly(code);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "wokers: 2       | workers",
        "gpus: 1         | gpu",
        "Image: x        | image",
        "max_runtime: 1h | maxRuntime",
        "privileged: true |",
        "hostNetwork: true |",
        "state: RUNNING  |",
        "tenantId: x     |",
        "priority: 9000  | priorityClass",
        "nodeName: gpu-1 |"
      })
  void unknownFieldIsRejectedWithTheNearestName(String field, String suggestion) {
    List<FieldProblem> problems = problems("image: x\n" + field);

    assertThat(problems).extracting(FieldProblem::code).containsExactly(ProblemCode.UNKNOWN_FIELD);
    if (suggestion != null) {
      assertThat(problems.getFirst().suggestion()).isEqualTo(suggestion);
    }
  }

  /** Fails when the idle time of one member suspends the others. */
  @Test
  void onlySingleMemberJobsAreSuspendedByIdleTime() {
    String idle = "image: x\nprogress: {timeout: 1h, onTimeout: SUSPEND}\n";
    String conflict = "/progress CONFLICTING_FIELDS";

    assertThat(spec(idle).progress()).isNotNull();
    for (String several :
        List.of(
            "workers: 2",
            "workers: 2\nminWorkers: 1\nlauncher: torchrun\nrun: [train.py]",
            "array: 0-3",
            "roles: [{name: a}, {name: b}]")) {
      assertThat(problems(idle + several))
          .as(several)
          .extracting(p -> p.pointer() + " " + p.code())
          .containsExactly(conflict);
    }
    assertThat(spec("image: x\nworkers: 2\nprogress: {timeout: 1h}").progress()).isNotNull();
    assertThat(problems("image: x\nprogress: {timeout: 1h, onTimeout: STOP}"))
        .extracting(FieldProblem::pointer)
        .containsExactly("/progress/onTimeout");
  }

  @Test
  void rolesExcludeRoleFieldsAtTheTopLevel() {
    assertThat(problems("image: x\nworkers: 2\ngpu: 1\nroles: [{name: a}]"))
        .extracting(p -> p.pointer() + " " + p.code())
        .containsExactlyInAnyOrder("/workers CONFLICTING_FIELDS", "/gpu CONFLICTING_FIELDS");
    assertThat(problems("image: x\nroles: []"))
        .extracting(FieldProblem::pointer)
        .containsExactly("/roles");
    assertThat(problems("image: x\nroles: [{name: a}, {name: a}]"))
        .extracting(FieldProblem::pointer)
        .containsExactly("/roles/1");
    assertThat(problems("roles: [{name: a}]"))
        .extracting(FieldProblem::pointer)
        .containsExactly("/roles/0/image");
    assertThat(problems("image: x\nroles: [{name: a, count: 9999}, {name: b, count: 9999}]"))
        .extracting(FieldProblem::code)
        .containsExactly(ProblemCode.LIMIT_EXCEEDED);
  }

  @Test
  void sizesOfMapsAndSpecsAreBounded() {
    StringBuilder labels = new StringBuilder("image: x\nlabels: {");
    for (int i = 0; i < 10_000; i++) {
      labels.append("l").append(i).append(": x,");
    }
    String big = "image: x\nenv: {A: " + "x".repeat(60_000) + ", B: " + "x".repeat(60_000) + "}";

    assertThat(problems(labels.append("}").toString()))
        .extracting(FieldProblem::code)
        .containsExactly(ProblemCode.LIMIT_EXCEEDED);
    assertThat(problems(big))
        .extracting(FieldProblem::code)
        .containsExactly(ProblemCode.LIMIT_EXCEEDED);
  }

  @Test
  void runAndCommandAreMutuallyExclusive() {
    assertThat(problems("image: x\nrun: a\nargs: [b]"))
        .extracting(FieldProblem::code)
        .containsExactly(ProblemCode.CONFLICTING_FIELDS);
  }

  /** Fails when a field that is read twice is reported twice. */
  @Test
  void invalidDependencyIsReportedOnce() {
    assertThat(problems("image: x\ndependsOn: [{job: prep, condition: DONE}]"))
        .extracting(FieldProblem::pointer)
        .containsExactly("/dependsOn/0/condition");
  }

  /** Fails when a suggestion is a sentence, because clients offer it as a value. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "array: 5-1",
        "placement: {maxCost: 30, currency: EUR}",
        "placement: {currency: EUR}"
      })
  void anExampleIsInTheDetailAndIsNotASuggestion(String field) {
    assertThat(problems("image: x\n" + field))
        .singleElement()
        .satisfies(problem -> {
          assertThat(problem.detail()).containsAnyOf("such as 0-99%8", "for example");
          assertThat(problem.suggestion()).isNull();
        });
  }

  @Test
  void nodeLabelsAllowedByTheOperatorAreAccepted() {
    assertThat(Specs.spec("image: x\nplacement: {nodeLabels: {pool: a}}").placement().nodeLabels())
        .containsEntry("pool", "a");
  }
}
