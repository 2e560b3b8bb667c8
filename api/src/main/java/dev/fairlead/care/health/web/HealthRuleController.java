package dev.fairlead.care.health.web;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.Xid;
import dev.fairlead.care.health.XidBuilder;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.care.health.service.HealthTable;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PatchBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import java.util.Optional;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** The table of faults: meaning of each code of the driver and of DCGM, and its scope. */
@ApiController(ApiPaths.ROOT + "/health-rules")
@Tag(name = "Health")
class HealthRuleController {
  private static final int LONGEST_NAME = 120;
  private static final int LONGEST_ADVICE = 500;
  private final HealthTable table;

  HealthRuleController(HealthTable table) {
    this.table = table;
  }

  /**
   * The table.
   *
   * @param version version of the shipped table, and after the dot the number of changes in this
   *     installation
   * @param items all codes, in their order
   */
  @Schema(name = "HealthRulesResponse")
  record HealthRulesResponse(String version, List<HealthRuleResponse> items) {}

  @Operation(
      operationId = "listHealthRules",
      summary = "Read the table of faults",
      description =
          "Returns the meaning, the scope and the repair of each code of the driver and of"
              + " DCGM, as currently applied. All rows are in one response. Available to all"
              + " roles.")
  @GetMapping
  HealthRulesResponse all(Actor actor) {
    List<HealthTable.Row> rows = table.all(actor);
    long changes = rows.stream().mapToLong(row -> row.rule().version()).sum();
    return new HealthRulesResponse(
        XidTable.SHIPPED.version() + "." + changes,
        rows.stream().map(HealthRuleResponse::of).toList());
  }

  @Operation(
      operationId = "getHealthRule",
      summary = "Read a rule for a fault",
      description = "Returns one row of the fault table. Available to all roles.")
  @GetMapping("/{healthRule}")
  ResponseEntity<HealthRuleResponse> one(Actor actor, @PathVariable String healthRule) {
    return tagged(table.one(actor, healthRule));
  }

  @Operation(
      operationId = "updateHealthRule",
      summary = "Change a rule for a fault",
      description =
          "JSON Merge Patch (RFC 7396). Null restores the shipped value. Applies from the"
              + " next report of a monitor. Open incidents do not change. A rule with a larger"
              + " scope is first replayed on the stored events of its code, and refused if it"
              + " would have quarantined more nodes of a cluster, of a pool or of the fleet at the"
              + " same time than the circuit breaker allows, unless force is set. If-Match is"
              + " optional.")
  @PatchBody("/{healthRule}")
  ResponseEntity<HealthRuleResponse> update(
      Actor actor,
      @PathVariable String healthRule,
      @RequestBody @BodyOf(HealthRuleResponse.Values.class) Body body,
      @Parameter(
              description =
                  "Whether to accept a rule that would exceed the limits of the circuit"
                      + " breakers.")
          @RequestParam(defaultValue = "false")
          boolean force,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    HealthTable.Row now = table.one(actor, healthRule);
    long version = now.rule().version();
    Long expected = options.ifGiven(() -> version);
    FieldProblems problems = new FieldProblems();
    Xid wanted =
        read(
            body.appliedTo(HealthRuleResponse.Values.of(now.xid())).fields(problems),
            now.shipped());
    problems.refuse();
    return tagged(
        table.update(
            actor,
            wanted,
            expected == null ? Long.valueOf(version) : expected,
            force,
            options.validateOnly()));
  }

  /** Absent fields have the shipped value. */
  private static Xid read(Fields fields, Xid shipped) {
    Optional<String> name = fields.get("name").flatMap(v -> v.anyText(LONGEST_NAME));
    Optional<HealthRuleResponse.Severity> severity =
        fields.get("severity").flatMap(v -> v.choice(HealthRuleResponse.Severity.class));
    Optional<RuleScope> quarantine =
        fields.get("quarantine").flatMap(v -> v.choice(RuleScope.class));
    Optional<RepairStep> step = fields.get("step").flatMap(v -> v.choice(RepairStep.class));
    Optional<String> advice = fields.get("advice").flatMap(v -> v.anyText(LONGEST_ADVICE));
    fields.done();
    RuleScope scope = quarantine.orElse(RuleScope.of(shipped));
    return XidBuilder.builder(shipped)
        .name(name.orElse(shipped.name()))
        .fatal(severity.map(HealthRuleResponse.Severity.FATAL::equals).orElse(shipped.fatal()))
        .scope(scope.scope())
        .onRepeat(scope.onRepeat())
        .step(step.orElse(shipped.step()))
        .advice(advice.orElse(shipped.advice()))
        .build();
  }

  private static ResponseEntity<HealthRuleResponse> tagged(HealthTable.Row row) {
    return ResponseEntity.ok()
        .eTag(Etags.of(row.rule().version()))
        .body(HealthRuleResponse.of(row));
  }
}
