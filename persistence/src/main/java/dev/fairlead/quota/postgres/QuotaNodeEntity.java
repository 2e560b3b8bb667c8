package dev.fairlead.quota.postgres;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Row of {@code quota_node}; without a tenant it is of the platform. */
@Entity
@Table(name = "quota_node")
class QuotaNodeEntity {
  @Id UUID id = new UUID(0, 0);
  @Nullable UUID tenant;
  String name = "";
  @Nullable UUID parent;
  int depth;
  long weight;

  @Column(name = "preempt_within")
  String preemptWithin = "";

  @Column(name = "preempt_reclaim")
  String preemptReclaim = "";

  @Column(name = "preempt_fair_share")
  boolean preemptFairShare;

  @Column(name = "preempt_while_borrowing")
  String preemptWhileBorrowing = "";

  @Column(name = "preempt_max_victim_priority")
  @Nullable Integer preemptMaxVictimPriority;

  @Column(name = "flavor_when_can_borrow")
  String flavorWhenCanBorrow = "";

  @Column(name = "flavor_when_can_preempt")
  String flavorWhenCanPreempt = "";

  @Column(name = "flavor_preference")
  String flavorPreference = "";

  @Column(name = "queue_order")
  @Nullable String queueOrder;

  @Column(name = "queue_state")
  @Nullable String queueState;

  @Column(name = "default_max_runtime_millis")
  @Nullable Long defaultMaxRuntimeMillis;

  @Column(name = "share_policy")
  String sharePolicy = "";

  @Column(name = "fair_by_user")
  boolean fairByUser;

  @Column(name = "user_running")
  @Nullable Integer userRunning;

  @Column(name = "user_gpu_milli")
  @Nullable Long userGpuMilli;

  @Column(name = "user_queued")
  @Nullable Integer userQueued;

  @Column(name = "usage_half_life_millis")
  @Nullable Long usageHalfLifeMillis;

  @Nullable String routing;

  @Column(name = "limit_count")
  @Nullable Integer limitCount;

  long version;
}
