package dev.fairlead.money.statement.web;

import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.money.statement.IdleRule;
import dev.fairlead.money.statement.service.IdleCostCommands;
import dev.fairlead.money.statement.service.IdleCostQueries;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Size;
import java.time.InstantSource;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** Reports the cost of idle capacity, and sets its distribution among tenants. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Prices")
class IdleCostController {
  private static final int MONTH_TEXT = 7;
  private final IdleCostQueries queries;
  private final IdleCostCommands commands;
  private final InstantSource clock;

  IdleCostController(IdleCostQueries queries, IdleCostCommands commands, InstantSource clock) {
    this.queries = queries;
    this.commands = commands;
    this.clock = clock;
  }

  /** Distribution of the cost of idle capacity. */
  @Schema(name = "CreateIdleCostPolicyRequest")
  record CreateIdleCostPolicyRequest(
      @Schema(
              description = "First month in UTC. It must not have begun. Default: the next month.",
              example = "2030-02")
          @Size(min = 1, max = MONTH_TEXT)
          @Nullable String from,
      @Schema(description = "How the cost of free, reserved and stranded capacity is distributed")
          IdleRule idle,
      @Schema(
              description =
                  "How the cost of unhealthy capacity and of maintenance is distributed. Default:"
                      + " APART")
          @Nullable IdleRule outOfService)
      implements RequestRules {
    @Override
    public SortedMap<String, String> conflicts(SortedSet<String> given) {
      SortedMap<String, String> conflicts = new TreeMap<>();
      if (from != null && StatementController.read(from).isEmpty()) {
        conflicts.put("from", "must be a month to 9997-12 such as 2030-02");
      }
      return conflicts;
    }
  }

  @Operation(
      operationId = "reportIdleCost",
      summary = "Report the cost of idle capacity",
      description =
          "Reports the idle cost of a month by owner, model, capacity type, bucket and"
              + " price, with the share of each tenant by the policy of the month. The shares of a"
              + " line add up to its amount. Requires a platform role.")
  @GetMapping("/reports/idle-cost")
  IdleCostResponse report(
      Actor actor,
      @Parameter(description = "Month in UTC, such as 2030-01. Default: the current month.")
          @RequestParam(required = false)
          @Nullable String month) {
    YearMonth which =
        month == null
            ? YearMonth.from(clock.instant().atZone(ZoneOffset.UTC))
            : StatementController.month("month", month);
    return IdleCostResponse.of(queries.report(actor, which));
  }

  @Operation(
      operationId = "listIdleCostPolicies",
      summary = "List idle cost policies",
      description =
          "Lists the policies in the order in which they were added. For a month, the"
              + " policy with the latest start counts, and among policies with the same start the"
              + " one added last. Before the first policy, no idle cost is distributed.")
  @GetMapping("/idle-cost-policies")
  Page<IdleCostPolicyResponse> policies(Actor actor) {
    return Page.whole(queries.policies(actor).stream().map(IdleCostPolicyResponse::of).toList());
  }

  @Operation(
      operationId = "createIdleCostPolicy",
      summary = "Add an idle cost policy",
      description =
          "The policy applies from a month that has not begun, so no past statement"
              + " changes. BY_USE divides the cost of idle capacity among tenants by their use of"
              + " the model, BY_QUOTA by their current weights in the fleet quota. A tenant pays"
              + " for idle capacity in its own pools. Add a policy with APART to end the"
              + " distribution.")
  @ApiResponse(responseCode = "201", description = "Policy added.", useReturnTypeSchema = true)
  @PostBody("/idle-cost-policies")
  ResponseEntity<IdleCostPolicyResponse> create(
      Actor actor,
      @RequestBody CreateIdleCostPolicyRequest request,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    return ResponseEntity.status(HttpStatus.CREATED)
        .body(
            IdleCostPolicyResponse.of(
                commands.create(
                    actor,
                    request.from() == null
                        ? null
                        : StatementController.read(request.from()).orElseThrow(),
                    request.idle(),
                    request.outOfService() == null ? IdleRule.APART : request.outOfService(),
                    options.validateOnly())));
  }
}
