package dev.fairlead.work.job.web.spec;

import static dev.fairlead.kernel.text.Texts.problem;
import static dev.fairlead.work.job.web.spec.Specs.problems;
import static dev.fairlead.work.job.web.spec.Specs.spec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.limit.SetLimits;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.HostileBodies;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.spec.ArrayRange;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.ContainerSpec;
import dev.fairlead.work.spec.ExtraContainers;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.spec.RetryPolicy;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.TopologySpec;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class JobSpecReaderTest {
  private static RoleSpec only(JobSpec spec) {
    assertThat(spec.roles()).hasSize(1);
    return spec.roles().getFirst();
  }

  /** Fails when the page of the job file shows an example that a submit refuses. */
  @ParameterizedTest
  @MethodSource("examples")
  void theExampleOfEachFieldIsAccepted(String field, String example) {
    SortedMap<String, String> given = new TreeMap<>();
    given.put("image", "x");
    given.put(field.equals("args") ? "command" : "run", field.equals("args") ? "[x]" : "x");
    given.putAll(Map.of("workers", "4", "gpu", "1", "memory", "64Gi"));
    switch (field) {
      case "command" -> given.remove("run");
      case "gangRepair" -> given.put("launcher", "torchrun");
      case "initContainers" -> given.put("volumes", "[{volume: v, mountPath: /data}]");
      case "rayPool" -> given.keySet().removeAll(List.of("workers", "gpu"));
      case "roles" -> given.keySet().removeAll(List.of("workers", "gpu", "memory"));
      default -> {}
    }
    given.put(field, example);

    assertThat(spec(given.toString().replace("=", ": "))).isNotNull();
  }

  static Stream<Arguments> examples() throws IOException {
    Properties fields = new Properties();
    try (InputStream in =
        JobSpecReaderTest.class.getResourceAsStream("/openapi/job-fields.properties")) {
      fields.load(in);
    }
    String schema = "SubmitJobRequest.";
    return fields.stringPropertyNames().stream()
        .filter(name -> name.startsWith(schema))
        .filter(name -> SubmitJobRequest.fields().contains(name.substring(schema.length())))
        .sorted()
        .map(name -> Arguments.of(name.substring(schema.length()), fields.getProperty(name)));
  }

  @Test
  void minimalSpecGetsEveryDefault() {
    JobSpec spec = spec("image: ubuntu");

    assertThat(spec.name()).isEmpty();
    assertThat(spec.queue()).isEmpty();
    assertThat(spec.priorityClass()).isEqualTo(PriorityClass.NORMAL);
    assertThat(spec.placement()).isEqualTo(PlacementSpec.ANYWHERE);
    assertThat(spec.retry()).isEqualTo(RetryPolicy.DEFAULT);
    assertThat(spec.preemption())
        .isEqualTo(new JobSpec.PreemptionSpec(true, Duration.ofSeconds(30), Duration.ZERO));
    assertThat(spec.onUnreachable()).isEqualTo(JobSpec.OnUnreachable.WAIT);
    assertThat(spec.onDependencyFailure()).isEqualTo(JobSpec.OnDependencyFailure.FAIL);
    RoleSpec role = only(spec);
    assertThat(role.name()).isEqualTo("worker");
    assertThat(List.of(role.count(), role.minCount())).containsExactly(1, 1);
    assertThat(role.command()).isEqualTo(CommandSpec.OF_IMAGE);
    assertThat(role.gpu()).isEqualTo(GpuRequest.NONE);
    assertThat(List.of(role.cpuMilli(), role.memoryMiB(), role.shmMiB()))
        .containsExactly(1000L, 2048L, 64L);
  }

  @Test
  void setupIsOneTextOrAListAndRolesWithoutSetupInheritIt() {
    assertThat(only(spec("{image: x, run: a, setup: 'pip install .'}")).command().setup())
        .containsExactly("pip install .");
    JobSpec spec =
        spec(
            "{image: x, run: a, setup: [b, c], roles: [{name: one}, {name: two, setup: d}, {name:"
                + " three, setup: []}]}");
    assertThat(spec.roles().stream().map(role -> role.command().setup()))
        .containsExactly(List.of("b", "c"), List.of("d"), List.of());
  }

  @Test
  void rolesWithoutContainersInheritThoseOfTheJob() {
    JobSpec spec =
        spec(
            "{image: x, volumes: [{volume: data, mountPath: /data}], sidecars: [{name: proxy, image:"
                + " p, mounts: [/data]}], roles: [{name: one}, {name: two, sidecars: []}]}");
    ExtraContainers first = spec.roles().getFirst().extraContainers();
    assertThat(first.init()).isEmpty();
    assertThat(first.sidecars())
        .containsExactly(
            new ContainerSpec(
                "proxy",
                "p",
                CommandSpec.OF_IMAGE,
                new TreeMap<>(),
                100,
                256,
                null,
                List.of("/data")));
    assertThat(spec.roles().getLast().extraContainers()).isEqualTo(ExtraContainers.NONE);
  }

  @Test
  void largeExampleIsReadInFull() {
    JobSpec spec =
        spec(
            """
            name: llama-sft
            queue: research
            priorityClass: high
            image: registry.example.com/nlp/train:2.9
            workers: 8
            gpu: H100:8
            cpu: 96
            memory: 1Ti
            topology: block
            launcher: torchrun
            run: train.py --config cfg.yaml
            env: {NCCL_DEBUG: WARN}
            placement: {clusters: [eu-1, us-2], capacity: [RESERVED, ON_DEMAND], wait: {RESERVED: 30m}}
            maxRuntime: 48h
            preemption: {allowed: true, gracePeriod: 120s}
            retry: {maxAttempts: 5, on: [NODE_FAILURE, GPU_FAULT]}
            array: 0-99%8
            labels: {team: nlp}
            annotations: {sim.fairlead.dev/run-for: 20s}
            """);

    RoleSpec role = only(spec);
    assertThat(role.gpu()).isEqualTo(GpuRequest.whole(8, "H100"));
    assertThat(List.of(role.cpuMilli(), role.memoryMiB(), role.shmMiB()))
        .containsExactly(96_000L, 1L << 20, 1024L);
    assertThat(role.command()).isEqualTo(CommandSpec.shell("train.py --config cfg.yaml"));
    assertThat(spec.placement().topology())
        .isEqualTo(new TopologySpec("block", TopologySpec.Mode.REQUIRED));
    assertThat(spec.placement().clusters()).containsExactly("eu-1", "us-2");
    assertThat(spec.placement().waits())
        .containsEntry(CapacityType.RESERVED, Duration.ofMinutes(30));
    assertThat(spec.retry())
        .isEqualTo(new RetryPolicy(5, List.of(FailureCause.NODE_FAILURE, FailureCause.GPU_FAULT)));
    assertThat(spec.preemption().allowed()).isTrue();
    assertThat(spec.array()).isEqualTo(new ArrayRange(100, 8));
    assertThat(spec.maxRuntime()).isEqualTo(Duration.ofHours(48));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1                                        | WHOLE    | 1 | 0   | 0     |",
        "H100:8                                   | WHOLE    | 8 | 0   | 0     | H100",
        "h100:8                                   | WHOLE    | 8 | 0   | 0     | H100",
        "{model: [a100, l40S], count: 2}          | WHOLE    | 2 | 0   | 0     | A100,L40S",
        "L4                                       | WHOLE    | 1 | 0   | 0     | L4",
        "A100                                     | WHOLE    | 1 | 0   | 0     | A100",
        "MI300X:4                                 | WHOLE    | 4 | 0   | 0     | MI300X",
        "{model: [H100, H200], count: 2}          | WHOLE    | 2 | 0   | 0     | H100,H200",
        "{fraction: 0.5}                          | FRACTION | 0 | 500 | 0     |",
        "{fraction: 0.3333}                       | FRACTION | 0 | 334 | 0     |",
        "{memory: 20Gi, model: H100}              | MEMORY   | 0 | 0   | 20480 | H100",
        "{mig: 1g.10gb}                           | MIG      | 1 | 0   | 0     |",
        "{mig: {profile: 3g.40gb, count: 2}}      | MIG      | 2 | 0   | 0     |",
        "0                                        | NONE     | 0 | 0   | 0     |"
      })
  void gpuIsReadInEveryForm(
      String gpu, GpuRequest.Kind kind, int count, int milli, long mib, String models) {
    GpuRequest request = only(spec("image: x\ngpu: " + gpu)).gpu();

    assertThat(request.kind()).isEqualTo(kind);
    assertThat(List.of(request.count(), request.fractionMilli())).containsExactly(count, milli);
    assertThat(request.memoryMiB()).isEqualTo(mib);
    assertThat(request.models()).isEqualTo(models == null ? List.of() : List.of(models.split(",")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1                   | 4000  | 16384  | 1024",
        "8                   | 32000 | 131072 | 1024",
        "{fraction: 0.5}     | 2000  | 8192   | 1024",
        "{fraction: 0.01}    | 1000  | 2048   | 1024",
        "{memory: 10Gi}      | 1000  | 2048   | 1024",
        "{mig: 7g.80gb}      | 4000  | 16384  | 1024"
      })
  void cpuAndMemoryDefaultByGpusUnlessSet(String gpu, long cpu, long memory, long shm) {
    RoleSpec role = only(spec("image: x\ngpu: " + gpu));

    assertThat(List.of(role.cpuMilli(), role.memoryMiB(), role.shmMiB()))
        .containsExactly(cpu, memory, shm);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "run: nvidia-smi -L              | /bin/sh,-c           | nvidia-smi -L",
        "run: [python, train.py]         | python,train.py      |",
        "command: [a]                    | a                    |",
        "{command: [a], args: [b, c]}    | a                    | b,c",
        "args: [b]                       |                      | b"
      })
  void commandsAreReadInEveryForm(String text, String command, String args) {
    CommandSpec read = only(spec(yaml(text))).command();

    assertThat(read.command()).isEqualTo(command == null ? List.of() : List.of(command.split(",")));
    assertThat(read.args()).isEqualTo(args == null ? List.of() : List.of(args.split(",")));
  }

  private static String yaml(String text) {
    return text.startsWith("{") ? text.replace("{", "{image: x, ") : "image: x\n" + text;
  }

  /** Fails when the arguments of a launcher become part of the job's command. */
  @Test
  void commandIsStoredWithoutLauncherArguments() {
    assertThat(only(spec("image: x\nlauncher: torchrun\nrun: [train.py, --lr, '1']")).command())
        .isEqualTo(CommandSpec.exec(List.of("train.py", "--lr", "1")));
    assertThat(spec("image: x\nlauncher: mpi\nrun: ./solver").launcher()).isEqualTo("mpi");
  }

  /** Fails when callers have to repeat the command of a session type. */
  @Test
  void launcherUsesTheJobCommandWithoutOneOfItsOwn() {
    assertThat(only(spec("image: x\nlauncher: code-server")).command())
        .isEqualTo(CommandSpec.exec(List.of("code-server")));
    assertThat(only(spec("image: x\nlauncher: jupyter\nrun: [jupyter, notebook]")).command())
        .isEqualTo(CommandSpec.exec(List.of("jupyter", "notebook")));
  }

  /** Fails when a job of a Ray pool starts a separate cluster, or cannot be submitted again. */
  @Test
  void jobWithARayPoolIsADriverThatWaitsForACluster() {
    JobSpec driver = spec("image: ray\nrun: python x.py\nrayPool: small");
    assertThat(driver.launcher()).isEqualTo("ray-driver");
    assertThat(driver.labels()).containsEntry("fairlead.dev/ray-pool", "small");
    assertThat(driver.placement().near()).hasSize(1);
    JobSpecResponse shown =
        JobSpecResponse.of(RayPoolJob.assigned(driver, "small-ray-1", "ray://head:10001"));
    assertThat(shown.rayPool()).isEqualTo("small");
    assertThat(shown.placement().near()).isEmpty();
    assertThat(shown.env()).isEmpty();
    assertThat(shown.labels()).isEmpty();
    assertThat(problems("image: x\nrun: x\nrayPool: small\nworkers: 2").getFirst().detail())
        .contains("has one member");
    assertThat(problems("image: x\nrun: x\nrayPool: small\ngpu: 1").getFirst().detail())
        .contains("has no GPU of its own");
    assertThat(problems("image: x\nrun: x\nrayPool: small\nlauncher: ray").getFirst().detail())
        .contains("remove launcher: ray");
    assertThat(problems("image: x\nrun: x\nlauncher: ray-driver").getFirst().detail())
        .contains("needs rayPool");
    assertThat(problems("image: x\nrun: x\nrayPool: a\nenv: {RAY_ADDRESS: x}").getFirst().detail())
        .contains("RAY_ADDRESS is set by the platform");
  }

  @Test
  void rolesInheritJobFieldsAndOverrideThem() {
    JobSpec spec =
        spec(
            """
            image: base
            run: serve
            env: {A: a, B: b}
            roles:
              - {name: driver, cpu: 2}
              - {name: worker, count: 4, minCount: 2, image: gpu-image, run: [work], gpu: 1, env: {B: own}, topology: prefer rack}
            """);

    RoleSpec driver = spec.roles().get(0);
    RoleSpec worker = spec.roles().get(1);
    assertThat(driver.image()).isEqualTo("base");
    assertThat(driver.command()).isEqualTo(CommandSpec.shell("serve"));
    assertThat(worker.image()).isEqualTo("gpu-image");
    assertThat(worker.env()).containsEntry("A", "a").containsEntry("B", "own");
    assertThat(List.of(worker.count(), worker.minCount())).containsExactly(4, 2);
    assertThat(worker.topology()).isEqualTo(new TopologySpec("rack", TopologySpec.Mode.PREFERRED));
    assertThat(spec.placement().topology()).isNull();
  }

  @Test
  void priorityDecidesPreemptibilityUnlessTheJobSetsIt() {
    assertThat(spec("image: x\npriorityClass: low").preemption().allowed()).isTrue();
    assertThat(spec("image: x\npriorityClass: urgent").preemption().allowed()).isFalse();
    assertThat(
            spec("image: x\npriorityClass: normal\npreemption: {allowed: false}")
                .preemption()
                .allowed())
        .isFalse();
  }

  @Test
  void allProblemsOfABodyAreReportedTogether() {
    assertThat(problems("nmae: a\nworkers: 0\ngpu: -1\nlabels: {a b: c}"))
        .extracting(p -> p.pointer() + " " + p.code())
        .containsExactlyInAnyOrder(
            "/image INVALID_FIELD",
            "/workers INVALID_FIELD",
            "/gpu INVALID_FIELD",
            "/labels/a b INVALID_FIELD",
            "/nmae UNKNOWN_FIELD");
  }

  /** Fails when the limit of the project, or of its tenant, is ignored. */
  @Test
  void specSizeIsLimitedByItsProject() {
    TenantId tenant = new TenantId(new UUID(0, 1));
    LimitBook book = book(tenant, Limit.SPEC_BYTES, 1024);
    FieldProblems problems = new FieldProblems();
    Actor ana = new Actor(tenant, "ana", Role.PROJECT_MEMBER);
    String body = "{image: x, env: {LONG: " + "y".repeat(1024) + "}}";

    NewJob read =
        new JobSpecReader(List.of(), () -> book)
            .submitted(ana, "nlp", Specs.body(body).value(problems))
            .orElseThrow();

    assertThat(problems.none()).isTrue();
    assertThat(read.refused())
        .satisfies(problem("job-spec-reader.spec-most-bytes-limit", 1024, "specBytes"));
  }

  /** Fails when a job's settings for all its roles are bounded as sent, not as stored. */
  @Test
  void fieldsForAllRolesApplyToEach() {
    assertThat(sixteenRoles(65_536, "env: {LONG: " + "y".repeat(60_000) + "}").refused())
        .hasMessageContainingAll("/roles: ", "262144 bytes", "not 96")
        .hasMessageContainingAll("4 times", "limit specBytes of the tenant");
    assertThat(sixteenRoles(65_536, "run: " + "y".repeat(20_000)).refused())
        .hasMessageContaining("count once per role");
  }

  /** Fails when ordinary variables of many roles are rejected, or the defaults of a role. */
  @Test
  void rolesShareSmallFields() {
    assertThat(sixteenRoles(65_536, "env: {LONG: " + "y".repeat(15_000) + "}").refused()).isNull();
    assertThat(sixteenRoles(1024, "run: train").refused()).isNull();
  }

  private static NewJob sixteenRoles(long most, String shared) {
    String roles =
        IntStream.range(0, 16).mapToObj(i -> "{name: r" + i + "}").collect(Collectors.joining(","));
    return limited(Limit.SPEC_BYTES, most, "{image: x, " + shared + ", roles: [" + roles + "]}");
  }

  /** Fails when an array is not compared with the limit, or the place of the error is lost. */
  @Test
  void arraySizeIsLimitedByItsProject() {
    assertThat(arrayOfTwelve(12).refused()).isNull();
    Refusal refused = arrayOfTwelve(11).refused();
    assertThat(refused)
        .satisfies(
            problem(
                "job-spec-reader.array-most-elements-limit", "/array", 11, 12, "arrayElements"));
    assertThat(refused.problems().getFirst().suggestion()).isEqualTo("0-10");
  }

  private static NewJob arrayOfTwelve(long most) {
    return limited(Limit.ARRAY_ELEMENTS, most, "{image: x, array: 0-11}");
  }

  /** Fails when a job without maxRuntime passes a limit on maxRuntime. */
  @Test
  void runtimeIsRequiredAndBoundedWhenTheProjectLimitsIt() {
    assertThat(limited(Limit.MAX_RUNTIME, 7200, "{image: x, maxRuntime: 2h}").refused()).isNull();
    Refusal without = limited(Limit.MAX_RUNTIME, 7200, "{image: x}").refused();
    assertThat(without)
        .satisfies(
            problem(
                "job-spec-reader.job-maxruntime-most-none",
                "/maxRuntime",
                "maxRuntime",
                "2h",
                "maxRuntimeSeconds"));
    assertThat(without.problems().getFirst().suggestion()).isEqualTo("2h");
    assertThat(limited(Limit.MAX_RUNTIME, 7200, "{image: x, maxRuntime: 7201s}").refused())
        .hasMessageContaining("of at most 2h, not 7201s");
  }

  private static LimitBook book(TenantId tenant, Limit limit, long most) {
    ConfigDocument<SetLimits> none = SetLimits.none(tenant, null);
    SetLimits set = none.value().with(new TreeMap<>(Map.of(limit, most)));
    return new LimitBook(List.of(none.with(set)), 0);
  }

  private static NewJob limited(Limit limit, long most, String spec) {
    TenantId tenant = new TenantId(new UUID(0, 1));
    LimitBook book = book(tenant, limit, most);
    return new JobSpecReader(List.of(), () -> book)
        .submitted(
            new Actor(tenant, "ana", Role.PROJECT_MEMBER),
            "nlp",
            Specs.body(spec).value(new FieldProblems()))
        .orElseThrow();
  }

  /** Fails when names are read as ids, or lose the position for error messages. */
  @Test
  void dependenciesAreIdsOrNamesAndRetainTheirOrder() {
    FieldProblems problems = new FieldProblems();
    NewJob read =
        new JobSpecReader(List.of(), () -> new LimitBook(List.of(), 0))
            .submitted(
                new Actor(new TenantId(new UUID(0, 1)), "ana", Role.PROJECT_MEMBER),
                "nlp",
                Specs.body(
                        "{image: x, array: 0-3, dependsOn: [prepare,"
                            + " job_01k00000000000000000000000, {job: data, condition: ENDED},"
                            + " {job: shard, perElement: true}]}")
                    .value(problems))
            .orElseThrow();

    assertThat(read.named())
        .containsExactly(
            new NewJob.Named(0, "prepare", JobSpec.Dependency.Condition.SUCCEEDED),
            new NewJob.Named(2, "data", JobSpec.Dependency.Condition.ENDED),
            new NewJob.Named(3, "shard", JobSpec.Dependency.Condition.SUCCEEDED, true));
    assertThat(read.spec().dependsOn()).hasSize(1);
    assertThat(problems.all()).isEmpty();
  }

  /** Fails when a rule of a job reads a refused or absent value, which ends a submit with 500. */
  @Test
  void everyBodyIsExpandedOrRefused() {
    Random random = new Random(7);
    for (int i = 0; i < 200; i++) {
      Map<String, @Nullable Object> body = HostileBodies.body(SubmitJobRequest.class, random);
      FieldProblems problems = new FieldProblems();
      boolean read =
          new JobSpecReader(List.of(), () -> new LimitBook(List.of(), 0))
              .read(HostileBodies.read(body).value(problems))
              .isPresent();
      assertThat(read).as("%s", body).isEqualTo(problems.none());
    }
  }
}
