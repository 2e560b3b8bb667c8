package dev.fairlead.work.spec;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A container in addition to the program of a member. It has no GPU.
 *
 * @param name DNS label, unique among the containers of a role
 * @param cpuMilli requested thousandths of a core
 * @param memoryMiB requested memory in MiB, which is also its limit
 * @param port TCP port that a sidecar opens before the next container starts, null if none
 * @param mounts mount paths of the program that are also mounted in the container
 */
@RecordBuilder
public record ContainerSpec(
    String name,
    String image,
    CommandSpec command,
    SortedMap<String, String> env,
    long cpuMilli,
    long memoryMiB,
    @Nullable Integer port,
    List<String> mounts) {
  public ContainerSpec {
    env = Collections.unmodifiableSortedMap(new TreeMap<>(env));
    mounts = List.copyOf(mounts);
  }
}
