package dev.fairlead.money.usage.service;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.money.usage.UsageLabels;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigRevert;
import dev.fairlead.people.audit.RevertRequest;
import org.springframework.stereotype.Component;

/** Restores earlier labels from the next hour. */
@Component
public class UsageLabelsRevert implements ConfigRevert {
  private final UsageLabelCommands labels;

  public UsageLabelsRevert(UsageLabelCommands labels) {
    this.labels = labels;
  }

  @Override
  public ConfigKind kind() {
    return ConfigKind.USAGE_LABELS;
  }

  @Override
  public void revert(RevertRequest request) {
    UsageLabels to = request.before(UsageLabels.class);
    UsageLabels from = request.after(UsageLabels.class);
    boolean same =
        labels.named(request.actor()).stream().findFirst().filter(from::equals).isPresent();
    if (!request.force() && !same) {
      throw new Refusal(ProblemCode.VERSION_MISMATCH, "The usage labels have changed since then.");
    }
    UsageLabels _ = labels.name(request.actor(), to.keys(), false);
  }
}
