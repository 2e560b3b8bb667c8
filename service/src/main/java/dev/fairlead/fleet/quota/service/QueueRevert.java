package dev.fairlead.fleet.quota.service;

import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigRevert;
import dev.fairlead.people.audit.RevertRequest;
import org.springframework.stereotype.Component;

/** Reverts changes of queues and quotas. */
@Component
public class QueueRevert implements ConfigRevert {
  private final Quotas quotas;

  public QueueRevert(Quotas quotas) {
    this.quotas = quotas;
  }

  @Override
  public ConfigKind kind() {
    return ConfigKind.QUEUE;
  }

  @Override
  public void revert(RevertRequest request) {
    QuotaNode to = request.before(QuotaNode.class);
    QuotaNode from = request.after(QuotaNode.class);
    String id = to.id().text();
    QuotaView now = quotas.named(request.actor(), id);
    QuotaSpec spec =
        QuotaSpecBuilder.builder()
            .name(to.name())
            .parent(null)
            .weight(to.weight())
            .limits(to.limits())
            .preemption(to.preemption())
            .queue(to.queue())
            .share(to.share())
            .usageHalfLife(to.usageHalfLife())
            .build();
    long expected = request.expected(now.node().version(), from.version());
    QuotaView _ = quotas.update(request.actor(), id, spec, expected, false);
  }
}
