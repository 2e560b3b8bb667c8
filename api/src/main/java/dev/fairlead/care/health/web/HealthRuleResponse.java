package dev.fairlead.care.health.web;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.Xid;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.care.health.service.HealthTable;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a code of the driver or of DCGM means, and what follows from it.
 *
 * @param code the XID in digits, or the name of the code of DCGM
 * @param xid the XID; 0 for a code of DCGM
 * @param bucket what the vendor's tooling advises
 * @param counted no for a code that only follows other errors and takes nothing out of use
 * @param changed fields that are other than Fairlead ships them
 * @param version 0 before any was set
 */
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

  /** Whether the vendor calls it fatal; that alone takes nothing out of use. */
  enum Severity {
    FATAL,
    NONFATAL;

    static Severity of(Xid xid) {
      return xid.fatal() ? FATAL : NONFATAL;
    }
  }

  /** What of a rule may be set; in a change, null goes back to what Fairlead ships. */
  @Schema(name = "HealthRulePatch")
  record Values(
      @Schema(description = "Cause in words, at most 120 characters") @Nullable String name,
      @Schema(description = "Whether the device is out of order after it")
          @Nullable Severity severity,
      @Schema(description = "Scope that the first event takes out of service")
          @Nullable RuleScope quarantine,
      @Schema(description = "What repairs it: the first rung of the repair ladder")
          @Nullable RepairStep step,
      @Schema(description = "For the operator, at most 500 characters") @Nullable String advice) {
    static Values of(Xid xid) {
      return new Values(xid.name(), Severity.of(xid), RuleScope.of(xid), xid.step(), xid.advice());
    }
  }

  static HealthRuleResponse of(HealthTable.Row row) {
    Xid xid = row.xid();
    return new HealthRuleResponse(
        XidTable.symbol(xid.code()),
        xid.code() < XidTable.DCGM ? xid.code() : 0,
        xid.name(),
        xid.bucket(),
        Severity.of(xid),
        RuleScope.of(xid),
        xid.step(),
        xid.counted(),
        xid.advice(),
        changed(Values.of(xid), Values.of(row.shipped())),
        row.rule().version());
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
