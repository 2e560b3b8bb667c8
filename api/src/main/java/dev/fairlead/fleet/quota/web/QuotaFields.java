package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.fleet.quota.service.QuotaSpec;
import dev.fairlead.fleet.quota.service.QuotaSpecBuilder;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.RequestRules;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Fields of a quota node that can change. */
interface QuotaFields extends RequestRules {
  @Nullable Long weight();

  @Nullable List<LimitRequest> limits();

  QuotaRequest.@Nullable Preemption preemption();

  @Nullable QueueRequest queue();

  @Nullable SharePolicy sharePolicy();

  @Nullable Duration usageHalfLife();

  @Override
  default void check(Fields given) {
    LimitRequest.checkDistinct(given, limits());
  }

  default QuotaSpec spec(String name, @Nullable String parent) {
    QuotaRequest.Preemption preemption = preemption();
    QueueRequest queue = queue();
    return QuotaSpecBuilder.builder()
        .name(name)
        .parent(parent)
        .weight(Objects.requireNonNullElse(weight(), QuotaRequest.WEIGHT_ONE))
        .limits(LimitRequest.of(limits()))
        .preemption(preemption == null ? PreemptionRules.NONE : preemption.rules())
        .queue(queue == null ? null : queue.settings())
        .share(Objects.requireNonNullElse(sharePolicy(), SharePolicy.DOMINANT_SHARE))
        .usageHalfLife(usageHalfLife())
        .build();
  }
}
