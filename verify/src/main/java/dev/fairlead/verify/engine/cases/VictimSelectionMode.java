package dev.fairlead.verify.engine.cases;

import dev.fairlead.verify.engine.cases.form.Mode;
import dev.fairlead.verify.engine.cases.form.Value;
import dev.fairlead.verify.engine.cases.form.Verdict;
import dev.fairlead.verify.engine.cases.kueue.KueueCase;
import dev.fairlead.work.placement.Plan;

/** {@code victim-selection}: the victims of the probe's job, and the rights that evict them. */
final class VictimSelectionMode implements Mode {
  @Override
  public Verdict judge(Value scenario) {
    KueueCase world = new KueueCase(scenario);
    Value job = scenario.get("probe").get("job");
    world.offer(job, job.get("tasks").list(), KueueCase.rank(job));
    Plan plan = PlanResult.plan(world.course().world());
    return Verdict.of(
        PlanResult.expectedVictims(scenario.get("expect")), PlanResult.victims(world, plan));
  }
}
