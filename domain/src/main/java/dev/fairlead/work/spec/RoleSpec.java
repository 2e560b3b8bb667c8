package dev.fairlead.work.spec;

import dev.fairlead.kernel.resources.GpuRequest;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Equal members of a job.
 *
 * @param count number of members, 1..10,000
 * @param minCount minimum number of members, 1..count. Equal to count unless elastic
 * @param cpuMilli thousandths of a core, per member
 * @param memoryMiB host memory per member in MiB
 * @param shmMiB size of {@code /dev/shm} in MiB
 * @param topology topology of this role, null for none
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

  /** Returns the role with other numbers of members. */
  public RoleSpec sized(int members, int fewest) {
    return new RoleSpec(
        name, members, fewest, image, command, env, secretEnv, gpu, cpuMilli, memoryMiB, shmMiB,
        rdma, topology);
  }

  /** Returns the role without command and variables. */
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
