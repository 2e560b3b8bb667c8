package dev.fairlead.work.policy.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.work.policy.Policy;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A policy, as the API returns it. */
@RecordBuilder
@Schema(name = "PolicyResponse")
public record PolicyView(
    @Schema(description = "Name of the policy, a DNS label") String name,
    @Schema(description = "Name of the project, or null for all projects of the tenant")
        @Nullable String project,
    @Schema(description = "Reason for the policy, may be empty") String description,
    @Schema(description = "Person or team that users of a refused job can ask") String owner,
    @Schema(description = "Whether the policy refuses jobs") boolean enforced,
    @Schema(description = "Keys of labels that a job must have") List<String> requiredLabels,
    @Schema(description = "Prefixes of allowed images, or empty for any image") List<String> images,
    @Schema(description = "Whether each image needs a digest") boolean digest,
    @Schema(description = "Expressions that are true for an allowed job") List<Rule> rules,
    @Schema(description = "Version, which starts at 1 and increases by 1 with each change")
        long version) {
  /** A rule of a policy. */
  @Schema(name = "PolicyRuleResponse")
  public record Rule(
      @Schema(description = "Expression in the Common Expression Language") String expression,
      @Schema(description = "Message for the user of a refused job") String message) {}

  /** The jobs that a policy would have refused. */
  @Schema(name = "PolicyTrialResponse")
  public record Trial(
      @Schema(description = "Number of checked jobs, at most 1000, newest first") int jobs,
      @Schema(description = "Whether the trial ended before 1000 jobs because of its time limit")
          boolean partial,
      @Schema(description = "Checked jobs that the policy would have refused, newest first")
          List<RefusedJob> refused) {}

  /** A job that a policy would have refused. */
  @Schema(name = "PolicyTrialJobResponse")
  public record RefusedJob(
      @Schema(description = "Id of the job") String job,
      @Schema(description = "Name of the job") String name,
      @Schema(description = "Name of the project") String project,
      @Schema(description = "Submitter of the job") String user,
      @Schema(description = "Time of the submit") Instant createdAt,
      @Schema(description = "Messages of the violated rules") List<String> violations) {}

  static PolicyView of(ConfigDocument<Policy> document) {
    Policy policy = document.value();
    return PolicyViewBuilder.builder()
        .name(policy.name())
        .project(policy.project())
        .description(policy.description())
        .owner(policy.owner())
        .enforced(policy.enforced())
        .requiredLabels(policy.requiredLabels())
        .images(policy.images())
        .digest(policy.digest())
        .rules(
            policy.rules().stream()
                .map(each -> new Rule(each.expression(), each.message()))
                .toList())
        .version(document.version())
        .build();
  }
}
