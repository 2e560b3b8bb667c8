package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.AmountFields;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.launcher.Launcher;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.ExtraContainers;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.RoleSpec.SecretKey;
import dev.fairlead.work.spec.TopologySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a job's roles: a single role {@code worker} from the job's own fields, or the list {@code
 * roles}.
 */
final class RoleReader {
  static final String WORKER = "worker";
  private static final int MOST_ROLES = 16;
  private static final int LONGEST_NAME = 20;
  private static final int LONGEST_IMAGE = 512;
  private static final Pattern IMAGE =
      Pattern.compile(
          "[a-zA-Z0-9][a-zA-Z0-9._-]*(:[0-9]{1,5})?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*"
              + "(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(@sha256:[a-f0-9]{64})?");
  private static final List<String> OF_A_ROLE =
      List.of("workers", "minWorkers", "gpu", "cpu", "memory", "shm");
  private final Launcher launcher;
  private final Shared shared;

  /** Values of the job for all its roles. */
  private record Shared(
      Optional<String> image,
      Optional<CommandSpec> command,
      List<String> setup,
      ExtraContainers extraContainers,
      SortedMap<String, String> env,
      SortedMap<String, SecretKey> secretEnv,
      boolean rdma) {}

  /** Fields of a role other than its resources. */
  private record Head(
      String name,
      int count,
      int least,
      String image,
      SortedMap<String, String> env,
      Optional<CommandSpec> command,
      List<String> setup,
      ExtraContainers extraContainers,
      @Nullable TopologySpec topology) {}

  private RoleReader(Launcher launcher, Shared shared) {
    this.launcher = launcher;
    this.shared = shared;
  }

  /** Returns at least one role, unless a problem was reported. */
  static List<RoleSpec> read(Fields job, Launcher launcher) {
    Optional<Value> roles = job.get("roles");
    SortedMap<String, String> env = EnvironmentReader.plain(job, launcher);
    SortedMap<String, SecretKey> secretEnv = EnvironmentReader.secret(job, launcher);
    Shared shared =
        new Shared(
            job.get("image").flatMap(RoleReader::image),
            CommandReader.read(job),
            CommandReader.setup(job).orElse(List.of()),
            new ContainerReader(launcher).read(job, ExtraContainers.NONE),
            env,
            secretEnv,
            job.get("rdma").flatMap(Value::flag).orElse(false));
    secretEnv.keySet().stream()
        .filter(name -> env.containsKey(name))
        .forEach(name -> twice(job, name));
    RoleReader reader = new RoleReader(launcher, shared);
    return roles.isPresent() ? reader.list(job, roles.get()) : List.of(reader.workers(job));
  }

  private static void twice(Fields job, String name) {
    job.refuse(
        "secretEnv", ProblemCode.CONFLICTING_FIELDS, name + " is in env and in secretEnv.", null);
  }

  private RoleSpec workers(Fields job) {
    int count =
        job.get("workers").flatMap(v -> v.integer(1, PlacementReader.MOST_MEMBERS)).orElse(1);
    int least = job.get("minWorkers").flatMap(v -> v.integer(1, count)).orElse(count);
    job.required(
        "image", "the container image to run, for example nvidia/cuda:12.8.1-base-ubuntu24.04.");
    String image = shared.image().orElse("");
    return role(
        job,
        new Head(
            WORKER,
            count,
            least,
            image,
            shared.env(),
            shared.command(),
            shared.setup(),
            shared.extraContainers(),
            null));
  }

  private List<RoleSpec> list(Fields job, Value list) {
    for (String name : OF_A_ROLE) {
      if (job.has(name)) {
        job.refuse(
            name,
            ProblemCode.CONFLICTING_FIELDS,
            name + " belongs in each role if the job has roles.",
            null);
      }
    }
    List<RoleSpec> roles = new ArrayList<>();
    TreeSet<String> names = new TreeSet<>();
    for (Value item : list.items(MOST_ROLES)) {
      Optional<RoleSpec> role = item.fields().flatMap(this::listed);
      role.ifPresent(roles::add);
      if (role.isPresent() && !names.add(role.get().name())) {
        item.refuse(
            ProblemCode.CONFLICTING_FIELDS, "Two roles are named " + role.get().name(), null);
      }
    }
    if (list.isList() && list.items(MOST_ROLES).isEmpty()) {
      list.bad("must have 1 to " + MOST_ROLES + " roles", null);
    }
    int members = roles.stream().mapToInt(RoleSpec::count).sum();
    if (members > PlacementReader.MOST_MEMBERS) {
      list.refuse(
          ProblemCode.LIMIT_EXCEEDED,
          "The roles have "
              + members
              + " members; at most "
              + PlacementReader.MOST_MEMBERS
              + " are allowed",
          null);
    }
    return roles;
  }

  private Optional<RoleSpec> listed(Fields role) {
    Optional<String> name =
        role.required("name", "for example worker.").flatMap(v -> Names.label(v, LONGEST_NAME));
    int count =
        role.get("count").flatMap(v -> v.integer(1, PlacementReader.MOST_MEMBERS)).orElse(1);
    int least = role.get("minCount").flatMap(v -> v.integer(1, count)).orElse(count);
    if (shared.image().isEmpty()) {
      role.required("image", "the container image to run. The job has none for all roles.");
    }
    String image = role.get("image").flatMap(RoleReader::image).or(shared::image).orElse("");
    SortedMap<String, String> env = new TreeMap<>(shared.env());
    env.putAll(EnvironmentReader.plain(role, launcher));
    Optional<CommandSpec> command = CommandReader.read(role).or(shared::command);
    List<String> setup = CommandReader.setup(role).orElseGet(shared::setup);
    ExtraContainers extraContainers =
        new ContainerReader(launcher).read(role, shared.extraContainers());
    TopologySpec topology = PlacementReader.topology(role.get("topology"));
    RoleSpec spec =
        role(
            role,
            new Head(
                name.orElse(WORKER),
                count,
                least,
                image,
                env,
                command,
                setup,
                extraContainers,
                topology));
    role.done();
    return name.map(n -> spec);
  }

  private RoleSpec role(Fields from, Head head) {
    GpuRequest gpu = GpuReader.read(from.get("gpu"));
    long cpu = from.get("cpu").flatMap(AmountFields::cpuMilli).orElse(MemberDefaults.cpuMilli(gpu));
    long memory =
        from.get("memory").flatMap(AmountFields::memoryMiB).orElse(MemberDefaults.memoryMiB(gpu));
    long shm =
        from.get("shm").flatMap(AmountFields::memoryMiB).orElse(MemberDefaults.shmMiB(gpu, memory));
    if (shm > memory) {
      from.refuse(
          "shm",
          ProblemCode.CONFLICTING_FIELDS,
          "shm is part of memory and cannot be larger.",
          null);
    }
    Optional<CommandSpec> command =
        head.command()
            .or(() ->
                Optional.of(launcher.run()).filter(run -> !run.isEmpty()).map(CommandSpec::exec));
    if (command.isEmpty() && launcher.needsRun()) {
      from.refuse(
          "run",
          ProblemCode.INVALID_FIELD,
          "run is missing: launcher " + launcher.name() + " needs a program to run.",
          null);
    }
    return new RoleSpec(
        head.name(),
        head.count(),
        head.least(),
        head.image(),
        CommandReader.prepared(from, command.orElse(CommandSpec.OF_IMAGE), head.setup()),
        head.env(),
        shared.secretEnv(),
        gpu,
        cpu,
        memory,
        shm,
        shared.rdma(),
        head.topology(),
        head.extraContainers());
  }

  static Optional<String> image(Value value) {
    return value
        .text(LONGEST_IMAGE)
        .flatMap(text ->
            IMAGE.matcher(text).matches()
                ? Optional.of(text)
                : value.bad(
                    "must be an image reference such as registry.example.com/team/train:2.9, not "
                        + value.shown(),
                    null));
  }
}
