package dev.fairlead.work.policy.web;

import dev.fairlead.kernel.body.Labels;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.mapping.PutBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.policy.Policy;
import dev.fairlead.work.policy.PolicyBuilder;
import dev.fairlead.work.policy.service.Policies;
import dev.fairlead.work.policy.service.PolicyTrials;
import dev.fairlead.work.policy.service.PolicyView;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Size;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** Policies of a tenant, or with the parameter {@code project} of a project. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Policies")
class PolicyController {
  private static final String PLACE =
      " With project, the policy of that project, otherwise a policy of the tenant.";

  private final Policies policies;
  private final PolicyTrials trials;

  PolicyController(Policies policies, PolicyTrials trials) {
    this.policies = policies;
    this.trials = trials;
  }

  /** Rules for the jobs of a tenant or a project. */
  @Schema(name = "PutPolicyRequest")
  record PutPolicyRequest(
      @Schema(description = "Reason for the policy, at most 500 characters") @Size(max = 500)
          @Nullable String description,
      @Schema(
              description =
                  "Person or team that users of a refused job can ask, 1 to 200 characters")
          @Size(min = 1, max = 200)
          String owner,
      @Schema(description = "Whether the policy refuses jobs, false by default")
          @Nullable Boolean enforced,
      @Schema(description = "Keys of labels that a job must have, at most 16")
          @Size(max = Policy.MOST_ITEMS)
          @Nullable List<@Size(min = 1, max = 317) String> requiredLabels,
      @Schema(
              description =
                  "Prefixes of allowed images, such as registry.example.com/nlp/, at most 16. Any"
                      + " image when absent or empty")
          @Size(max = Policy.MOST_ITEMS)
          @Nullable List<@Size(min = 1, max = 512) String> images,
      @Schema(description = "Whether each image needs a digest, false by default")
          @Nullable Boolean digest,
      @Schema(description = "Expressions that are true for an allowed job, at most 16")
          @Size(max = Policy.MOST_ITEMS)
          @Nullable List<PolicyRuleRequest> rules)
      implements RequestRules {
    /** A key that no label can have would refuse every job. */
    @Override
    public SortedMap<String, String> conflicts(SortedSet<String> given) {
      SortedMap<String, String> conflicts = new TreeMap<>();
      if (requiredLabels != null) {
        requiredLabels.stream()
            .filter(key -> !Labels.isKey(key))
            .findFirst()
            .ifPresent(key ->
                conflicts.put("requiredLabels", "must be keys of labels, not \"" + key + "\""));
      }
      return conflicts;
    }

    Policy policy(@Nullable String project, String name) {
      return PolicyBuilder.builder()
          .name(name)
          .project(project)
          .description(Objects.requireNonNullElse(description, ""))
          .owner(owner)
          .enforced(Boolean.TRUE.equals(enforced))
          .requiredLabels(requiredLabels == null ? List.of() : List.copyOf(requiredLabels))
          .images(images == null ? List.of() : List.copyOf(images))
          .digest(Boolean.TRUE.equals(digest))
          .rules(rules == null ? List.of() : rules.stream().map(PolicyRuleRequest::rule).toList())
          .build();
    }
  }

  /** A rule of a policy. */
  @Schema(name = "PolicyRuleRequest")
  record PolicyRuleRequest(
      @Schema(
              description =
                  "Expression in the Common Expression Language that reads job, such as job.gpus <="
                      + " 8, at most 2048 characters")
          @Size(min = 1, max = Policy.LONGEST_EXPRESSION)
          String expression,
      @Schema(description = "Message for the user of a refused job, 1 to 500 characters")
          @Size(min = 1, max = 500)
          String message) {
    Policy.Rule rule() {
      return new Policy.Rule(expression, message);
    }
  }

  @Operation(
      operationId = "listPolicies",
      summary = "List policies",
      description =
          "By name. Lists the policies of the project and of the tenant, or without project those"
              + " of the tenant.")
  @GetMapping("/policies")
  Page<PolicyView> all(Actor actor, @RequestParam(required = false) @Nullable String project) {
    return Page.whole(policies.all(actor, project));
  }

  @Operation(
      operationId = "getPolicy",
      summary = "Read a policy",
      description = "Returns its rules, its owner and whether it is enforced." + PLACE)
  @GetMapping("/policies/{policy}")
  ResponseEntity<PolicyView> one(
      Actor actor,
      @PathVariable String policy,
      @RequestParam(required = false) @Nullable String project) {
    return tagged(policies.one(actor, project, policy));
  }

  @Operation(
      operationId = "putPolicy",
      summary = "Add a policy, or change it",
      description =
          "An enforced policy refuses new jobs that violate one of its rules, with"
              + " POLICY_VIOLATION, its name and its owner, on every replica within two seconds."
              + " Jobs that are stored continue."
              + PLACE)
  @PutBody("/policies/{policy}")
  ResponseEntity<PolicyView> put(
      Actor actor,
      @PathVariable String policy,
      @RequestParam(required = false) @Nullable String project,
      @RequestBody PutPolicyRequest request,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    Parameters.requireLabel("policy", policy, Names.LONGEST_LABEL);
    return tagged(
        policies.put(
            actor,
            request.policy(project, policy),
            options.ifGiven(() -> policies.one(actor, project, policy).version()),
            options.validateOnly()));
  }

  @Operation(
      operationId = "deletePolicy",
      summary = "Delete a policy",
      description = "New jobs are no longer checked against it." + PLACE)
  @ApiResponse(responseCode = "204", description = "Deleted.")
  @DeleteMapping("/policies/{policy}")
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String policy,
      @RequestParam(required = false) @Nullable String project,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    policies.delete(
        actor,
        project,
        policy,
        options.ifGiven(() -> policies.one(actor, project, policy).version()),
        options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  @Operation(
      operationId = "tryPolicy",
      summary = "Try a policy on the newest jobs",
      description =
          "Stores nothing. Checks the 1000 newest jobs of the project, or of the tenant, for at"
              + " most five seconds, and lists the jobs that the policy would have refused.")
  @PostBody("/policy-trials")
  PolicyView.Trial trial(
      Actor actor,
      @RequestParam(required = false) @Nullable String project,
      @RequestBody PutPolicyRequest request) {
    Policy policy = request.policy(project, "trial");
    policies.check(policy);
    return trials.run(actor, policy);
  }

  private static ResponseEntity<PolicyView> tagged(PolicyView view) {
    return ResponseEntity.ok().eTag(Etags.of(view.version())).body(view);
  }
}
