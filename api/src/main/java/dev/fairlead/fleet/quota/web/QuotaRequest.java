package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.fleet.quota.service.QuotaSpec;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.Quantity;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/** A new quota node. */
@Schema(name = "QuotaRequest")
record QuotaRequest(
    @Schema(description = "DNS label, unique in the tenant") @DnsLabel String name,
    @Schema(description = "Name of an inner node. A root when absent") @DnsLabel
        @Nullable String parent,
    @Schema(
            implementation = BigDecimal.class,
            description = "Weight among siblings, 0 to 1000. Default: 1",
            minimum = "0",
            maximum = "1000",
            multipleOf = 0.001)
        @JsonDeserialize(using = Weight.class)
        @Nullable Long weight,
    @Schema(description = "Limits of the node. Without entries, the node is not limited")
        @Size(max = LimitRequest.MOST)
        @Nullable List<LimitRequest> limits,
    @Schema(description = "Rules for evictions caused by its jobs. No evictions when absent")
        @Nullable Preemption preemption,
    @Schema(description = "Settings of a queue. An inner node when absent")
        @Nullable QueueRequest queue,
    @Schema(description = "How children share resources. Default: DOMINANT_SHARE")
        @Nullable SharePolicy sharePolicy,
    @Schema(
            implementation = String.class,
            description =
                "Half-life of past use, 1m to 365d: past use counts when children, or users"
                    + " of a queue with fairByUser, take turns. Only current use counts when"
                    + " absent")
        @DurationMin(minutes = 1)
        @DurationMax(days = 365)
        @Nullable Duration usageHalfLife)
    implements QuotaFields {
  static final long WEIGHT_ONE = 1000;
  private static final long MOST_WEIGHT = 1_000_000;
  private static final int HIGHEST_PRIORITY = 2000;

  QuotaSpec spec() {
    return spec(name, parent);
  }

  /** The changed fields. A value replaces the current one, and null removes it. */
  @Schema(name = "PatchQuotaRequest")
  record Patch(
      @Schema(
              implementation = BigDecimal.class,
              minimum = "0",
              maximum = "1000",
              multipleOf = 0.001)
          @JsonDeserialize(using = Weight.class)
          @Nullable Long weight,
      @Size(max = LimitRequest.MOST) @Nullable List<LimitRequest> limits,
      @Nullable Preemption preemption,
      @Nullable QueueRequest queue,
      @Nullable SharePolicy sharePolicy,
      @Schema(implementation = String.class) @DurationMin(minutes = 1) @DurationMax(days = 365)
          @Nullable Duration usageHalfLife)
      implements QuotaFields {
    /** Name and parent may be repeated. */
    @Override
    public void check(Fields given) {
      QuotaFields.super.check(given);
      boolean _ = given.has("name");
      boolean _ = given.has("parent");
    }
  }

  /** Rules for the search of victims. NEVER and false when absent. */
  @Schema(name = "PreemptionRulesRequest")
  record Preemption(
      PreemptionRules.@Nullable WithinQueue withinQueue,
      PreemptionRules.@Nullable Reclaim reclaim,
      @Nullable Boolean fairShare,
      @Schema(
              description =
                  "Whether a job that borrows may evict victims in other queues. Requires"
                      + " reclaim, excludes fairShare")
          PreemptionRules.@Nullable WhileBorrowing whileBorrowing,
      @Schema(
              description =
                  "Highest priority of those victims. When absent, only the job's own"
                      + " priority is the limit")
          @Min(0)
          @Max(HIGHEST_PRIORITY)
          @Nullable Integer maxVictimPriority)
      implements RequestRules {
    @Override
    public void check(Fields given) {
      PreemptionRules rules = rules();
      boolean borrows = rules.whileBorrowing() != PreemptionRules.WhileBorrowing.NEVER;
      if (borrows && (rules.fairShare() || rules.reclaim() == PreemptionRules.Reclaim.NEVER)) {
        given.refuse(
            "whileBorrowing",
            ProblemCode.CONFLICTING_FIELDS,
            "whileBorrowing needs reclaim, and cannot be combined with fairShare. Set"
                + " reclaim to LOWER_PRIORITY or ANY, and remove fairShare.",
            null);
      }
      if (!borrows && maxVictimPriority != null) {
        given.refuse(
            "maxVictimPriority",
            ProblemCode.CONFLICTING_FIELDS,
            "maxVictimPriority bounds the victims of whileBorrowing. Set whileBorrowing to "
                + "LOWER_PRIORITY, or remove maxVictimPriority.",
            null);
      }
    }

    PreemptionRules rules() {
      return new PreemptionRules(
          Objects.requireNonNullElse(withinQueue, PreemptionRules.NONE.withinQueue()),
          Objects.requireNonNullElse(reclaim, PreemptionRules.NONE.reclaim()),
          Objects.requireNonNullElse(fairShare, false),
          Objects.requireNonNullElse(whileBorrowing, PreemptionRules.NONE.whileBorrowing()),
          maxVictimPriority);
    }
  }

  /** Reads a weight in thousandths. */
  static final class Weight extends FieldReader<Long> {
    @Override
    protected Optional<Long> read(Value value) {
      return value
          .quantityText()
          .flatMap(Quantity::milli)
          .filter(milli -> milli <= MOST_WEIGHT)
          .or(() -> value.bad("must be a number from 0 to 1000, not " + value.shown(), null));
    }
  }
}
