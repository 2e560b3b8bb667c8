package dev.fairlead.work.job.web.spec;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.work.job.web.GpuResponse;
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
    @Nullable TopologyResponse topology) {
  static RoleResponse of(RoleSpec role) {
    Shown shown = Shown.of(role);
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
        TopologyResponse.of(role.topology()));
  }

  /** A command in the form in which it was submitted. */
  record Shown(@Nullable String run, @Nullable List<String> command, @Nullable List<String> args) {
    static Shown of(RoleSpec role) {
      List<String> command = role.command().command();
      List<String> args = role.command().args();
      return role.command().shell()
          ? new Shown(args.getFirst(), null, null)
          : new Shown(null, command.isEmpty() ? null : command, args.isEmpty() ? null : args);
    }
  }
}
