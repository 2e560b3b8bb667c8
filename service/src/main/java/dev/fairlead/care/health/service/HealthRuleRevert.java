package dev.fairlead.care.health.service;

import dev.fairlead.care.health.HealthRule;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigRevert;
import dev.fairlead.people.audit.RevertRequest;
import org.springframework.stereotype.Component;

/** Reverts changes of health rules. */
@Component
public class HealthRuleRevert implements ConfigRevert {
  private final HealthTable table;

  public HealthRuleRevert(HealthTable table) {
    this.table = table;
  }

  @Override
  public ConfigKind kind() {
    return ConfigKind.HEALTH_RULE;
  }

  @Override
  public void revert(RevertRequest request) {
    HealthRule to = request.before(HealthRule.class);
    HealthRule from = request.after(HealthRule.class);
    HealthTable.Row _ =
        table.update(
            request.actor(), to.xid(), request.expected(from.version()), request.force(), false);
  }
}
