package dev.fairlead.work.spec;

import dev.fairlead.kernel.resources.GpuRequest;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Equal members of a job.
 *
 * @param count number of members, 1..10,000
 * @param minCount minimum number of members, 1..count. Equal to count unless elastic
 * @param cpuMilli thousandths of a core for the program of a member
 * @param memoryMiB host memory for the program of a member in MiB
 * @param shmMiB size of {@code /dev/shm} in MiB
 * @param topology topology of this role, null if none
 * @param extraContainers other containers of a member
 */
@RecordBuilder
public record RoleSpec(
    String name,
    int count,
    int minCount,
    String image,
    CommandSpec command,
    SortedMap<String, String> env,
    SortedMap<String, SecretKey> secretEnv,
    GpuRequest gpu,
    long cpuMilli,
    long memoryMiB,
    long shmMiB,
    boolean rdma,
    @Nullable TopologySpec topology,
    ExtraContainers extraContainers)
    implements RoleSpecBuilder.With {
  /** Image of members that run on the node itself, without a container. */
  public static final String NO_IMAGE = "none";

  /** Start of a text that references an output of a dependency. */
  public static final String OUTPUT_REFERENCE = "${outputs.";

  /** A key of a project secret. */
  public record SecretKey(String secret, String key) {}

  public RoleSpec {
    env = Collections.unmodifiableSortedMap(new TreeMap<>(env));
    secretEnv = Collections.unmodifiableSortedMap(new TreeMap<>(secretEnv));
    /* A stored spec may lack the field. */
    extraContainers = extraContainers == null ? ExtraContainers.NONE : extraContainers;
  }

  /** Returns the thousandths of a core that a member requests with all its containers. */
  public long memberCpuMilli() {
    return extraContainers.with(cpuMilli, ContainerSpec::cpuMilli);
  }

  /** Returns the memory in MiB that a member requests with all its containers. */
  public long memberMemoryMiB() {
    return extraContainers.with(memoryMiB, ContainerSpec::memoryMiB);
  }

  public List<String> images() {
    return Stream.concat(Stream.of(image), extraContainers.all().map(ContainerSpec::image))
        .distinct()
        .toList();
  }

  /** One member without GPUs. */
  public static RoleSpec single(
      String name,
      String image,
      CommandSpec command,
      SortedMap<String, String> env,
      SortedMap<String, SecretKey> secretEnv,
      long cpuMilli,
      long memoryMiB,
      long shmMiB) {
    return RoleSpecBuilder.builder()
        .name(name)
        .count(1)
        .minCount(1)
        .image(image)
        .command(command)
        .env(env)
        .secretEnv(secretEnv)
        .gpu(GpuRequest.NONE)
        .cpuMilli(cpuMilli)
        .memoryMiB(memoryMiB)
        .shmMiB(shmMiB)
        .rdma(false)
        .topology(null)
        .extraContainers(ExtraContainers.NONE)
        .build();
  }

  /** Returns the role with other numbers of members. */
  public RoleSpec sized(int members, int fewest) {
    return with().count(members).minCount(fewest).build();
  }

  /**
   * Returns the role without command and variables of its program, except references to outputs of
   * dependencies: the job can start only if they have values.
   */
  RoleSpec decided() {
    SortedMap<String, String> references = new TreeMap<>(env);
    references.values().removeIf(value -> !value.startsWith(OUTPUT_REFERENCE));
    return with()
        .command(command.references(OUTPUT_REFERENCE))
        .env(references)
        .secretEnv(Collections.emptySortedMap())
        .build();
  }
}
