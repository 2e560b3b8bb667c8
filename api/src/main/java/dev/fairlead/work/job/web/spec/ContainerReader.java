package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.AmountFields;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.work.launcher.Launcher;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.ContainerSpec;
import dev.fairlead.work.spec.ExtraContainers;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.VolumeSpec;
import dev.fairlead.work.spec.WorkdirSpec;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Reads the init containers and sidecars of a job or role. */
final class ContainerReader {
  private static final int MOST = 8;
  private static final int LONGEST_NAME = 40;
  private static final int MOST_MOUNTS = 32;
  private static final int LONGEST_PATH = 512;
  private static final int LARGEST_PORT = 65_535;
  private static final long CPU_MILLI = 100;
  private static final long MEMORY_MIB = 256;
  private static final Set<String> RESERVED = Set.of("main", "workdir");
  private static final List<String> OF_EVERY_MEMBER = List.of("/dev/shm", "/tmp");

  private final Launcher launcher;

  ContainerReader(Launcher launcher) {
    this.launcher = launcher;
  }

  /** Returns the containers of a role, or of the job if the role has no list. */
  ExtraContainers read(Fields from, ExtraContainers ofJob) {
    ExtraContainers read =
        new ExtraContainers(
            from.get("initContainers").map(list -> list(list, false)).orElseGet(ofJob::init),
            from.get("sidecars").map(list -> list(list, true)).orElseGet(ofJob::sidecars));
    once(from, read.all().map(ContainerSpec::name), "Two containers are named %s.");
    once(
        from,
        read.sidecars().stream().map(ContainerSpec::port).filter(Objects::nonNull),
        "Two sidecars have port %s.");
    return read;
  }

  /** All containers of a member share its network. */
  private static <T> void once(Fields from, Stream<T> values, String problem) {
    Set<T> seen = new HashSet<>();
    values
        .filter(value -> !seen.add(value))
        .findFirst()
        .ifPresent(value ->
            from.refuse(
                from.has("sidecars") ? "sidecars" : "initContainers",
                ProblemCode.CONFLICTING_FIELDS,
                problem.formatted(value),
                null));
  }

  private List<ContainerSpec> list(Value list, boolean sidecars) {
    return list.items(MOST).stream()
        .map(item -> item.fields().flatMap(fields -> container(fields, sidecars)))
        .flatMap(Optional::stream)
        .toList();
  }

  private Optional<ContainerSpec> container(Fields fields, boolean sidecar) {
    Optional<String> name =
        fields
            .required("name", "for example proxy.")
            .flatMap(value ->
                Names.label(value, LONGEST_NAME)
                    .flatMap(text ->
                        RESERVED.contains(text)
                            ? value.bad(
                                "is the name of a container that Fairlead adds: " + text, null)
                            : Optional.of(text)));
    Optional<String> image =
        fields.required("image", "the container image to run.").flatMap(RoleReader::image);
    CommandSpec command = CommandReader.read(fields).orElse(CommandSpec.OF_IMAGE);
    SortedMap<String, String> env = EnvironmentReader.plain(fields, launcher);
    long cpu = fields.get("cpu").flatMap(AmountFields::cpuMilli).orElse(CPU_MILLI);
    long memory = fields.get("memory").flatMap(AmountFields::memoryMiB).orElse(MEMORY_MIB);
    Integer port =
        sidecar
            ? fields
                .get("port")
                .flatMap(
                    value -> value.integer(1, LARGEST_PORT).flatMap(wanted -> free(value, wanted)))
                .orElse(null)
            : null;
    List<String> mounts =
        fields.get("mounts").map(value -> value.texts(MOST_MOUNTS, LONGEST_PATH)).orElse(List.of());
    fields.done();
    return name.flatMap(
        n -> image.map(i -> new ContainerSpec(n, i, command, env, cpu, memory, port, mounts)));
  }

  /** Refuses a port on which the launcher listens in the same network. */
  private Optional<Integer> free(Value value, int port) {
    return launcher.ports().containsValue(port)
        ? value.bad(
            "is a port of launcher %s: %d. Use another port".formatted(launcher.name(), port), null)
        : Optional.of(port);
  }

  /** Reports mounts that the program does not have. */
  static void agree(Fields job, JobSpec spec) {
    NavigableSet<String> paths = new TreeSet<>(OF_EVERY_MEMBER);
    spec.volumes().stream().map(VolumeSpec::mountPath).forEach(paths::add);
    if (spec.workdir() != null) {
      paths.add(WorkdirSpec.DIRECTORY);
    }
    spec.roles().stream()
        .flatMap(role -> role.extraContainers().all())
        .forEach(container ->
            container.mounts().stream()
                .filter(path -> !paths.contains(path))
                .findFirst()
                .ifPresent(path ->
                    job.refuse(
                        job.has("roles") ? "roles" : "volumes",
                        ProblemCode.CONFLICTING_FIELDS,
                        "Container %s has the mount %s, but the program has only %s."
                            .formatted(container.name(), path, String.join(", ", paths)),
                        null)));
  }
}
