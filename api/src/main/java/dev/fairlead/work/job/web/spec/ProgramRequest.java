package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.spec.CommandSpec;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Fields that a job, a role and a container have in common. */
interface ProgramRequest {
  @Nullable String image();

  @Nullable CommandSpec run();

  @Nullable List<String> command();

  @Nullable List<String> args();

  @Nullable SortedMap<String, String> env();

  @Nullable Long cpu();

  @Nullable Long memory();

  /** Empty for the command of the image, or if a part of it was refused. */
  default Optional<CommandSpec> program() {
    if (run() != null || command() == null && args() == null) {
      return Optional.ofNullable(run());
    }
    return Optional.of(
        new CommandSpec(
            Objects.requireNonNullElse(command(), List.of()),
            Objects.requireNonNullElse(args(), List.of()),
            false));
  }

  /** The environment variables, none when absent. */
  default SortedMap<String, String> variables() {
    return Objects.requireNonNullElse(env(), Collections.emptySortedMap());
  }

  /** Fields that a job and a role have in common. */
  interface Member extends ProgramRequest {
    @Nullable List<String> setup();

    @Nullable GpuRequest gpu();

    @Nullable Long shm();

    @Nullable List<ContainerRequest> initContainers();

    @Nullable List<ContainerRequest> sidecars();
  }
}
