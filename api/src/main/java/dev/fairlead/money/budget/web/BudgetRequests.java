package dev.fairlead.money.budget.web;

import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Labels;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetBuilder;
import dev.fairlead.money.budget.BudgetExhaustedPolicy;
import dev.fairlead.money.budget.BudgetId;
import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.budget.service.BudgetCommands;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Requests that write budgets. */
interface BudgetRequests {
  int MOST_ALERTS = 10;
  int HUNDRED = 100;
  int LONGEST_TEXT = 200;

  /** A new budget. */
  @Schema(name = "CreateBudgetRequest")
  record Create(
      @Schema(description = "DNS label, unique in the tenant") @DnsLabel String name,
      @Schema(description = "Name of a project. All projects when absent")
          @Size(min = 1, max = Names.LONGEST_LABEL)
          @Nullable String project,
      @Schema(description = "Name of a queue. All queues when absent")
          @Size(min = 1, max = Names.LONGEST_LABEL)
          @Nullable String queue,
      @Schema(description = "Submitter of the counted jobs. All users when absent")
          @Size(min = 1, max = LONGEST_TEXT)
          @Nullable String user,
      @Schema(
              description =
                  "One label and its value. Jobs with that label at their start count. All"
                      + " jobs when absent. A budget with a label is SOFT")
          @JsonDeserialize(using = OneLabel.class)
          @Nullable SortedMap<String, String> label,
      @Schema(
              description =
                  "GPU-hours of each period: 0 to 100000000 with at most 6 decimals."
                      + " Excludes amount and currency")
          @JsonDeserialize(using = GpuHours.class)
          @Nullable BigDecimal gpuHours,
      @Schema(
              description =
                  "Money of each period, in units of the currency: 0 to 1000000000000 with"
                      + " at most 6 decimals")
          @JsonDeserialize(using = Money.class)
          @Nullable BigDecimal amount,
      @Schema(
              description =
                  "Currency of the amount: three letters (ISO 4217). A price in this currency must"
                      + " exist")
          @Pattern(regexp = "^[A-Z]{3}$", message = "must be three letters of ISO 4217 such as EUR")
          @Nullable String currency,
      @Schema(
              description =
                  "Length of a period. Default: MONTH. Periods begin at midnight in UTC,"
                      + " weeks on Monday")
          @Nullable BudgetPeriod period,
      @Schema(
              implementation = String.class,
              description = "HARD when absent, SOFT with a label",
              allowableValues = {"HARD", "SOFT"})
          @JsonDeserialize(using = ModeReader.class)
          Budget.@Nullable Mode mode,
      @Schema(
              description =
                  "For a HARD budget: action on running jobs that need more hours than"
                      + " the budget has. FINISH (default), PREEMPT to stop them and return them"
                      + " to their queue, or SUSPEND to stop them until they are resumed")
          @Nullable BudgetExhaustedPolicy onExhausted,
      @Schema(
              description =
                  "Alert thresholds in percent, 1 to 100, at most 10. Each alert is sent"
                      + " once per period. Default: 80 and 100")
          @Size(max = MOST_ALERTS)
          @Nullable List<@Min(1) @Max(HUNDRED) Integer> alerts)
      implements Amounts, RequestRules {
    private static final List<Integer> ALERTS = List.of(80, HUNDRED);

    @Override
    public void check(Fields given) {
      boolean money = given.has("amount") || given.has("currency");
      if (money && !given.has("currency")) {
        given.refuse(
            "currency",
            ProblemCode.INVALID_FIELD,
            "currency is missing: three letters of ISO 4217, for example EUR.",
            null);
      }
      checkAmount(given, money);
      checkMode(given, !labels().isEmpty(), chosenMode(), onExhausted);
    }

    private Budget.Mode chosenMode() {
      return Objects.requireNonNullElse(
          mode, labels().isEmpty() ? Budget.Mode.HARD : Budget.Mode.SOFT);
    }

    private SortedMap<String, String> labels() {
      return label == null ? Collections.emptySortedMap() : label;
    }

    /** The names of the scope, and the budget of it. */
    BudgetCommands.NewBudget proposal() {
      return new BudgetCommands.NewBudget(project, queue, this::budget);
    }

    private Budget budget(BudgetId id, BudgetScope in) {
      BudgetUnit unit = new BudgetUnit(currency);
      return BudgetBuilder.builder()
          .id(id)
          .scope(new BudgetScope(in.tenant(), in.project(), in.queue(), user, labels()))
          .name(name)
          .unit(unit)
          .amount(amount(unit))
          .period(Objects.requireNonNullElse(period, BudgetPeriod.MONTH))
          .mode(chosenMode())
          .onExhausted(Objects.requireNonNullElse(onExhausted, BudgetExhaustedPolicy.FINISH))
          .alerts(alerts == null ? ALERTS : ascending(alerts))
          .grants(List.of())
          .version(1)
          .build();
    }
  }

  /** The changeable fields of a budget. */
  @Schema(name = "UpdateBudgetRequest")
  record Update(
      @Schema(description = "GPU-hours of each period, for a budget of GPU-hours")
          @JsonDeserialize(using = GpuHours.class)
          @Nullable BigDecimal gpuHours,
      @Schema(description = "Money of each period, for a budget of money, in its currency")
          @JsonDeserialize(using = Money.class)
          @Nullable BigDecimal amount,
      @Schema(
              implementation = String.class,
              allowableValues = {"HARD", "SOFT"})
          @JsonDeserialize(using = ModeReader.class)
          Budget.@Nullable Mode mode,
      @Schema(description = "Values other than FINISH require a HARD budget")
          @Nullable BudgetExhaustedPolicy onExhausted,
      @Size(max = MOST_ALERTS) @Nullable List<@Min(1) @Max(HUNDRED) Integer> alerts)
      implements Amounts, RequestRules {
    private static final List<String> FIXED =
        List.of("name", "project", "queue", "user", "label", "period", "currency");

    @Override
    public void check(Fields given) {
      for (String name : FIXED) {
        if (given.has(name)) {
          given.refuse(
              name,
              ProblemCode.INVALID_FIELD,
              "Name, scope, period and currency of a budget cannot change. Create another budget.",
              null);
        }
      }
    }

    /** Reports problems that depend on the budget. */
    void check(Fields given, Budget of) {
      checkAmount(given, of.unit().money());
      checkMode(
          given,
          of.scope().byLabel(),
          Objects.requireNonNullElse(mode, of.mode()),
          Objects.requireNonNullElse(onExhausted, of.onExhausted()));
    }

    /** The changeable fields of a budget as a request. */
    static SortedMap<String, Object> of(Budget budget) {
      SortedMap<String, Object> fields = new TreeMap<>();
      fields.put(field(budget.unit().money()), budget.unit().rounded(budget.amount()));
      fields.put("mode", budget.mode().name());
      fields.put("onExhausted", budget.onExhausted().name());
      fields.put("alerts", budget.alerts());
      return fields;
    }

    Budget applied(Budget old) {
      return old.with(
              amount(old.unit()),
              Objects.requireNonNullElse(mode, old.mode()),
              alerts == null ? List.of() : ascending(alerts))
          .at(Objects.requireNonNullElse(onExhausted, old.onExhausted()));
    }
  }

  /** An extra amount. */
  @Schema(name = "GrantBudgetRequest")
  record Grant(
      @Schema(
              description =
                  "Extra GPU-hours for a budget of GPU-hours: above 0, at most 100000000"
                      + " with at most 6 decimals")
          @JsonDeserialize(using = GpuHours.class)
          @Positive(message = "must be more than 0")
          @Nullable BigDecimal gpuHours,
      @Schema(
              description =
                  "Extra money for a budget of money, in its currency: above 0, at most"
                      + " 1000000000000 with at most 6 decimals")
          @JsonDeserialize(using = Money.class)
          @Positive(message = "must be more than 0")
          @Nullable BigDecimal amount,
      @Schema(
              description =
                  "End of the grant: from this time, no job can reserve from it. The end of the"
                      + " current period when absent or later")
          @Nullable Instant until,
      @Schema(description = "Reason for the grant, at most 200 characters")
          @Size(min = 1, max = LONGEST_TEXT)
          String reason)
      implements Amounts {
    BudgetCommands.Grant grant(BudgetUnit unit) {
      return new BudgetCommands.Grant(amount(unit), until, reason);
    }
  }

  /** A request with an amount in the unit of its budget. */
  interface Amounts {
    @Nullable BigDecimal gpuHours();

    @Nullable BigDecimal amount();

    /** The amount of a request without problems. */
    default BigInteger amount(BudgetUnit unit) {
      return Optional.ofNullable(unit.money() ? amount() : gpuHours())
          .flatMap(unit::amount)
          .orElseThrow();
    }

    /** Reports an amount that is missing, or in another unit. */
    default void checkAmount(Fields given, boolean money) {
      String field = field(money);
      String other = field(!money);
      if (!given.has(field)) {
        given.refuse(
            field,
            ProblemCode.INVALID_FIELD,
            field + " is missing: the amount of the budget, for example 1000.",
            null);
      }
      if (given.has(other)) {
        given.refuse(
            other,
            ProblemCode.CONFLICTING_FIELDS,
            other + " excludes " + field + ", which is the unit of the budget.",
            null);
      }
    }
  }

  private static String field(boolean money) {
    return money ? "amount" : "gpuHours";
  }

  private static List<Integer> ascending(List<Integer> alerts) {
    return alerts.stream().sorted().distinct().toList();
  }

  private static void checkMode(
      Fields given, boolean byLabel, Budget.Mode mode, @Nullable BudgetExhaustedPolicy policy) {
    if (byLabel && mode == Budget.Mode.HARD) {
      given.refuse(
          "mode",
          ProblemCode.INVALID_FIELD,
          "A budget by label is SOFT: a job that omits the label would bypass a HARD budget. Set a"
              + " HARD budget for a project, queue or user.",
          Budget.Mode.SOFT.name());
    }
    if (mode != Budget.Mode.HARD && policy != null && policy != BudgetExhaustedPolicy.FINISH) {
      given.refuse(
          "onExhausted",
          ProblemCode.INVALID_FIELD,
          "Only a HARD budget stops running jobs. Set mode to HARD, or onExhausted to FINISH.",
          BudgetExhaustedPolicy.FINISH.name());
    }
  }

  /** Reads HARD or SOFT: no request sets UNREADABLE. */
  final class ModeReader extends FieldReader<Budget.Mode> {
    @Override
    protected Optional<Budget.Mode> read(Value value) {
      return value.choice(List.of(Budget.Mode.HARD, Budget.Mode.SOFT));
    }
  }

  /** Reads at most one label. */
  final class OneLabel extends FieldReader<SortedMap<String, String>> {
    @Override
    protected Optional<SortedMap<String, String>> read(Value value) {
      return Optional.of(Labels.read(value, 1));
    }
  }

  /** Reads GPU-hours. */
  final class GpuHours extends FieldReader<BigDecimal> {
    @Override
    protected Optional<BigDecimal> read(Value value) {
      return decimal(value, BudgetUnit.GPU_HOURS, "GPU-hours");
    }
  }

  /** Reads an amount in any currency. */
  final class Money extends FieldReader<BigDecimal> {
    @Override
    protected Optional<BigDecimal> read(Value value) {
      return decimal(value, new BudgetUnit("EUR"), "an amount of money");
    }
  }

  private static Optional<BigDecimal> decimal(Value value, BudgetUnit unit, String kind) {
    return value
        .quantityText()
        .filter(text -> text.matches("[0-9]{1,13}(\\.[0-9]{1,6})?"))
        .map(BigDecimal::new)
        .filter(amount -> unit.amount(amount).isPresent())
        .or(() ->
            value.bad(
                "must be %s from 0 to %s with at most 6 decimals, not %s"
                    .formatted(kind, unit.most().toPlainString(), value.shown()),
                null));
  }
}
