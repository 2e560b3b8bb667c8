package dev.fairlead.money.budget.web;

import dev.fairlead.kernel.body.AmountFields;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Labels;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetExhaustedPolicy;
import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.budget.service.BudgetCommands;
import dev.fairlead.money.budget.service.BudgetDraft;
import dev.fairlead.money.budget.service.BudgetView;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads budgets from request bodies. */
final class BudgetReader {
  private static final int LONGEST_USER = 200;
  private static final int LONGEST_REASON = 200;
  private static final int MOST_ALERTS = 10;
  private static final int HUNDRED = 100;
  private static final List<Integer> ALERTS = List.of(80, HUNDRED);
  private static final List<Budget.Mode> MODES = List.of(Budget.Mode.HARD, Budget.Mode.SOFT);
  private static final List<String> FIXED =
      List.of("name", "project", "queue", "user", "label", "period", "currency");

  private BudgetReader() {}

  /** Returns the draft. Valid only if no problem was reported. */
  static BudgetDraft read(Fields budget) {
    Optional<String> name =
        budget.required("name", "a DNS label.").flatMap(v -> Names.label(v, Names.LONGEST_LABEL));
    Optional<String> project = budget.get("project").flatMap(v -> v.text(Names.LONGEST_LABEL));
    Optional<String> queue = budget.get("queue").flatMap(v -> v.text(Names.LONGEST_LABEL));
    Optional<String> user = budget.get("user").flatMap(v -> v.text(LONGEST_USER));
    SortedMap<String, String> label =
        budget.get("label").map(v -> Labels.read(v, 1)).orElse(new TreeMap<>());
    Optional<BudgetPeriod> period = budget.get("period").flatMap(v -> v.choice(BudgetPeriod.class));
    return rest(
        budget,
        new BudgetDraft(
            name.orElse(""),
            project.orElse(null),
            queue.orElse(null),
            user.orElse(null),
            label,
            unit(budget),
            BigInteger.ZERO,
            period.orElse(BudgetPeriod.MONTH),
            label.isEmpty() ? Budget.Mode.HARD : Budget.Mode.SOFT,
            BudgetExhaustedPolicy.FINISH,
            ALERTS));
  }

  /** Returns the changeable fields of a merged patch. */
  static BudgetDraft patched(BudgetView now, Fields merged) {
    for (String name : FIXED) {
      if (merged.has(name)) {
        merged.refuse(
            name,
            ProblemCode.INVALID_FIELD,
            "Name, scope, period and currency of a budget cannot change. Create another budget.",
            null);
      }
    }
    return rest(merged, BudgetDraft.of(now.budget()));
  }

  /** Returns the changeable fields of a budget in the form of a request. */
  static SortedMap<String, Object> fields(BudgetView view) {
    SortedMap<String, Object> fields = new TreeMap<>();
    BudgetUnit unit = view.budget().unit();
    fields.put(field(unit), unit.rounded(view.budget().amount()));
    fields.put("mode", view.budget().mode().name());
    fields.put("onExhausted", view.budget().onExhausted().name());
    fields.put("alerts", view.budget().alerts());
    return fields;
  }

  private static BudgetDraft rest(Fields fields, BudgetDraft draft) {
    BudgetUnit unit = draft.unit();
    Optional<BigInteger> amount =
        fields
            .required(
                field(unit), "how many " + unit.name() + " each period has, for example 1000.")
            .flatMap(value -> amount(unit, value));
    Optional<Budget.Mode> mode = fields.get("mode").flatMap(v -> v.choice(MODES));
    if (!draft.label().isEmpty() && mode.filter(hard -> hard == Budget.Mode.HARD).isPresent()) {
      fields.refuse(
          "mode",
          ProblemCode.INVALID_FIELD,
          "A budget by label is SOFT: a job that omits the label would bypass a HARD budget. Set a"
              + " HARD budget for a project, queue or user.",
          Budget.Mode.SOFT.name());
    }
    BudgetExhaustedPolicy onExhausted =
        fields
            .get("onExhausted")
            .flatMap(v -> v.choice(BudgetExhaustedPolicy.class))
            .orElse(draft.onExhausted());
    if (mode.orElse(draft.mode()) != Budget.Mode.HARD
        && onExhausted != BudgetExhaustedPolicy.FINISH) {
      fields.refuse(
          "onExhausted",
          ProblemCode.INVALID_FIELD,
          "Only a HARD budget stops running jobs. Set mode to HARD, or onExhausted to FINISH.",
          BudgetExhaustedPolicy.FINISH.name());
    }
    List<Integer> alerts =
        fields
            .get("alerts")
            .map(v ->
                v.items(MOST_ALERTS).stream()
                    .flatMap(each -> each.integer(1, HUNDRED).stream())
                    .sorted()
                    .distinct()
                    .toList())
            .orElse(draft.alerts());
    fields.done();
    return draft.with(
        amount.orElse(BigInteger.ZERO), mode.orElse(draft.mode()), onExhausted, alerts);
  }

  /** The unit is money if the request names an amount or a currency. */
  private static BudgetUnit unit(Fields budget) {
    if (!budget.has("amount") && !budget.has("currency")) {
      return BudgetUnit.GPU_HOURS;
    }
    return new BudgetUnit(
        budget
            .required("currency", "three letters of ISO 4217, for example EUR.")
            .flatMap(AmountFields::currency)
            .orElse(""));
  }

  /** Returns the field with the amount in the unit. */
  private static String field(BudgetUnit unit) {
    return unit.money() ? "amount" : "gpuHours";
  }

  private static Optional<BigInteger> amount(BudgetUnit unit, Value value) {
    return value
        .quantityText()
        .filter(text -> text.matches("[0-9]{1,13}(\\.[0-9]{1,6})?"))
        .flatMap(text -> unit.amount(new BigDecimal(text)))
        .or(() ->
            value.bad(
                "must be %s from 0 to %s with at most 6 decimals, not %s"
                    .formatted(unit.name(), unit.most().toPlainString(), value.shown()),
                null));
  }

  /** Returns the grant. Valid only if no problem was reported. */
  static BudgetCommands.Grant grant(BudgetUnit unit, Fields fields) {
    Optional<Value> given = fields.required(field(unit), "how many " + unit.name() + " are added.");
    Optional<BigInteger> amount = given.flatMap(value -> amount(unit, value));
    if (amount.filter(none -> none.signum() == 0).isPresent()) {
      Optional<BigInteger> _ = given.flatMap(v -> v.bad("must be more than 0", null));
    }
    Optional<String> reason =
        fields.required("reason", "the reason for the grant.").flatMap(v -> v.text(LONGEST_REASON));
    var until = fields.get("until").flatMap(Value::time);
    fields.done();
    return new BudgetCommands.Grant(
        amount.orElse(BigInteger.ZERO), until.orElse(null), reason.orElse(""));
  }
}
