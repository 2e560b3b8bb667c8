package dev.fairlead.work.job.web.spec;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.RoleSpec;
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
    return new RoleResponse(
        role.name(),
        role.count(),
        role.minCount(),
        role.image(),
        shown.run(),
        shown.command(),
        shown.args(),
        role.command().setup().isEmpty() ? null : role.command().setup(),
        role.env(),
        GpuResponse.of(role.gpu()),
        Quantity.ofMilli(role.cpuMilli()),
        Quantity.ofMebibytes(role.memoryMiB()),
        Quantity.ofMebibytes(role.shmMiB()),
        TopologyResponse.of(role.topology()),
        ContainerResponse.of(role.extraContainers().init()),
        ContainerResponse.of(role.extraContainers().sidecars()));
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
