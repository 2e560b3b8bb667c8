package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.TopologySpec;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/**
 * Equal members of a job. An absent field has the value of the job.
 *
 * @param name DNS label that no other role of the job has
 * @param count number of members
 * @param minCount minimum number of members. A role with a minCount below count is elastic
 * @param image container image
 * @param run text for a shell, or a list of words
 * @param command entry point instead of run
 * @param args arguments of command
 * @param setup shell commands that run before the program in its container
 * @param env additional environment variables
 * @param gpu GPUs of each member: a number, MODEL:NUMBER, or an object
 * @param cpu CPU cores of each member
 * @param memory memory of each member
 * @param shm size of /dev/shm of each member
 * @param topology level at which the members of the role stay together
 * @param initContainers containers that end before the program starts
 * @param sidecars containers that run with the program
 */
@Schema(name = "RoleRequest")
record RoleRequest(
    @DnsLabel(max = LONGEST_ROLE) String name,
    @Min(1) @Max(MOST_MEMBERS) @Nullable Integer count,
    @Min(1) @Max(MOST_MEMBERS) @Nullable Integer minCount,
    @Size(min = 1, max = ProgramFields.LONGEST_IMAGE)
        @JsonDeserialize(using = ProgramFields.Image.class)
        @Nullable String image,
    @Schema(
            implementation = Object.class,
            types = {"string", "array"})
        @JsonDeserialize(using = ProgramFields.Run.class)
        @Nullable CommandSpec run,
    @Size(max = ProgramFields.MOST_WORDS) @JsonDeserialize(using = ProgramFields.Words.class)
        @Nullable List<String> command,
    @Size(max = ProgramFields.MOST_WORDS) @JsonDeserialize(using = ProgramFields.Words.class)
        @Nullable List<String> args,
    @Schema(types = {"string", "array"}) @JsonDeserialize(using = ProgramFields.Setup.class)
        @Nullable List<String> setup,
    @JsonDeserialize(using = ProgramFields.Variables.class) @Nullable SortedMap<String, String> env,
    @Schema(
            implementation = Object.class,
            oneOf = {Integer.class, String.class, GpuReader.Gpu.class},
            minimum = "0",
            maximum = "1024")
        @JsonDeserialize(using = GpuReader.class)
        @Nullable GpuRequest gpu,
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
    @Schema(
            oneOf = {Long.class, String.class},
            minimum = SubmitJobRequest.LEAST_BYTES,
            maximum = SubmitJobRequest.MOST_BYTES)
        @JsonDeserialize(using = ProgramFields.Memory.class)
        @Nullable Long shm,
    @Schema(
            implementation = Object.class,
            oneOf = {String.class, JobParts.Topology.class})
        @JsonDeserialize(using = JobParts.TopologyReader.class)
        @Nullable TopologySpec topology,
    @Size(max = ContainerRequest.MOST) @Nullable List<ContainerRequest> initContainers,
    @Size(max = ContainerRequest.MOST) @Nullable List<ContainerRequest> sidecars)
    implements ProgramRequest.Member, RequestRules {
  static final int MOST_MEMBERS = 10_000;
  private static final int LONGEST_ROLE = 20;

  @Override
  public void check(Fields given) {
    ProgramFields.check(given);
    fewest(given, "minCount", minCount, count);
  }

  /** Reports a minimum number of members above their number, which is 1 when absent. */
  static void fewest(Fields given, String name, @Nullable Integer fewest, @Nullable Integer count) {
    int most = Objects.requireNonNullElse(count, 1);
    if (fewest != null && fewest > most && fewest <= MOST_MEMBERS && most >= 1) {
      Optional<Integer> _ = given.get(name).flatMap(value -> value.integer(1, most));
    }
  }
}
