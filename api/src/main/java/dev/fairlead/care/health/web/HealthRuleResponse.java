package dev.fairlead.care.health.web;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.Xid;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.care.health.service.HealthTable;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Meaning of a driver or DCGM code, and the resulting action.
 *
 * @param code XID in digits, or name of the DCGM code
 * @param xid XID, 0 for a DCGM code
 * @param bucket action that the vendor's tooling recommends
 * @param counted whether the code counts. False for a code that only follows other errors and takes
 *     nothing out of service
 * @param changed fields that differ from the shipped rule
 * @param version version of the rule, 0 before any change
 */
@RecordBuilder
record HealthRuleResponse(
    String code,
    int xid,
    String name,
    String bucket,
    Severity severity,
    RuleScope quarantine,
    RepairStep step,
    boolean counted,
    String advice,
    List<String> changed,
    long version) {

  /** Whether the vendor calls the code fatal, which alone takes nothing out of service. */
  enum Severity {
    FATAL,
    NONFATAL;

    static Severity of(Xid xid) {
      return xid.fatal() ? FATAL : NONFATAL;
    }
  }

  /** The changeable fields of a rule. In a change, null restores the shipped value. */
  @Schema(name = "HealthRulePatch")
  record Values(
      @Schema(description = "Description of the cause, at most 120 characters")
          @Nullable String name,
      @Schema(description = "Whether the device is unusable afterwards")
          @Nullable Severity severity,
      @Schema(description = "Scope that the first event takes out of service")
          @Nullable RuleScope quarantine,
      @Schema(description = "First step of the repair ladder for this fault")
          @Nullable RepairStep step,
      @Schema(description = "Recommendation for the operator, at most 500 characters")
          @Nullable String advice) {
    static Values of(Xid xid) {
      return new Values(xid.name(), Severity.of(xid), RuleScope.of(xid), xid.step(), xid.advice());
    }
  }

  static HealthRuleResponse of(HealthTable.Row row) {
    Xid xid = row.xid();
    return HealthRuleResponseBuilder.builder()
        .code(XidTable.symbol(xid.code()))
        .xid(xid.code() < XidTable.DCGM ? xid.code() : 0)
        .name(xid.name())
        .bucket(xid.bucket())
        .severity(Severity.of(xid))
        .quarantine(RuleScope.of(xid))
        .step(xid.step())
        .counted(xid.counted())
        .advice(xid.advice())
        .changed(changed(Values.of(xid), Values.of(row.shipped())))
        .version(row.rule().version())
        .build();
  }

  private static List<String> changed(Values now, Values shipped) {
    return Stream.of(
            other("name", Values::name, now, shipped),
            other("severity", Values::severity, now, shipped),
            other("quarantine", Values::quarantine, now, shipped),
            other("step", Values::step, now, shipped),
            other("advice", Values::advice, now, shipped))
        .flatMap(Function.identity())
        .toList();
  }

  private static Stream<String> other(
      String field, Function<Values, @Nullable Object> part, Values now, Values shipped) {
    return Objects.equals(part.apply(now), part.apply(shipped)) ? Stream.of() : Stream.of(field);
  }
}
