package dev.fairlead.work.job.web.spec;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.work.spec.ContainerSpec;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * An init container or a sidecar.
 *
 * @param run command for a shell, if it was submitted as one text
 * @param command entry point in exec form
 * @param port TCP port that a sidecar opens before the program starts
 * @param mounts mount paths of the program that are also mounted in the container
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
record ContainerResponse(
    String name,
    String image,
    @Nullable String run,
    @Nullable List<String> command,
    @Nullable List<String> args,
    SortedMap<String, String> env,
    String cpu,
    String memory,
    @Nullable Integer port,
    List<String> mounts) {
  /** Returns null for no containers. */
  static @Nullable List<ContainerResponse> of(List<ContainerSpec> containers) {
    return containers.isEmpty() ? null : containers.stream().map(ContainerResponse::of).toList();
  }

  private static ContainerResponse of(ContainerSpec spec) {
    RoleResponse.Shown shown = RoleResponse.Shown.of(spec.command());
    return ContainerResponseBuilder.builder()
        .name(spec.name())
        .image(spec.image())
        .run(shown.run())
        .command(shown.command())
        .args(shown.args())
        .env(spec.env())
        .cpu(Quantity.ofMilli(spec.cpuMilli()))
        .memory(Quantity.ofMebibytes(spec.memoryMiB()))
        .port(spec.port())
        .mounts(spec.mounts())
        .build();
  }
}
