package dev.fairlead.work.spec;

import dev.fairlead.kernel.resources.GpuRequest;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Equal members of a job.
 *
 * @param count members, 1..10,000
 * @param minCount fewest that are worth starting, 1..count; equal to count unless elastic
 * @param cpuMilli thousandths of a core, per member
 * @param memoryMiB host memory per member
 * @param shmMiB size of {@code /dev/shm}
 * @param topology only of this role, null for none
 */
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
    @Nullable TopologySpec topology) {
  /** A key of a project secret. */
  public record SecretKey(String secret, String key) {}

  public RoleSpec {
    env = Collections.unmodifiableSortedMap(new TreeMap<>(env));
    secretEnv = Collections.unmodifiableSortedMap(new TreeMap<>(secretEnv));
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
    return new RoleSpec(
        name,
        1,
        1,
        image,
        command,
        env,
        secretEnv,
        GpuRequest.NONE,
        cpuMilli,
        memoryMiB,
        shmMiB,
        false,
        null);
  }

  /** The same with other numbers of members. */
  public RoleSpec sized(int members, int fewest) {
    return new RoleSpec(
        name, members, fewest, image, command, env, secretEnv, gpu, cpuMilli, memoryMiB, shmMiB,
        rdma, topology);
  }

  /** The same without command and variables. */
  RoleSpec decided() {
    return new RoleSpec(
        name,
        count,
        minCount,
        image,
        CommandSpec.OF_IMAGE,
        Collections.emptySortedMap(),
        Collections.emptySortedMap(),
        gpu,
        cpuMilli,
        memoryMiB,
        shmMiB,
        rdma,
        topology);
  }
}
