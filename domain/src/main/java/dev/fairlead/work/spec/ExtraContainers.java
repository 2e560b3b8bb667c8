package dev.fairlead.work.spec;

import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Containers in addition to the program of a member.
 *
 * @param init containers that end, one after the other, before the sidecars and the program start
 * @param sidecars containers that start before the program and are stopped after it
 */
public record ExtraContainers(List<ContainerSpec> init, List<ContainerSpec> sidecars) {
  public static final ExtraContainers NONE = new ExtraContainers(List.of(), List.of());

  public ExtraContainers {
    init = List.copyOf(init);
    sidecars = List.copyOf(sidecars);
  }

  public Stream<ContainerSpec> all() {
    return Stream.concat(init.stream(), sidecars.stream());
  }

  /**
   * Returns the amount that a pod with these containers requests: init containers run alone, and
   * the sidecars with the program.
   */
  long with(long program, ToLongFunction<ContainerSpec> amount) {
    long together = program + sidecars.stream().mapToLong(amount).sum();
    return Math.max(together, init.stream().mapToLong(amount).max().orElse(0));
  }
}
