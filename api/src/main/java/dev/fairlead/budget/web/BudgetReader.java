package dev.fairlead.budget.web;

import dev.fairlead.body.Fields;
import dev.fairlead.body.Names;
import dev.fairlead.body.Value;
import dev.fairlead.budget.Budget;
import dev.fairlead.budget.BudgetPeriod;
import dev.fairlead.budget.GpuHours;
import dev.fairlead.budget.service.BudgetCommands;
import dev.fairlead.budget.service.BudgetDraft;
import dev.fairlead.budget.service.BudgetView;
import dev.fairlead.problem.ProblemCode;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads budgets as people write them. */
final class BudgetReader {
  private static final int LONGEST_USER = 200;
  private static final int LONGEST_REASON = 200;
  private static final int MOST_ALERTS = 10;
  private static final int HUNDRED = 100;
  private static final List<Integer> ALERTS = List.of(80, HUNDRED);
  private static final List<Budget.Mode> MODES = List.of(Budget.Mode.HARD, Budget.Mode.SOFT);
  private static final List<String> FIXED = List.of("name", "project", "queue", "user", "period");

  private BudgetReader() {}

  /** The draft; only to be used when no problem was noted. */
  static BudgetDraft read(Fields budget) {
    Optional<String> name =
        budget.required("name", "a DNS label.").flatMap(v -> Names.label(v, Names.LONGEST_LABEL));
    Optional<String> project = budget.get("project").flatMap(v -> v.text(Names.LONGEST_LABEL));
    Optional<String> queue = budget.get("queue").flatMap(v -> v.text(Names.LONGEST_LABEL));
    Optional<String> user = budget.get("user").flatMap(v -> v.text(LONGEST_USER));
    Optional<BudgetPeriod> period = budget.get("period").flatMap(v -> v.choice(BudgetPeriod.class));
    return rest(
        budget,
        new BudgetDraft(
            name.orElse(""),
            project.orElse(null),
            queue.orElse(null),
            user.orElse(null),
            0,
            period.orElse(BudgetPeriod.MONTH),
            Budget.Mode.HARD,
            ALERTS));
  }

  /** What may change, of a merged patch. */
  static BudgetDraft patched(BudgetView now, Fields merged) {
    for (String name : FIXED) {
      if (merged.has(name)) {
        merged.refuse(
            name,
            ProblemCode.INVALID_FIELD,
            "A budget keeps its name, scope and period. Create another budget.",
            null);
      }
    }
    Budget budget = now.budget();
    return rest(
        merged,
        new BudgetDraft(
            budget.name(), null, null, null, 0, budget.period(), budget.mode(), List.of()));
  }

  /** What may change, as it would have to be given to be as it is. */
  static SortedMap<String, Object> fields(BudgetView view) {
    SortedMap<String, Object> fields = new TreeMap<>();
    fields.put("gpuHours", GpuHours.rounded(view.budget().amount()));
    fields.put("mode", view.budget().mode().name());
    fields.put("alerts", view.budget().alerts());
    return fields;
  }

  private static BudgetDraft rest(Fields fields, BudgetDraft draft) {
    Optional<Long> amount =
        fields
            .required("gpuHours", "how many GPU-hours each period has, for example 1000.")
            .flatMap(BudgetReader::gpuTime);
    Optional<Budget.Mode> mode = fields.get("mode").flatMap(v -> v.choice(MODES));
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
    return new BudgetDraft(
        draft.name(),
        draft.project(),
        draft.queue(),
        draft.user(),
        amount.orElse(0L),
        draft.period(),
        mode.orElse(draft.mode()),
        alerts);
  }

  private static Optional<Long> gpuTime(Value value) {
    return value
        .quantityText()
        .filter(text -> text.matches("[0-9]{1,9}(\\.[0-9]{1,6})?"))
        .flatMap(text -> GpuHours.amount(new BigDecimal(text)))
        .or(() ->
            value.bad(
                "must be GPU-hours from 0 to 100000000 with at most 6 decimals, not "
                    + value.shown(),
                null));
  }

  /** The grant; only to be used when no problem was noted. */
  static BudgetCommands.Grant grant(Fields fields) {
    Optional<Value> hours = fields.required("gpuHours", "how many GPU-hours are added.");
    Optional<Long> amount = hours.flatMap(BudgetReader::gpuTime);
    if (amount.filter(none -> none == 0).isPresent()) {
      Optional<Long> _ = hours.flatMap(v -> v.bad("must be more than 0", null));
    }
    Optional<String> reason =
        fields.required("reason", "why they are added.").flatMap(v -> v.text(LONGEST_REASON));
    var until = fields.get("until").flatMap(Value::time);
    fields.done();
    return new BudgetCommands.Grant(amount.orElse(0L), until.orElse(null), reason.orElse(""));
  }
}
