package dev.fairlead.work.job.web.spec;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.RoleSpec;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Equal members of a job.
 *
 * @param run command for a shell, if it was submitted as one text
 * @param command entry point in exec form
 * @param setup shell commands that run before the program
 * @param initContainers containers that end before the program starts
 * @param sidecars containers that run with the program
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
record RoleResponse(
    String name,
    int count,
    int minCount,
    String image,
    @Nullable String run,
    @Nullable List<String> command,
    @Nullable List<String> args,
    @Nullable List<String> setup,
    SortedMap<String, String> env,
    @Nullable GpuResponse gpu,
    String cpu,
    String memory,
    String shm,
    @Nullable TopologyResponse topology,
    @Nullable List<ContainerResponse> initContainers,
    @Nullable List<ContainerResponse> sidecars) {
  static RoleResponse of(RoleSpec role) {
    Shown shown = Shown.of(role.command());
    return RoleResponseBuilder.builder()
        .name(role.name())
        .count(role.count())
        .minCount(role.minCount())
        .image(role.image())
        .run(shown.run())
        .command(shown.command())
        .args(shown.args())
        .setup(role.command().setup().isEmpty() ? null : role.command().setup())
        .env(role.env())
        .gpu(GpuResponse.of(role.gpu()))
        .cpu(Quantity.ofMilli(role.cpuMilli()))
        .memory(Quantity.ofMebibytes(role.memoryMiB()))
        .shm(Quantity.ofMebibytes(role.shmMiB()))
        .topology(TopologyResponse.of(role.topology()))
        .initContainers(ContainerResponse.of(role.extraContainers().init()))
        .sidecars(ContainerResponse.of(role.extraContainers().sidecars()))
        .build();
  }

  /** A command in the form in which it was submitted. */
  record Shown(@Nullable String run, @Nullable List<String> command, @Nullable List<String> args) {
    static Shown of(CommandSpec given) {
      List<String> command = given.command();
      List<String> args = given.args();
      return given.shell()
          ? new Shown(args.getFirst(), null, null)
          : new Shown(null, command.isEmpty() ? null : command, args.isEmpty() ? null : args);
    }
  }
}
