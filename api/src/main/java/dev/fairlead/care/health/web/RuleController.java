package dev.fairlead.care.health.web;

import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.quarantine.RuleReplay;
import dev.fairlead.care.health.service.Rules;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.web.ApiPaths;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.RequestBody;

/** Replays rules on stored events. */
@ApiController(ApiPaths.ROOT + "/health-rules")
@Tag(name = "Health")
class RuleController {
  private static final Duration LONGEST = Duration.ofDays(7);
  private static final int MOST_HITS = 500;
  private final Rules rules;

  RuleController(Rules rules) {
    this.rules = rules;
  }

  /**
   * A rule to replay.
   *
   * @param xid XID in the table. Excludes code
   * @param code name of a DCGM code, or an XID in digits
   * @param quarantine scope that the rule would take out of service
   * @param back age of the oldest event to read, 1m to 7d, 7d when absent
   */
  @Schema(name = "ReplayHealthRuleRequest")
  record ReplayHealthRuleRequest(
      @Min(1) @Max(FaultCode.LARGEST_XID) @Nullable Integer xid,
      @Size(min = 1, max = FaultCode.LONGEST)
          @Pattern(regexp = PlainText.PATTERN, message = PlainText.RULE)
          @Nullable String code,
      RuleScope quarantine,
      @Schema(implementation = String.class) @DurationMin(minutes = 1) @DurationMax(days = 7)
          @Nullable Duration back)
      implements FaultCode, RequestRules {
    @Override
    public void check(Fields given) {
      checkKnown(given);
    }
  }

  /**
   * Result of a replay.
   *
   * @param from start of the events that were read, later than requested if there are too many
   * @param events number of events with the code that were read
   * @param quarantines number of quarantines that the rule would have started
   * @param nodes number of distinct nodes that it would have quarantined
   * @param currentQuarantines number of quarantines that the current row of the table would have
   *     started
   * @param allowed whether the rule stays within the limits of the circuit breaker
   * @param refusals exceeded limits, for each cluster, each pool and the fleet
   * @param hits the oldest 500 quarantines
   */
  @RecordBuilder
  @Schema(name = "RuleReplayResponse")
  record RuleReplayResponse(
      Instant from,
      int events,
      int quarantines,
      int nodes,
      int currentQuarantines,
      boolean allowed,
      List<String> refusals,
      List<RuleHitResponse> hits) {}

  /**
   * A quarantine that a rule would have started.
   *
   * @param gpu UUID of the device, null if the event named none
   * @param incident incident that the event opened or joined, null if none
   */
  @Schema(name = "RuleHitResponse")
  record RuleHitResponse(
      Instant at, String cluster, String node, @Nullable String gpu, @Nullable String incident) {}

  @Operation(
      operationId = "replayHealthRule",
      summary = "Replay a health rule on stored events",
      description =
          "Compares a changed row of the table with the current row on the stored events of its"
              + " code, ignoring actions of operators and the circuit breaker. Nothing is"
              + " changed. A rule is not allowed if it would have quarantined more nodes of a"
              + " cluster, of a pool or of the fleet at the same time than the circuit breaker"
              + " allows, and more than the current row would have.")
  @PostBody("/replay")
  RuleReplayResponse replay(@RequestBody ReplayHealthRuleRequest request) {
    return response(
        rules.replay(
            request.number(),
            request.quarantine().scope(),
            request.quarantine().onRepeat(),
            Objects.requireNonNullElse(request.back(), LONGEST)));
  }

  private static RuleReplayResponse response(Rules.Outcome replayed) {
    List<RuleReplay.Isolated> hits = replayed.proposed().hits();
    return RuleControllerRuleReplayResponseBuilder.builder()
        .from(replayed.from())
        .events(replayed.events())
        .quarantines(hits.size())
        .nodes((int) hits.stream().map(RuleReplay.Isolated::node).distinct().count())
        .currentQuarantines(replayed.current().hits().size())
        .allowed(replayed.refusals().isEmpty())
        .refusals(replayed.refusals())
        .hits(
            hits.stream()
                .limit(MOST_HITS)
                .map(hit -> hit(hit, replayed.clusters().getOrDefault(hit.cluster().text(), "")))
                .toList())
        .build();
  }

  private static RuleHitResponse hit(RuleReplay.Isolated hit, String cluster) {
    IncidentId done = hit.done();
    return new RuleHitResponse(
        hit.at(), cluster, hit.nodeName(), hit.gpu(), done == null ? null : done.text());
  }
}
