package dev.fairlead.money.budget.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PatchBody;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.service.BudgetCommands;
import dev.fairlead.money.budget.service.BudgetView;
import dev.fairlead.money.budget.service.Budgets;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.net.URI;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;

/** Manages budgets of GPU-hours and money. */
@ApiController(ApiPaths.ROOT + "/budgets")
@Tag(name = "Budgets")
class BudgetController {
  private final Budgets budgets;
  private final BudgetCommands commands;

  BudgetController(Budgets budgets, BudgetCommands commands) {
    this.budgets = budgets;
    this.commands = commands;
  }

  @Operation(
      operationId = "listBudgets",
      summary = "List budgets",
      description =
          "Lists the budgets of the tenant by name. A budget of a project is visible only"
              + " to callers with a role in the project.")
  @GetMapping
  Page<BudgetResponse> all(Actor actor) {
    return Page.whole(budgets.all(actor).stream().map(BudgetResponse::of).toList());
  }

  @Operation(
      operationId = "getBudget",
      summary = "Read a budget",
      description = "Takes an id or a name. A change requires the returned ETag.")
  @GetMapping("/{budget}")
  ResponseEntity<BudgetResponse> one(Actor actor, @PathVariable String budget) {
    return tagged(budgets.named(actor, budget));
  }

  @Operation(
      operationId = "createBudget",
      summary = "Create a budget",
      description =
          "Creates a budget of GPU-hours, or of money at prices of the price book, for all jobs"
              + " of the tenant that match the given project, queue and user. The use of these"
              + " jobs in the current period counts, and the use of running jobs is reserved"
              + " hour by hour.")
  @ApiResponse(responseCode = "201", description = "Budget created.", useReturnTypeSchema = true)
  @PostBody
  ResponseEntity<BudgetResponse> create(
      Actor actor,
      @RequestBody @BodyOf(BudgetRequests.Create.class) Body body,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    BudgetRequests.Create request = BodyBinder.bind(body, BudgetRequests.Create.class);
    BudgetView made =
        commands.create(
            actor, request.proposal(), options.key("budgets", body), options.validateOnly());
    return ResponseEntity.status(HttpStatus.CREATED)
        .location(URI.create(ApiPaths.v1("/budgets/" + made.budget().id().text())))
        .eTag(Etags.of(made.budget().version()))
        .body(BudgetResponse.of(made));
  }

  @Operation(
      operationId = "updateBudget",
      summary = "Change a budget",
      description =
          "JSON Merge Patch (RFC 7396) of gpuHours or amount, mode, onExhausted and alerts."
              + " Requires If-Match. Running jobs finish the time that is reserved for them, even"
              + " beyond a lowered amount.")
  @PatchBody("/{budget}")
  ResponseEntity<BudgetResponse> update(
      Actor actor,
      @PathVariable String budget,
      @RequestBody @BodyOf(BudgetRequests.Update.class) Body body,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    Budget now = budgets.named(actor, budget).budget();
    long expected = options.expected(now::version);
    FieldProblems problems = new FieldProblems();
    Value merged = body.appliedTo(BudgetRequests.Update.of(now)).value(problems);
    Optional<BudgetRequests.Update> request = BodyBinder.read(merged, BudgetRequests.Update.class);
    request.ifPresent(update -> update.check(merged.fields().orElseThrow(), now));
    problems.refuse();
    return tagged(
        commands.update(
            actor, budget, request.orElseThrow()::applied, expected, options.validateOnly()));
  }

  @Operation(
      operationId = "grantBudget",
      summary = "Grant an extra amount",
      description =
          "Adds GPU-hours or money to the current period, until the given time or the end"
              + " of the period. Requires If-Match.")
  @PostBody("/{budget}/grants")
  ResponseEntity<BudgetResponse> grant(
      Actor actor,
      @PathVariable String budget,
      @RequestBody @BodyOf(BudgetRequests.Grant.class) Body body,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    Budget now = budgets.named(actor, budget).budget();
    long expected = options.expected(now::version);
    FieldProblems problems = new FieldProblems();
    Value given = body.value(problems);
    Optional<BudgetRequests.Grant> request = BodyBinder.read(given, BudgetRequests.Grant.class);
    request.ifPresent(grant -> grant.checkAmount(given.fields().orElseThrow(), now.unit().money()));
    problems.refuse();
    return tagged(
        commands.grant(
            actor,
            budget,
            request.orElseThrow().grant(now.unit()),
            expected,
            options.validateOnly()));
  }

  @Operation(
      operationId = "deleteBudget",
      summary = "Delete a budget",
      description = "Deletes the budget with its spent and reserved amounts. Requires If-Match.")
  @ApiResponse(responseCode = "204", description = "Budget deleted.")
  @DeleteMapping("/{budget}")
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String budget,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    long expected = options.expected(() -> budgets.named(actor, budget).budget().version());
    commands.delete(actor, budget, expected, options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  private static ResponseEntity<BudgetResponse> tagged(BudgetView view) {
    return ResponseEntity.ok()
        .eTag(Etags.of(view.budget().version()))
        .body(BudgetResponse.of(view));
  }
}
