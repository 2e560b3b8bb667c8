package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.ContainerSpec;
import dev.fairlead.work.spec.ContainerSpecBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/**
 * An init container or a sidecar. It has no GPU.
 *
 * @param name DNS label that no other container of the member has, not main or workdir
 * @param image container image
 * @param run text for a shell, or a list of words
 * @param command entry point instead of run
 * @param args arguments of command
 * @param env environment variables
 * @param cpu CPU cores
 * @param memory memory
 * @param port TCP port that a sidecar opens before the program starts. Init containers have none
 * @param mounts mount paths of volumes, /workdir, /tmp or /dev/shm of the program that the
 *     container has too
 */
@Schema(name = "ContainerRequest")
record ContainerRequest(
    @DnsLabel(max = LONGEST_NAME) String name,
    @Size(min = 1, max = ProgramFields.LONGEST_IMAGE)
        @JsonDeserialize(using = ProgramFields.Image.class)
        String image,
    @Schema(
            implementation = Object.class,
            types = {"string", "array"})
        @JsonDeserialize(using = ProgramFields.Run.class)
        @Nullable CommandSpec run,
    @Size(max = ProgramFields.MOST_WORDS) @JsonDeserialize(using = ProgramFields.Words.class)
        @Nullable List<String> command,
    @Size(max = ProgramFields.MOST_WORDS) @JsonDeserialize(using = ProgramFields.Words.class)
        @Nullable List<String> args,
    @JsonDeserialize(using = ProgramFields.Variables.class) @Nullable SortedMap<String, String> env,
    @Schema(
            oneOf = {BigDecimal.class, String.class},
            minimum = "0.001",
            maximum = "10000")
        @JsonDeserialize(using = ProgramFields.Cpu.class)
        @Nullable Long cpu,
    @Schema(
            oneOf = {Long.class, String.class},
            minimum = SubmitJobRequest.LEAST_BYTES,
            maximum = SubmitJobRequest.MOST_BYTES)
        @JsonDeserialize(using = ProgramFields.Memory.class)
        @Nullable Long memory,
    @Min(1) @Max(LARGEST_PORT) @Nullable Integer port,
    @Size(max = MOST_MOUNTS) @JsonDeserialize(using = Mounts.class) @Nullable List<String> mounts)
    implements ProgramRequest, RequestRules {
  static final int MOST = 8;
  private static final int LONGEST_NAME = 40;
  private static final int MOST_MOUNTS = 32;
  private static final int LARGEST_PORT = 65_535;
  private static final long CPU_MILLI = 100;
  private static final long MEMORY_MIB = 256;
  private static final Set<String> RESERVED = Set.of("main", "workdir");

  @Override
  public void check(Fields given) {
    ProgramFields.check(given);
    if (name != null && RESERVED.contains(name)) {
      given
          .get("name")
          .ifPresent(
              value -> value.bad("is the name of a container that Fairlead adds: " + name, null));
    }
  }

  ContainerSpec spec() {
    return ContainerSpecBuilder.builder()
        .name(name)
        .image(image)
        .command(program().orElse(CommandSpec.OF_IMAGE))
        .env(variables())
        .cpuMilli(Objects.requireNonNullElse(cpu, CPU_MILLI))
        .memoryMiB(Objects.requireNonNullElse(memory, MEMORY_MIB))
        .port(port)
        .mounts(Objects.requireNonNullElse(mounts, List.of()))
        .build();
  }

  /** Reads one path, or a list of paths. */
  static final class Mounts extends FieldReader<List<String>> {
    private static final int LONGEST_PATH = 512;

    @Override
    protected Optional<List<String>> read(Value value) {
      return Optional.of(value.texts(MOST_MOUNTS, LONGEST_PATH));
    }
  }
}
