package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.launcher.Launcher;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.ContainerSpec;
import dev.fairlead.work.spec.ExtraContainers;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.RoleSpecBuilder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Expands the roles of a bound job: a single role {@code worker} from the job's own fields, or the
 * list {@code roles}. Reports the conflicts of a role with the job and its launcher.
 */
final class RoleSpecs {
  static final String WORKER = "worker";
  private static final String ROLES = "roles";
  private static final String IMAGE = "image";
  private static final String INIT_CONTAINERS = "initContainers";
  private static final String SIDECARS = "sidecars";
  private static final List<String> PROGRAM = List.of("run", "command", "args");
  private final Fields fields;
  private final SubmitJobRequest job;
  private final Launcher launcher;
  private final ExtraContainers ofJob;
  private final SortedMap<String, RoleSpec.SecretKey> secretEnv = new TreeMap<>();

  private RoleSpecs(Fields fields, SubmitJobRequest job, Launcher launcher) {
    this.fields = fields;
    this.job = job;
    this.launcher = launcher;
    ProgramFields.reserved(fields, "env", launcher);
    ProgramFields.reserved(fields, "secretEnv", launcher);
    this.ofJob = containers(fields, job, ExtraContainers.NONE);
    if (job.secretEnv() != null) {
      job.secretEnv().forEach((name, key) -> secretEnv.put(name, key.spec()));
    }
  }

  /** At least one role, unless a problem was reported. */
  static List<RoleSpec> of(Fields fields, SubmitJobRequest job, Launcher launcher) {
    RoleSpecs roles = new RoleSpecs(fields, job, launcher);
    return fields.has(ROLES) ? roles.listed() : List.of(roles.workers());
  }

  private RoleSpec workers() {
    Optional<Value> _ =
        fields.required(
            IMAGE, "the container image to run, for example nvidia/cuda:12.8.1-base-ubuntu24.04.");
    int count = fields.sound("workers", job.workers()).orElse(1);
    return role(fields, job, ofJob)
        .with()
        .count(count)
        .minCount(fields.sound("minWorkers", job.minWorkers()).orElse(count))
        .build();
  }

  private List<RoleSpec> listed() {
    List<RoleSpec> roles = new ArrayList<>();
    Set<String> names = new TreeSet<>();
    List<RoleRequest> bound = Objects.requireNonNullElse(job.roles(), List.of());
    for (int i = 0; i < bound.size(); i++) {
      Value item = fields.get(ROLES).orElseThrow().items(bound.size()).get(i);
      RoleSpec role = listed(item.fields().orElseThrow(), bound.get(i));
      roles.add(role);
      if (!role.name().isEmpty() && !names.add(role.name())) {
        item.refuse(ProblemCode.CONFLICTING_FIELDS, "Two roles are named " + role.name(), null);
      }
    }
    int members = roles.stream().mapToInt(RoleSpec::count).sum();
    if (members > RoleRequest.MOST_MEMBERS) {
      fields.refuse(
          ROLES,
          ProblemCode.LIMIT_EXCEEDED,
          "The roles have %d members; at most %d are allowed."
              .formatted(members, RoleRequest.MOST_MEMBERS),
          null);
    }
    return roles;
  }

  private RoleSpec listed(Fields from, RoleRequest role) {
    if (!fields.has(IMAGE)) {
      Optional<Value> _ =
          from.required(IMAGE, "the container image to run. The job has no image for all roles.");
    }
    ProgramFields.reserved(from, "env", launcher);
    int count = from.sound("count", role.count()).orElse(1);
    return role(from, role, containers(from, role, ofJob))
        .with()
        .name(from.sound("name", role.name()).orElse(""))
        .count(count)
        .minCount(from.sound("minCount", role.minCount()).orElse(count))
        .topology(role.topology())
        .build();
  }

  /** A role of one worker. An absent field has the value of the job. */
  private RoleSpec role(Fields from, ProgramRequest.Member member, ExtraContainers containers) {
    GpuRequest gpu = Objects.requireNonNullElse(member.gpu(), GpuRequest.NONE);
    long cpu = Objects.requireNonNullElseGet(member.cpu(), () -> MemberDefaults.cpuMilli(gpu));
    long memory =
        Objects.requireNonNullElseGet(member.memory(), () -> MemberDefaults.memoryMiB(gpu));
    long shm =
        Objects.requireNonNullElseGet(member.shm(), () -> MemberDefaults.shmMiB(gpu, memory));
    if (shm > memory) {
      from.refuse(
          "shm",
          ProblemCode.CONFLICTING_FIELDS,
          "shm is part of memory and cannot be larger.",
          null);
    }
    SortedMap<String, String> env = new TreeMap<>(job.variables());
    env.putAll(member.variables());
    return RoleSpecBuilder.builder()
        .name(WORKER)
        .count(1)
        .minCount(1)
        .image(first(member.image(), job.image(), ""))
        .command(command(from, member))
        .env(env)
        .secretEnv(secretEnv)
        .gpu(gpu)
        .cpuMilli(cpu)
        .memoryMiB(memory)
        .shmMiB(shm)
        .rdma(Objects.requireNonNullElse(job.rdma(), false))
        .topology(null)
        .extraContainers(containers)
        .build();
  }

  private static <T> T first(@Nullable T own, @Nullable T ofJob, T otherwise) {
    return own != null ? own : Objects.requireNonNullElse(ofJob, otherwise);
  }

  /** The command after its setup, which needs to know the words of the command. */
  private CommandSpec command(Fields from, ProgramRequest.Member member) {
    boolean refused =
        member.program().isEmpty() && PROGRAM.stream().anyMatch(from::has)
            || job.program().isEmpty() && PROGRAM.stream().anyMatch(fields::has);
    Optional<CommandSpec> command =
        member
            .program()
            .or(job::program)
            .or(() ->
                Optional.of(launcher.run()).filter(run -> !run.isEmpty()).map(CommandSpec::exec));
    if (command.isEmpty() && launcher.needsRun() && !refused) {
      from.refuse(
          "run",
          ProblemCode.INVALID_FIELD,
          "run is missing: launcher " + launcher.name() + " needs a program to run.",
          null);
    }
    CommandSpec program = command.orElse(CommandSpec.OF_IMAGE);
    List<String> setup = first(member.setup(), job.setup(), List.of());
    if (!setup.isEmpty() && program.command().isEmpty() && !refused) {
      from.refuse(
          "setup",
          ProblemCode.CONFLICTING_FIELDS,
          "setup needs run or command: the entry point of the image is unknown, so nothing can start it after setup.",
          null);
    }
    return program.preparedBy(setup);
  }

  /** The containers of a member. A member without a list has the containers of the job. */
  private ExtraContainers containers(
      Fields from, ProgramRequest.Member member, ExtraContainers inherited) {
    boolean init = from.has(INIT_CONTAINERS);
    boolean sidecars = from.has(SIDECARS);
    ExtraContainers all =
        new ExtraContainers(
            init ? list(from, INIT_CONTAINERS, member.initContainers()) : inherited.init(),
            sidecars ? list(from, SIDECARS, member.sidecars()) : inherited.sidecars());
    if (init || sidecars) {
      once(from, all.all().map(ContainerSpec::name), "Two containers are named %s.");
      once(
          from,
          all.sidecars().stream().map(ContainerSpec::port).filter(Objects::nonNull),
          "Two sidecars have port %s.");
    }
    return all;
  }

  /** All containers of a member share its network. */
  private static <T> void once(Fields from, Stream<T> values, String problem) {
    Set<T> seen = new HashSet<>();
    values
        .filter(value -> !seen.add(value))
        .findFirst()
        .ifPresent(value ->
            from.refuse(
                from.has(SIDECARS) ? SIDECARS : INIT_CONTAINERS,
                ProblemCode.CONFLICTING_FIELDS,
                problem.formatted(value),
                null));
  }

  private List<ContainerSpec> list(
      Fields from, String name, @Nullable List<ContainerRequest> bound) {
    List<ContainerSpec> containers = new ArrayList<>();
    for (int i = 0; bound != null && i < bound.size(); i++) {
      Value item = from.get(name).orElseThrow().items(bound.size()).get(i);
      check(item.fields().orElseThrow(), name, bound.get(i).port());
      if (!item.refused()) {
        containers.add(bound.get(i).spec());
      }
    }
    return containers;
  }

  private void check(Fields container, String list, @Nullable Integer port) {
    ProgramFields.reserved(container, "env", launcher);
    Optional<Value> given = container.get("port");
    if (list.equals(INIT_CONTAINERS)) {
      given.ifPresent(value ->
          value.refuse(
              ProblemCode.UNKNOWN_FIELD,
              "There is no field \"port\" in an init container, because it ends before the program starts",
              null));
    } else if (port != null && launcher.ports().containsValue(port)) {
      given.ifPresent(value ->
          value.bad(
              "is a port of launcher %s: %d. Use another port".formatted(launcher.name(), port),
              null));
    }
  }
}
